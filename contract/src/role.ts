/** Roles. An operator has the rights of viewer and diagnostics, a viewer those of metrics; an admin has all rights. */
export const roles = ["admin", "operator", "viewer", "diagnostics", "metrics"] as const;
export type Role = (typeof roles)[number];

/**
 * The role that an endpoint requires. Viewer and diagnostics do not include each other, so "either" marks endpoints
 * for both; metrics is in none of the others; "anyone" needs no credential.
 */
export type RequiredRole = "anyone" | "either" | Role;

const admitted: Record<RequiredRole, readonly Role[]> = {
  anyone: roles,
  either: ["admin", "operator", "viewer", "diagnostics"],
  viewer: ["admin", "operator", "viewer"],
  diagnostics: ["admin", "operator", "diagnostics"],
  metrics: ["admin", "operator", "viewer", "metrics"],
  operator: ["admin", "operator"],
  admin: ["admin"],
};

export const admits = (required: RequiredRole, role: Role): boolean => admitted[required].includes(role);
