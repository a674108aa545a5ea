import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { roles } from "@portcullis/contract/role";
import { describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const bootstrapKey = "the-key-of-the-file";
const auth = {
  enabled: true,
  local_net: "10.99.0.0/16",
  api_keys: [bootstrapKey, { key: "the-key-of-a-dashboard", role: "viewer", name: "dashboard" }],
};
const startGuarded = (now?: () => Date) => startGateway({ config: { auth }, ...(now && { now }) });

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const admin = { headers: bearer(bootstrapKey) };

async function create(gateway: TestGateway, body: object): Promise<{ id: string; key: string; role: string }> {
  const answer = await gateway.request("POST", "/auth/keys", { body, ...admin });
  expect([answer.status, answer.headers.get("location")]).toEqual([201, `/api/v1/auth/keys/${answer.json().id}`]);
  return answer.json();
}
const statusOf = async (gateway: TestGateway, key: string, path = "/status") =>
  (await gateway.request("GET", path, { headers: bearer(key) })).status;

test("API keys: a key works from the moment it is shown until it is revoked", async () => {
  await using gateway = await startGuarded();
  const { id, key } = await create(gateway, { name: "script", role: "viewer" });
  expect(key).toMatch(/^pk_[\w-]{43}$/);
  expect([await statusOf(gateway, key), await statusOf(gateway, `${key}x`)]).toEqual([200, 401]);
  const revoked = await gateway.request("DELETE", `/auth/keys/${id}`, admin);
  expect([revoked.status, revoked.json()]).toEqual([200, { id, deleted: true }]);
  expect(await statusOf(gateway, key)).toBe(401);
  expect((await gateway.request("DELETE", `/auth/keys/${id}`, admin)).status).toBe(404);
});

test("API keys: a key is shown once and not stored", async () => {
  await using gateway = await startGuarded();
  const { id, key } = await create(gateway, { name: "script", role: "viewer" });
  const shown = [
    await gateway.request("GET", "/auth/keys", admin),
    await gateway.request("GET", "/audit", admin),
    await gateway.request("GET", "/settings", admin),
    await gateway.request("GET", "/snapshots/1", admin),
  ].map(({ text }) => text);
  const files = readdirSync(gateway.stateFolder).map((name) => readFileSync(join(gateway.stateFolder, name), "latin1"));
  for (const secret of [key, key.slice(3), bootstrapKey, "the-key-of-a-dashboard"])
    for (const text of [...shown, ...files, ...gateway.logged]) expect(text).not.toContain(secret);
  // The id is there, in an answer as on disk: this looked in the right places.
  expect(shown.some((text) => text.includes(id))).toBe(true);
  expect(files.some((text) => text.includes(id))).toBe(true);
});

test("API keys: a key ends when it says", async () => {
  let now = new Date("2026-03-01T08:00:00Z");
  await using gateway = await startGuarded(() => now);
  const { key } = await create(gateway, { name: "guest", role: "viewer", expires_at: "2026-03-01T10:00:00+01:00" });
  const { key: endless } = await create(gateway, { name: "resident", role: "viewer", expires_at: null });
  now = new Date("2026-03-01T08:59:59.999Z");
  expect([await statusOf(gateway, key), await statusOf(gateway, endless)]).toEqual([200, 200]);
  now = new Date("2026-03-01T09:00:00Z");
  expect([await statusOf(gateway, key), await statusOf(gateway, endless)]).toEqual([401, 200]);
});

test.each(["tomorrow", "2026-03-01", "2026-02-30T00:00:00Z", "2026-12-31T23:59:60Z", 5])(
  "API keys: %j is no time for a key to end",
  async (expires_at) => {
    await using gateway = await startGuarded();
    const { status } = await gateway.request("POST", "/auth/keys", {
      body: { name: "guest", role: "viewer", expires_at },
      ...admin,
    });
    expect(status).toBe(400);
    expect((await gateway.request("GET", "/auth/keys", admin)).json()).toHaveLength(2);
  },
);

describe("API keys: keys of the bootstrap file", () => {
  test("are listed with name and role, and without a role they are an admin's", async () => {
    await using gateway = await startGuarded();
    const answer = await gateway.request("GET", "/auth/keys", admin);
    expect(answer.json()).toMatchObject([
      { name: "bootstrap-1", role: "admin", source: "bootstrap", expires_at: null },
      { name: "dashboard", role: "viewer", source: "bootstrap", expires_at: null },
    ]);
  });

  test("are not deleted here, and keep their ids across restarts", async () => {
    await using gateway = await startGuarded();
    const ids = async (it: TestGateway): Promise<string[]> =>
      (await it.request("GET", "/auth/keys", admin)).json().map(({ id }: { id: string }) => id);
    const [, dashboard] = await ids(gateway);
    const refused = await gateway.request("DELETE", `/auth/keys/${dashboard}`, admin);
    expect([refused.status, refused.json().error.code]).toEqual([409, "conflict"]);
    expect(await statusOf(gateway, "the-key-of-a-dashboard")).toBe(200);
    const before = await ids(gateway);
    await using again = await gateway.restart();
    expect(await ids(again)).toEqual(before);
  });
});

test("API keys: keys outlive a restart, and revoked ones stay dead", async () => {
  await using gateway = await startGuarded();
  const kept = await create(gateway, { name: "kept", role: "viewer" });
  const gone = await create(gateway, { name: "gone", role: "viewer" });
  await gateway.request("DELETE", `/auth/keys/${gone.id}`, admin);
  await using again = await gateway.restart();
  expect([await statusOf(again, kept.key), await statusOf(again, gone.key)]).toEqual([200, 401]);
});

test("API keys: two keys cannot share a name, also not with one of the file", async () => {
  await using gateway = await startGuarded();
  await create(gateway, { name: "script", role: "viewer" });
  for (const name of ["script", "dashboard"]) {
    const answer = await gateway.request("POST", "/auth/keys", { body: { name, role: "viewer" }, ...admin });
    expect([answer.status, answer.json().error.code]).toEqual([409, "conflict"]);
  }
  await create(gateway, { name: "another script", role: "viewer" });
});

test.each(roles)("API keys: a key of role %s says so, and acts under its name", async (role) => {
  await using gateway = await startGuarded();
  const { key } = await create(gateway, { name: `the ${role}`, role });
  const answer = await gateway.request("GET", "/auth/status", { headers: bearer(key) });
  expect(answer.json()).toMatchObject({ authenticated: true, role, actor: `key:the ${role}`, local_bypass: false });
  const { status } = await gateway.request("POST", "/devices", { body: { name: "TV" }, headers: bearer(key) });
  expect(status).toBe(role === "admin" || role === "operator" ? 201 : 403);
  const audit = await gateway.request("GET", "/audit?action=create_device", admin);
  expect(audit.json().map(({ actor }: { actor: string }) => actor)).toEqual(status === 201 ? [`key:the ${role}`] : []);
});

test.each<[string, boolean]>([
  [`Bearer ${bootstrapKey}`, true],
  [`bearer ${bootstrapKey}`, true],
  [`BEARER  ${bootstrapKey}`, true],
  [bootstrapKey, false],
  [`Basic ${bootstrapKey}`, false],
  [`Bearer${bootstrapKey}`, false],
  [`Bearer ${bootstrapKey} ${bootstrapKey}`, false],
  [`Bearer ${bootstrapKey.toUpperCase()}`, false],
  ["Bearer", false],
  ["", false],
])("API keys: the header %j is let in: %s", async (authorization, admitted) => {
  await using gateway = await startGuarded();
  const { status, headers } = await gateway.request("GET", "/status", { headers: { authorization } });
  expect([status, headers.get("www-authenticate")]).toEqual(
    admitted ? [200, null] : [401, 'Bearer realm="portcullis"'],
  );
});
