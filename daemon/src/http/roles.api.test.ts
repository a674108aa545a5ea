import { api } from "@portcullis/contract/api";
import { type Endpoint, operations } from "@portcullis/contract/endpoint";
import { admits, type Role, roles } from "@portcullis/contract/role";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { document } from "../../../testing/conformity.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";

/**
 * Who may do what, written down a second time and by hand: the contract's roles are held against it. The first
 * line that fits decides. An endpoint without a matching line fails the test.
 */
const table: readonly { readonly may: readonly (Role | "anyone")[]; readonly what: RegExp }[] = [
  // Login, and the documents of the contract.
  {
    may: ["anyone"],
    what: /^(GET \/(health|auth\/status|openapi\.json|docs|config\/schema)|POST \/auth\/(setup|login|key-login|logout))$/,
  },
  // Keys, sessions and secrets, and changes for admins only.
  { may: ["admin"], what: /^\w+ \/(auth|secrets)\b/ },
  { may: ["admin"], what: /^(POST|PUT|DELETE) \/(settings|setup|backup|config|storage|pq-crypto|nodes|federation)\b/ },
  { may: ["admin"], what: /^(POST|PUT|DELETE) \/system\/(wipe|deadman)\b/ },
  // Numbers for a monitoring program: the only thing that its key opens.
  { may: ["admin", "operator", "viewer", "metrics"], what: /^GET \/metrics$/ },
  // Looking for faults.
  { may: ["admin", "operator", "diagnostics"], what: /^\w+ \/(diagnostics\/capture\w*|test-definitions)\b/ },
  { may: ["admin", "operator", "diagnostics"], what: /^POST \/(privacy\/leak-check|captive\/check|verify)$/ },
  {
    may: ["admin", "operator", "viewer", "diagnostics"],
    what: /^GET \/(status|observer|platform|drift|drift\/details|verify|dns\/(status|log)|privacy\/leak-monitor)$/,
  },
  // POST requests that change nothing.
  { may: ["admin", "operator", "viewer"], what: /^POST \/(policy\/(evaluate|conflicts)|dns\/test)$/ },
  // The address of a receiver is often a secret by itself.
  { may: ["admin", "operator"], what: /^(POST \/alert-channels\/\{id\}\/test|POST \/alerts\/webhook\/test)$/ },
  { may: ["admin"], what: /^(POST|PUT|DELETE) \/(alert-channels|alerts\/webhook)\b/ },
  { may: ["admin", "operator"], what: /^(GET \/integrations\/mqtt|POST \/integrations\/mqtt\/test)$/ },
  { may: ["admin"], what: /^PUT \/integrations\/mqtt$/ },
  { may: ["admin"], what: /^POST \/alerts\/web-push\/key$/ },
  { may: ["admin", "operator"], what: /^[A-Z]+ \/(alert-channels|alert-deliveries|alerts\/webhook)\b/ },
  // Everything else is read by viewers and changed by operators.
  { may: ["admin", "operator", "viewer"], what: /^GET / },
  { may: ["admin", "operator"], what: /^(POST|PUT|DELETE) \/(devices|device-groups|(trust|privacy)-classes)\b/ },
  {
    may: ["admin", "operator"],
    what: /^(POST|PUT|DELETE) \/(rollback|snapshots|changes|apply|validate|exceptions|pauses|enforce|enforcement)\b/,
  },
  { may: ["admin", "operator"], what: /^(POST|PUT|DELETE) \/(routing|policy|profiles|chains|tunnels|proxies)\b/ },
  { may: ["admin", "operator"], what: /^(POST|PUT|DELETE) \/(dns|privacy|alerts|bridges|splitting|segments|vlans)\b/ },
  { may: ["admin", "operator"], what: /^(PUT \/system\/wan-uplinks$|(POST|PUT|DELETE) \/schedules\b)/ },
  { may: ["admin", "operator"], what: /^PUT \/(dhcp|router-advertisements|anomalies\/settings)$/ },
];

const mayByTable = (method: string, path: string): readonly (Role | "anyone")[] =>
  table.find(({ what }) => what.test(`${method} ${path}`))?.may ?? [];

const keys: Readonly<Record<Role, string>> = {
  admin: "the-key-of-an-admin",
  operator: "the-key-of-an-operator",
  viewer: "the-key-of-a-viewer",
  diagnostics: "the-key-of-a-diagnostician",
  metrics: "the-key-of-a-monitoring-program",
};
const api_keys = roles.map((role) => ({ key: keys[role], role, name: role }));
const farAway = { enabled: true, local_net: "10.99.0.0/16", api_keys };

interface Place {
  readonly method: string;
  readonly path: string;
  readonly endpoint: Endpoint;
}
const places: readonly Place[] = operations(api).flatMap(({ endpoint }) =>
  [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => ({ method: endpoint.method, path, endpoint })),
);

/** What the gate said to a request that no handler can make sense of. A stream is left as soon as it starts. */
async function gate(origin: string, method: string, path: string, headers: Record<string, string> = {}) {
  const url = `${origin}/api/v1${path.replace(/\{\w+\}/g, "no-such-thing")}`;
  const body = method === "GET" || method === "HEAD" || method === "OPTIONS" ? {} : { body: "[]" };
  const type = "body" in body ? { "content-type": "application/json" } : {};
  const response = await fetch(url, { method, headers: { ...type, ...headers }, ...body });
  await response.body?.cancel();
  return response.status === 401 || response.status === 403 ? response.status : "allowed";
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

let gateway: TestGateway;
let cookie: string;
const cookies = new Map<Role, string>();
beforeAll(async () => {
  gateway = await startGateway({ config: { auth: farAway } });
  for (const role of roles) {
    const answer = await gateway.request("POST", "/auth/key-login", { body: { key: keys[role] } });
    cookies.set(role, answer.headers.get("set-cookie")!.split(";", 1)[0]!);
  }
  const { headers } = await gateway.request("POST", "/auth/setup", {
    body: { username: "ada", password: "correct horse battery" },
    headers: bearer(keys.admin),
  });
  cookie = headers.get("set-cookie")!.split(";", 1)[0]!;
});
afterAll(() => gateway[Symbol.asyncDispose]());

test("roles: the contract and the table agree on every endpoint", () =>
  expect(places.map(({ method, path, endpoint }) => `${method} ${path} ${rolesOf(endpoint).join()}`)).toEqual(
    places.map(({ method, path }) => `${method} ${path} ${mayByTable(method, path).join()}`),
  ));

const rolesOf = ({ role }: Endpoint) => (role === "anyone" ? ["anyone"] : roles.filter((it) => admits(role, it)));

test("roles: the table sees a wrong role", () => {
  expect(mayByTable("GET", "/secrets")).toEqual(["admin"]);
  expect(rolesOf({ ...api.secrets.list, role: "viewer" })).not.toEqual(mayByTable("GET", "/secrets"));
});

test("roles: the tested paths are those of the OpenAPI document", () =>
  expect(new Set(places.map(({ path }) => `/api/v1${path}`))).toEqual(new Set(Object.keys(document.paths))));

describe.each(places)("roles: $method $path", ({ method, path }) => {
  const may = mayByTable(method, path);
  const open = may.includes("anyone");

  test.each(roles)("to a key of role %s", async (role) =>
    expect(await gate(gateway.origin, method, path, bearer(keys[role]))).toBe(
      open || may.includes(role) ? "allowed" : 403,
    ),
  );

  test.each(roles)("to a session that was opened with a key of role %s", async (role) =>
    expect(await gate(gateway.origin, method, path, { cookie: cookies.get(role)! })).toBe(
      open || may.includes(role) ? "allowed" : 403,
    ),
  );

  test("to a session that was opened with the password, which is an admin's", async () =>
    expect(await gate(gateway.origin, method, path, { cookie })).toBe("allowed"));

  test("to a request without credential, with an unknown key, with a truncated session", async () => {
    const anonymous = [{}, bearer("an-unknown-api-key-0001"), { cookie: cookie.slice(0, -4) }];
    const said = await Promise.all(anonymous.map((headers) => gate(gateway.origin, method, path, headers)));
    expect(said).toEqual(anonymous.map(() => (open ? "allowed" : 401)));
  });
});

/** Credentials that were an admin's and are not any more, with one beside them that still is. */
async function spent(from: TestGateway, clock: { passMs: number }) {
  const create = async (name: string, expires_at: string | null): Promise<{ id: string; key: string }> =>
    (await from.request("POST", "/auth/keys", { body: { name, role: "admin", expires_at }, headers: asAdmin })).json();
  const signIn = async (key: string) =>
    (await from.request("POST", "/auth/key-login", { body: { key } })).headers.get("set-cookie")!.split(";", 1)[0]!;
  const soon = new Date(Date.now() + clock.passMs + 60_000).toISOString();
  const [expired, revoked, good] = [await create("e", soon), await create("r", null), await create("g", null)];
  const [expiredCookie, revokedCookie] = [await signIn(expired.key), await signIn(revoked.key)];
  clock.passMs += 120_000;
  await from.request("DELETE", `/auth/keys/${revoked.id}`, { headers: asAdmin });
  return {
    good: bearer(good.key),
    bad: {
      "an expired key": bearer(expired.key),
      "a revoked key": bearer(revoked.key),
      "a session of an expired key": { cookie: expiredCookie },
      "a session of a revoked key": { cookie: revokedCookie },
      "an unknown key": bearer("an-unknown-api-key-0001"),
      "a revoked key beside a good session": { ...bearer(revoked.key), cookie },
      "another scheme": { authorization: "Basic YWRhOmFkYQ==" },
    },
  };
}
const asAdmin = bearer(keys.admin);

test.each([
  ["far away", farAway],
  ["on the local network", { ...farAway, local_net: "127.0.0.0/8" }],
])("roles: a credential that is spent or wrong opens nothing to a client %s", async (_, auth) => {
  const clock = { passMs: 0 };
  const now = () => new Date(Date.now() + clock.passMs);
  await using there = await startGateway({ config: { auth }, now });
  const { good, bad } = await spent(there, clock);
  for (const { method, path, endpoint } of places) {
    const said = Object.entries(bad).map(async ([name, it]) => [name, await gate(there.origin, method, path, it)]);
    const wanted = endpoint.role === "anyone" ? "allowed" : 401;
    expect([path, ...(await Promise.all(said))]).toEqual([path, ...Object.keys(bad).map((name) => [name, wanted])]);
    expect([path, await gate(there.origin, method, path, good)]).toEqual([path, "allowed"]);
  }
});

test("roles: a neighbour on the local network reads everything and changes nothing", async () => {
  await using near = await startGateway({ config: { auth: { ...farAway, local_net: "127.0.0.0/8" } } });
  for (const { method, path } of places) {
    const open = mayByTable(method, path).includes("anyone");
    expect([method, path, await gate(near.origin, method, path)]).toEqual([
      method,
      path,
      open || method === "GET" ? "allowed" : 401,
    ]);
    expect(await gate(near.origin, "HEAD", path)).toBe("allowed");
    expect(await gate(near.origin, "OPTIONS", path)).toBe("allowed");
    expect([path, await gate(near.origin, method, path, bearer(keys.admin))]).toEqual([path, "allowed"]);
  }
});

test("roles: a request that a proxy passed on is not local, whatever its address", async () => {
  await using near = await startGateway({ config: { auth: { ...farAway, local_net: "127.0.0.0/8" } } });
  const proxied = ["forwarded", "x-forwarded-for", "X-Forwarded-Host", "x-forwarded-proto", "x-real-ip", "via"];
  for (const { method, path, endpoint } of places) {
    const forged = proxied.map((name) => gate(near.origin, method, path, { [name]: "127.0.0.1" }));
    const wanted = endpoint.role === "anyone" ? "allowed" : 401;
    expect([path, ...(await Promise.all(forged))]).toEqual([path, ...proxied.map(() => wanted)]);
    const withKey = await gate(near.origin, method, path, { via: "1.1 proxy", ...asAdmin });
    expect([path, withKey]).toEqual([path, "allowed"]);
  }
  expect(await gate(near.origin, "GET", "/devices")).toBe("allowed");
});

test("roles: where a client claims to be counts for nothing", async () => {
  const forged = { "x-forwarded-for": "10.99.0.1", forwarded: "for=10.99.0.1", "x-real-ip": "10.99.0.1" };
  expect(await gate(gateway.origin, "GET", "/devices", forged)).toBe(401);
});

test("roles: without authentication every request has the role admin", async () => {
  await using open = await startGateway({ config: { auth: { enabled: false, local_net: "10.99.0.0/16" } } });
  for (const { method, path } of places)
    expect([method, path, await gate(open.origin, method, path)]).toEqual([method, path, "allowed"]);
});
