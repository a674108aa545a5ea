/** Who may do what. Operators include viewers and diagnosticians; admins include everybody. */
export const roles = ["admin", "operator", "viewer", "diagnostics"] as const;
export type Role = (typeof roles)[number];

/**
 * The least role of an endpoint. Viewer and diagnostics do not include each other, so "either" names
 * what both may see; "anyone" needs no credential at all.
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

export const admits = (least: RequiredRole, role: Role): boolean => admitted[least].includes(role);
