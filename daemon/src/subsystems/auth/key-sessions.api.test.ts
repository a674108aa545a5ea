import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { roles } from "@portcullis/contract/role";
import { describe, expect, test } from "vitest";
import { type Reply, startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const adminKey = "the-key-of-an-admin";
const viewerKey = "the-key-of-a-dashboard";
const robotKey = "the-key-of-a-robot";
const dashboard = { key: viewerKey, role: "viewer", name: "dashboard" };
const guarded = (...more: object[]) => ({
  auth: { enabled: true, local_net: "10.99.0.0/16", api_keys: [adminKey, ...more] },
});
const startGuarded = (now?: () => Date) => startGateway({ config: guarded(dashboard), ...(now && { now }) });

const admin = { headers: { authorization: `Bearer ${adminKey}` } };
const cookieOf = ({ headers }: Reply): string => headers.get("set-cookie")!.split(";", 1)[0]!;
const keyLogin = (gateway: TestGateway, key: unknown, headers: Record<string, string> = {}) =>
  gateway.request("POST", "/auth/key-login", { body: { key }, headers });
const create = async (gateway: TestGateway, body: object): Promise<{ id: string; key: string }> =>
  (await gateway.request("POST", "/auth/keys", { body, ...admin })).json();
const statusOf = async (gateway: TestGateway, cookie: string, path = "/devices") =>
  (await gateway.request("GET", path, { headers: { cookie } })).status;
const whoIs = async (gateway: TestGateway, cookie: string) =>
  (await gateway.request("GET", "/auth/status", { headers: { cookie } })).json();
const sessions = async (gateway: TestGateway): Promise<{ id: string; username: string; role: string }[]> =>
  (await gateway.request("GET", "/auth/tokens", admin)).json();

test.each(roles)(
  "key login: a browser with a key of role %s is what the key is, and acts under its name",
  async (role) => {
    await using gateway = await startGuarded();
    const { id: keyId, key } = await create(gateway, { name: `the ${role}`, role });
    const answer = await keyLogin(gateway, key);
    const signedIn = { username: `the ${role}`, role, expires_at: expect.any(String) };
    expect([answer.status, answer.json()]).toEqual([200, signedIn]);
    const cookie = cookieOf(answer);
    expect(await whoIs(gateway, cookie)).toEqual({
      enabled: true,
      configured: false,
      setup_open: false,
      authenticated: true,
      via: "session",
      role,
      actor: `key:the ${role}`,
      expires_at: answer.json().expires_at,
      local_bypass: false,
    });
    const made = await gateway.request("POST", "/devices", { body: { name: "TV" }, headers: { cookie } });
    expect(made.status).toBe(role === "admin" || role === "operator" ? 201 : 403);
    expect(await statusOf(gateway, cookie, "/secrets")).toBe(role === "admin" ? 200 : 403);
    expect(await sessions(gateway)).toMatchObject([{ username: `the ${role}`, role, key_id: keyId, current: false }]);
    const audit = await gateway.request("GET", "/audit?resource_type=session", admin);
    expect(audit.json()).toMatchObject([
      {
        action: "create_session",
        actor: `key:the ${role}`,
        details: { username: `the ${role}`, address: "127.0.0.1" },
      },
    ]);
  },
);

test("the cookie is like the one of a password: no script and no other site can use it", async () => {
  await using gateway = await startGuarded();
  const [pair, ...flags] = (await keyLogin(gateway, viewerKey)).headers.get("set-cookie")!.split("; ");
  expect(pair).toMatch(/^gateway_session=[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(flags.toSorted()).toEqual(["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Strict"]);
});

test.each([`${viewerKey}x`, viewerKey.toUpperCase(), ` ${viewerKey}`, "x"])(
  "key login: %j is not a valid key",
  async (wrong) => {
    await using gateway = await startGuarded();
    const refused = await keyLogin(gateway, wrong);
    expect([refused.status, refused.json().error.code, refused.headers.get("set-cookie")]).toEqual([
      401,
      "unauthorized",
      null,
    ]);
    expect(await sessions(gateway)).toEqual([]);
    expect((await keyLogin(gateway, viewerKey)).status).toBe(200);
  },
);

test.each<[string, unknown]>([
  ["nothing", ""],
  ["what is too long", "x".repeat(1025)],
  ["a number", 5],
  ["null", null],
  ["a list of keys", [viewerKey]],
])("key login: %s is not even a key", async (_, wrong) => {
  await using gateway = await startGuarded();
  expect((await keyLogin(gateway, wrong)).status).toBe(400);
});

test("key login: keys that are expired or revoked say no in the same words as one that never was", async () => {
  let now = new Date("2026-03-01T08:00:00Z");
  await using gateway = await startGuarded(() => now);
  const guest = await create(gateway, { name: "guest", role: "viewer", expires_at: "2026-03-01T09:00:00Z" });
  const gone = await create(gateway, { name: "gone", role: "viewer" });
  expect([(await keyLogin(gateway, guest.key)).status, (await keyLogin(gateway, gone.key)).status]).toEqual([200, 200]);
  now = new Date("2026-03-01T09:00:00Z");
  await gateway.request("DELETE", `/auth/keys/${gone.id}`, admin);
  const never = await keyLogin(gateway, "never-was-a-key");
  for (const key of [guest.key, gone.key]) {
    const { status, text, headers } = await keyLogin(gateway, key);
    expect([status, text, headers.get("set-cookie")]).toEqual([401, never.text, null]);
  }
});

test("key login: the key is not stored", async () => {
  await using gateway = await startGuarded();
  const { id, key } = await create(gateway, { name: "script", role: "viewer" });
  const cookie = cookieOf(await keyLogin(gateway, key));
  await keyLogin(gateway, `${key}-wrong`);
  const shown = [
    await gateway.request("GET", "/auth/tokens", admin),
    await gateway.request("GET", "/audit", admin),
    await gateway.request("GET", "/auth/status", { headers: { cookie } }),
  ].map(({ text }) => text);
  const files = readdirSync(gateway.stateFolder).map((name) => readFileSync(join(gateway.stateFolder, name), "latin1"));
  for (const text of [
    ...shown,
    ...files,
    ...gateway.logged,
    Buffer.from(cookie.split(".")[1]!, "base64url").toString(),
  ])
    for (const secret of [key, cookie.split("=")[1]!]) expect(text).not.toContain(secret);
  expect(shown.some((text) => text.includes(id))).toBe(true);
  expect(files.some((text) => text.includes(id))).toBe(true);
});

describe("key login: a session does not outlive its key", () => {
  test("which expires before twelve hours have passed", async () => {
    let now = new Date("2026-03-01T08:00:00.250Z");
    await using gateway = await startGuarded(() => now);
    const { key } = await create(gateway, { name: "guest", role: "viewer", expires_at: "2026-03-01T09:00:00.500Z" });
    const [guest, endless] = [await keyLogin(gateway, key), await keyLogin(gateway, viewerKey)];
    expect(guest.json().expires_at).toBe("2026-03-01T09:00:00.500Z");
    expect(guest.headers.get("set-cookie")).toContain("; Max-Age=3601");
    expect(endless.json().expires_at).toBe("2026-03-01T20:00:00.000Z");
    now = new Date("2026-03-01T09:00:00.499Z");
    expect(await statusOf(gateway, cookieOf(guest))).toBe(200);
    now = new Date("2026-03-01T09:00:00.500Z");
    expect(await statusOf(gateway, cookieOf(guest))).toBe(401);
    expect(await statusOf(gateway, cookieOf(endless))).toBe(200);
    expect((await sessions(gateway)).map(({ username }) => username)).toEqual(["dashboard"]);
  });

  test("nor twelve hours, however long the key lasts", async () => {
    let now = new Date("2026-03-01T08:00:00Z");
    await using gateway = await startGuarded(() => now);
    const { key } = await create(gateway, { name: "resident", role: "viewer", expires_at: "2027-01-01T00:00:00Z" });
    const cookie = cookieOf(await keyLogin(gateway, key));
    now = new Date("2026-03-01T19:59:59Z");
    expect(await statusOf(gateway, cookie)).toBe(200);
    now = new Date("2026-03-01T20:00:00Z");
    expect(await statusOf(gateway, cookie)).toBe(401);
    expect((await keyLogin(gateway, key)).status).toBe(200);
  });

  test("which is revoked, at once and for good; sessions of other keys go on", async () => {
    await using gateway = await startGuarded();
    const { id, key } = await create(gateway, { name: "script", role: "operator" });
    const [one, two, other] = [
      cookieOf(await keyLogin(gateway, key)),
      cookieOf(await keyLogin(gateway, key)),
      cookieOf(await keyLogin(gateway, viewerKey)),
    ];
    const open = async (it: TestGateway) => [
      await statusOf(it, one),
      await statusOf(it, two),
      await statusOf(it, other),
    ];
    expect(await open(gateway)).toEqual([200, 200, 200]);
    await gateway.request("DELETE", `/auth/keys/${id}`, admin);
    expect(await open(gateway)).toEqual([401, 401, 200]);
    expect((await sessions(gateway)).map(({ username }) => username)).toEqual(["dashboard"]);
    const audit = await gateway.request("GET", "/audit?action=delete_api_key", admin);
    expect(audit.json()).toMatchObject([{ resource_id: id, details: { sessions_ended: 2 } }]);
    // A key of the same name and role is another key.
    await create(gateway, { name: "script", role: "operator" });
    expect(await open(gateway)).toEqual([401, 401, 200]);
    await using again = await gateway.restart();
    expect(await open(again)).toEqual([401, 401, 200]);
  });

  test("which has left the bootstrap file, also when it comes back", async () => {
    await using gateway = await startGateway({ config: guarded(dashboard, { key: robotKey, name: "robot" }) });
    const [viewer, robot] = [cookieOf(await keyLogin(gateway, viewerKey)), cookieOf(await keyLogin(gateway, robotKey))];
    await using without = await gateway.restart(undefined, guarded({ key: robotKey, name: "robot" }));
    expect([await statusOf(without, viewer), await statusOf(without, robot)]).toEqual([401, 200]);
    const audit = await without.request("GET", "/audit?action=end_session", admin);
    expect(audit.json()).toMatchObject([{ actor: "system", details: { username: "dashboard" } }]);
    await using back = await without.restart(undefined, guarded(dashboard));
    expect([await statusOf(back, viewer), await statusOf(back, robot)]).toEqual([401, 401]);
    expect((await keyLogin(back, viewerKey)).status).toBe(200);
  });

  test("which was exchanged in the bootstrap file for another of its name", async () => {
    await using gateway = await startGuarded();
    const cookie = cookieOf(await keyLogin(gateway, viewerKey));
    await using again = await gateway.restart(undefined, guarded({ ...dashboard, key: "the-next-key-of-a-dashboard" }));
    expect(await statusOf(again, cookie)).toBe(401);
    expect(await statusOf(again, cookieOf(await keyLogin(again, "the-next-key-of-a-dashboard")))).toBe(200);
  });
});

test("key login: a key that gets another role or name in the file takes its sessions along", async () => {
  const operator = { ...dashboard, role: "operator", name: "wall" };
  await using gateway = await startGateway({ config: guarded(operator) });
  const cookie = cookieOf(await keyLogin(gateway, viewerKey));
  const createDevice = (it: TestGateway) =>
    it.request("POST", "/devices", { body: { name: "TV" }, headers: { cookie } });
  expect((await createDevice(gateway)).status).toBe(201);
  await using demoted = await gateway.restart(undefined, guarded(dashboard));
  expect((await createDevice(demoted)).status).toBe(403);
  expect(await whoIs(demoted, cookie)).toMatchObject({ role: "viewer", actor: "key:dashboard" });
  expect(await sessions(demoted)).toMatchObject([{ username: "dashboard", role: "viewer" }]);
});

test("key login: a session outlives a restart, as its key does", async () => {
  await using gateway = await startGuarded();
  const { key } = await create(gateway, { name: "script", role: "operator" });
  const cookies = [cookieOf(await keyLogin(gateway, key)), cookieOf(await keyLogin(gateway, viewerKey))];
  await using again = await gateway.restart();
  expect(await whoIs(again, cookies[0]!)).toMatchObject({ role: "operator", actor: "key:script" });
  expect(await whoIs(again, cookies[1]!)).toMatchObject({ role: "viewer", actor: "key:dashboard" });
});

describe("key login: the session a browser came with", () => {
  test("is never reused, and ends with a login as another user", async () => {
    await using gateway = await startGuarded();
    const planted = cookieOf(await keyLogin(gateway, viewerKey));
    const answer = await keyLogin(gateway, adminKey, { cookie: planted });
    expect(cookieOf(answer)).not.toBe(planted);
    expect([await statusOf(gateway, planted), await statusOf(gateway, cookieOf(answer))]).toEqual([401, 200]);
    expect((await sessions(gateway)).map(({ username }) => username)).toEqual(["bootstrap-1"]);
  });

  test("goes on when the key shown is wrong", async () => {
    await using gateway = await startGuarded();
    const cookie = cookieOf(await keyLogin(gateway, viewerKey));
    expect((await keyLogin(gateway, "a-wrong-key", { cookie })).status).toBe(401);
    expect(await statusOf(gateway, cookie)).toBe(200);
  });

  test("is not adopted if we never made it", async () => {
    await using gateway = await startGuarded();
    const invented = "gateway_session=invented.by.attacker";
    const answer = await keyLogin(gateway, viewerKey, { cookie: invented });
    expect([await statusOf(gateway, invented), await statusOf(gateway, cookieOf(answer))]).toEqual([401, 200]);
  });
});

test("key login: a foreign page cannot sign a browser in or out", async () => {
  await using gateway = await startGuarded();
  const foreign = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
  const refused = await keyLogin(gateway, viewerKey, foreign);
  expect([refused.status, refused.headers.get("set-cookie")]).toEqual([403, null]);
  const cookie = cookieOf(await keyLogin(gateway, viewerKey, { origin: gateway.origin }));
  const out = await gateway.request("POST", "/auth/logout", { headers: { cookie, ...foreign } });
  expect([out.status, out.headers.get("set-cookie"), await statusOf(gateway, cookie)]).toEqual([403, null, 200]);
});

describe("key login: on the local network", () => {
  const near = { auth: { ...guarded(dashboard).auth, local_net: "127.0.0.0/8" } };

  test("who has signed in is who they are, not a neighbour who reads everything", async () => {
    await using gateway = await startGateway({ config: near });
    expect((await gateway.request("GET", "/secrets")).status).toBe(200);
    expect((await gateway.request("GET", "/auth/status")).json()).toMatchObject({
      authenticated: false,
      via: "local",
      role: "admin",
      actor: "local",
      expires_at: null,
      local_bypass: true,
    });
    const cookie = cookieOf(await keyLogin(gateway, viewerKey));
    expect([await statusOf(gateway, cookie), await statusOf(gateway, cookie, "/secrets")]).toEqual([200, 403]);
    expect(await whoIs(gateway, cookie)).toMatchObject({ via: "session", role: "viewer", local_bypass: false });
  });

  test("who has signed out is a neighbour again, who changes nothing", async () => {
    await using gateway = await startGateway({ config: near });
    const cookie = cookieOf(await keyLogin(gateway, adminKey));
    const headers = { cookie };
    const createDevice = () => gateway.request("POST", "/devices", { body: { name: "TV" }, headers });
    expect((await createDevice()).status).toBe(201);
    expect((await gateway.request("POST", "/auth/logout", { headers })).json()).toEqual({ ended: true });
    expect((await createDevice()).status).toBe(401);
    // The browser has dropped the cookie; who still sends it shows a credential that is spent.
    expect(await whoIs(gateway, cookie)).toMatchObject({ via: null, local_bypass: false });
    expect(await whoIs(gateway, "")).toMatchObject({ via: "local", local_bypass: true, expires_at: null });
  });
});

test("key login: a key in the header says who a request is, whatever the cookie says", async () => {
  await using gateway = await startGuarded();
  const cookie = cookieOf(await keyLogin(gateway, viewerKey));
  const both = await gateway.request("GET", "/auth/status", { headers: { cookie, ...admin.headers } });
  expect(both.json()).toMatchObject({ via: "key", role: "admin", actor: "key:bootstrap-1", expires_at: null });
  expect(await whoIs(gateway, cookie)).toMatchObject({ via: "session", role: "viewer" });
});

test("key login: where authentication is off, a browser that has signed in is held to its role", async () => {
  const open = { auth: { enabled: false, api_keys: [dashboard] } };
  await using gateway = await startGateway({ config: open });
  expect((await gateway.request("GET", "/auth/status")).json()).toMatchObject({
    enabled: false,
    authenticated: false,
    via: "open",
    role: "admin",
    expires_at: null,
  });
  const cookie = cookieOf(await keyLogin(gateway, viewerKey));
  expect([await statusOf(gateway, cookie), await statusOf(gateway, cookie, "/secrets")]).toEqual([200, 403]);
});

test("key login: keys are guessed as slowly as passwords, and with them", async () => {
  await using gateway = await startGateway({
    config: { ...guarded(dashboard), limits: { logins_per_minute: 3 } },
  });
  const guesses = [];
  for (const guess of ["one", "two", "three", viewerKey]) guesses.push((await keyLogin(gateway, guess)).status);
  expect(guesses).toEqual([401, 401, 401, 429]);
  const body = { username: "ada", password: "a wrong password" };
  expect((await gateway.request("POST", "/auth/login", { body, ...admin })).status).toBe(429);
  expect((await gateway.request("GET", "/status", admin)).status).toBe(200);
  expect((await gateway.request("POST", "/auth/logout")).status).toBe(200);
});

test("key login: beyond the limit the oldest sessions of the same key end, and no others", async () => {
  let now = Date.parse("2026-03-01T08:00:00Z");
  await using gateway = await startGuarded(() => new Date((now += 1)));
  const body = { username: "ada", password: "correct horse battery" };
  const ada = cookieOf(await gateway.request("POST", "/auth/setup", { body, ...admin }));
  const robot = cookieOf(await keyLogin(gateway, adminKey));
  const cookies: string[] = [];
  for (let turn = 0; turn < 202; turn += 1) cookies.push(cookieOf(await keyLogin(gateway, viewerKey)));
  const open = [];
  for (const cookie of [cookies[0]!, cookies[1]!, cookies[2]!, cookies[201]!, ada, robot])
    open.push(await statusOf(gateway, cookie));
  expect(open).toEqual([401, 401, 200, 200, 200, 200]);
  expect(await sessions(gateway)).toHaveLength(202);
});
