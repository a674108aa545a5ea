import { expect, test } from "vitest";
import { api } from "./api.ts";
import { operations } from "./endpoint.ts";
import { admits, type RequiredRole, roles } from "./role.ts";

const admitted: Record<RequiredRole, readonly (typeof roles)[number][]> = {
  anyone: ["admin", "operator", "viewer", "diagnostics"],
  either: ["admin", "operator", "viewer", "diagnostics"],
  viewer: ["admin", "operator", "viewer"],
  diagnostics: ["admin", "operator", "diagnostics"],
  operator: ["admin", "operator"],
  admin: ["admin"],
};

test.each(Object.entries(admitted) as [RequiredRole, readonly string[]][])(
  "%s admits %j and nobody else",
  (least, those) => expect(roles.filter((role) => admits(least, role))).toEqual(those),
);

/** Everything a stranger may call, and why. */
const open = {
  "GET /health": "says one word",
  "GET /auth/status": "tells a browser whether to ask for a password",
  "POST /auth/setup": "works once, before there is anybody to be",
  "POST /auth/login": "is how one becomes somebody",
  "POST /auth/key-login": "is how those without a password do",
  "POST /auth/logout": "takes away no more than the session it is asked with",
  "GET /openapi.json": "is this contract, which is no secret",
  "GET /docs": "is the same for people",
};

test("a stranger may call what is listed here, and nothing else", () => {
  const anyone = operations(api).filter(({ endpoint }) => endpoint.role === "anyone");
  expect(anyone.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`).toSorted()).toEqual(
    Object.keys(open).toSorted(),
  );
});

/** What those who only look may do besides reading. */
const harmless: readonly string[] = [
  "POST /privacy/leak-check",
  "POST /captive/check",
  "POST /dns/test",
  "POST /policy/evaluate",
  "POST /policy/conflicts",
];

test("viewers and diagnosticians read, and do no more than is listed here", () => {
  const changing = operations(api).filter(({ endpoint }) => endpoint.method !== "GET");
  const lenient = changing.filter(({ endpoint }) => ["viewer", "diagnostics", "either"].includes(endpoint.role));
  expect(changing.length).toBeGreaterThan(20);
  expect(lenient.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)).toEqual(harmless);
});

test("credentials, settings and secrets are the admin's", () => {
  const guarded = operations(api).filter(({ endpoint }) => /^\/(auth|settings|secrets)/.test(endpoint.path));
  const others = guarded.filter(({ endpoint }) => endpoint.role !== "admin" && endpoint.role !== "anyone");
  expect(others.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)).toEqual([
    "GET /settings",
    "GET /settings/{key}",
  ]);
});
