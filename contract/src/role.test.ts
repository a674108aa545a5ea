import { expect, test } from "vitest";
import { api } from "./api.ts";
import { operations } from "./endpoint.ts";
import { admits, type RequiredRole, roles } from "./role.ts";

const admitted: Record<RequiredRole, readonly (typeof roles)[number][]> = {
  anyone: ["admin", "operator", "viewer", "diagnostics", "metrics"],
  either: ["admin", "operator", "viewer", "diagnostics"],
  viewer: ["admin", "operator", "viewer"],
  diagnostics: ["admin", "operator", "diagnostics"],
  metrics: ["admin", "operator", "viewer", "metrics"],
  operator: ["admin", "operator"],
  admin: ["admin"],
};

test.each(Object.entries(admitted) as [RequiredRole, readonly string[]][])(
  "roles: the required role %s admits exactly %j",
  (required, admittedRoles) => expect(roles.filter((role) => admits(required, role))).toEqual(admittedRoles),
);

/** Every endpoint without a credential, with the reason. */
const open = {
  "GET /health": "returns one word",
  "GET /auth/status": "the browser shows the login form accordingly",
  "POST /auth/setup": "works once, before an account exists",
  "POST /auth/login": "creates the credential",
  "POST /auth/key-login": "creates the credential from an API key",
  "POST /auth/logout": "ends only the session of the request",
  "GET /openapi.json": "the contract is public",
  "GET /docs": "the contract is public",
  "GET /config/schema": "the contract is public",
};

test("roles: exactly the listed endpoints need no credential", () => {
  const anyone = operations(api).filter(({ endpoint }) => endpoint.role === "anyone");
  expect(anyone.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`).toSorted()).toEqual(
    Object.keys(open).toSorted(),
  );
});

/** Endpoints of read-only roles that are not GET. */
const readOnlyPosts: readonly string[] = [
  "POST /privacy/leak-check",
  "POST /captive/check",
  "POST /diagnostics/capture",
  "DELETE /diagnostics/capture/{id}",
  "POST /dns/test",
  "POST /policy/evaluate",
  "POST /policy/conflicts",
];

test("roles: viewers and diagnosticians read, and do no more than is listed here", () => {
  const changing = operations(api).filter(({ endpoint }) => endpoint.method !== "GET");
  const lenient = changing.filter(({ endpoint }) =>
    ["viewer", "diagnostics", "metrics", "either"].includes(endpoint.role),
  );
  expect(changing.length).toBeGreaterThan(20);
  expect(lenient.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)).toEqual(readOnlyPosts);
});

test("roles: the role metrics is admitted to one endpoint, besides those that need no credential", () => {
  const admittedTo = operations(api).filter(
    ({ endpoint }) => endpoint.role !== "anyone" && admits(endpoint.role, "metrics"),
  );
  expect(admittedTo.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)).toEqual(["GET /metrics"]);
});

test("roles: credentials, settings and secrets are the admin's", () => {
  const guarded = operations(api).filter(({ endpoint }) => /^\/(auth|settings|secrets)/.test(endpoint.path));
  const others = guarded.filter(({ endpoint }) => endpoint.role !== "admin" && endpoint.role !== "anyone");
  expect(others.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)).toEqual([
    "GET /settings",
    "GET /settings/{key}",
  ]);
});
