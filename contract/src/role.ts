/** Roles. An operator has the rights of viewer and diagnostics; an admin has all rights. */
export const roles = ["admin", "operator", "viewer", "diagnostics"] as const;
export type Role = (typeof roles)[number];

/**
 * The role that an endpoint requires. Viewer and diagnostics do not include each other, so "either" marks endpoints
 * for both; "anyone" needs no credential.
 */
export type RequiredRole = "anyone" | "either" | Role;

const admitted: Record<RequiredRole, readonly Role[]> = {
  anyone: roles,
  either: roles,
  viewer: ["admin", "operator", "viewer"],
  diagnostics: ["admin", "operator", "diagnostics"],
  operator: ["admin", "operator"],
  admin: ["admin"],
};

export const admits = (required: RequiredRole, role: Role): boolean => admitted[required].includes(role);
