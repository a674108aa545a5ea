import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const ada = { username: "ada", password: "correct horse battery" };
const far = { local_net: "10.99.0.0/16" };
const setup = (gateway: TestGateway, body: object, headers: Record<string, string> = {}) =>
  gateway.request("POST", "/auth/setup", { body, headers });
const isOpen = async (gateway: TestGateway): Promise<boolean> =>
  (await gateway.request("GET", "/auth/status")).json().setup_open;
const codeFile = ({ stateFolder }: TestGateway): string => join(stateFolder, "setup-code");

test.each([true, false])("setup needs the code from the state folder (authentication on: %s)", async (enabled) => {
  await using gateway = await startGateway({ config: { auth: { enabled, ...far } } });
  expect(statSync(codeFile(gateway)).mode & 0o777).toBe(0o600);
  expect(await isOpen(gateway)).toBe(true);
  const without = await setup(gateway, ada);
  const wrong = await setup(gateway, { ...ada, code: "0000-0000-0000" });
  expect([without.status, wrong.status, await isOpen(gateway)]).toEqual([403, 403, true]);
  expect([without.headers.get("set-cookie"), wrong.headers.get("set-cookie")]).toEqual([null, null]);

  const code = gateway.setupCode();
  expect((await setup(gateway, { ...ada, code })).status).toBe(201);
  expect([existsSync(codeFile(gateway)), await isOpen(gateway)]).toEqual([false, false]);
  const again = await setup(gateway, { username: "eve", password: "another password", code });
  expect([again.status, again.json().error.code]).toEqual([409, "already_configured"]);
  expect(gateway.logged.join("")).not.toContain(code);
});

test("setup: the code outlasts a restart and is gone after the first account", async () => {
  await using gateway = await startGateway({ config: { auth: { enabled: true, ...far } } });
  const code = gateway.setupCode();
  await using again = await gateway.restart();
  expect(again.setupCode()).toBe(code);
  expect((await setup(again, { ...ada, code: code.toLowerCase() })).status).toBe(201);
  await using third = await again.restart();
  expect(existsSync(codeFile(third))).toBe(false);
});

test("setup: wrong codes are slowed down from whatever address, and the right one waits with them", async () => {
  let now = Date.parse("2026-03-01T08:00:00Z");
  await using gateway = await startGateway({
    config: { auth: { enabled: true, ...far }, limits: { logins_per_minute: 30 } },
    now: () => new Date(now),
  });
  const code = gateway.setupCode();
  for (let turn = 0; turn < 29; turn += 1) await setup(gateway, { ...ada, code: "0000-0000-0000" });
  // The gateway's clock moves and that of the limit per address does not: what follows is the limit of the code.
  now += 1000;
  expect((await setup(gateway, { ...ada, code: "0000-0000-0000" })).status).toBe(403);
  const refused = await setup(gateway, { ...ada, code });
  expect([refused.status, refused.json().error.code]).toEqual([429, "rate_limited"]);
});

test("setup: an admin key in the bootstrap file voids the code, and creates the account without it", async () => {
  const api_keys = ["the-key-of-an-admin", { key: "the-key-of-an-operator", role: "operator", name: "ops" }];
  await using gateway = await startGateway({ config: { auth: { enabled: true, ...far, api_keys } } });
  expect([existsSync(codeFile(gateway)), await isOpen(gateway)]).toEqual([false, false]);
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const replies = [
    await setup(gateway, { ...ada, code: "0000-0000-0000" }),
    await setup(gateway, ada),
    await setup(gateway, ada, bearer("the-key-of-an-operator")),
    await setup(gateway, ada, bearer("an-unknown-api-key-0001")),
  ];
  expect(replies.map(({ status }) => status)).toEqual([409, 409, 409, 409]);
  expect((await setup(gateway, ada, bearer("the-key-of-an-admin"))).status).toBe(201);
  expect((await setup(gateway, ada, bearer("the-key-of-an-admin"))).status).toBe(409);
});

test("setup: a key of a lesser role voids nothing", async () => {
  const api_keys = [{ key: "the-key-of-an-operator", role: "operator", name: "ops" }];
  await using gateway = await startGateway({ config: { auth: { enabled: true, ...far, api_keys } } });
  expect((await setup(gateway, { ...ada, code: gateway.setupCode() })).status).toBe(201);
});

test("setup: an admin key that is made voids the code at once, and its end does not bring it back", async () => {
  await using gateway = await startGateway({ config: { auth: { enabled: false, ...far } } });
  const code = gateway.setupCode();
  const { id } = await gateway.client.auth.createKey({ body: { name: "robot", role: "admin" } });
  expect([existsSync(codeFile(gateway)), (await setup(gateway, { ...ada, code })).status]).toEqual([false, 409]);
  await gateway.client.auth.removeKey({ params: { id } });
  expect((await setup(gateway, { ...ada, code })).status).toBe(409);
  // Only a start prints a code, for root to read.
  await using again = await gateway.restart();
  expect(again.setupCode()).not.toBe(code);
});

test("setup: a key that has expired before it is made is refused", async () => {
  await using gateway = await startGateway({ now: () => new Date("2026-03-01T08:00:00Z") });
  const create = (expires_at: string) =>
    gateway.request("POST", "/auth/keys", { body: { name: `until ${expires_at}`, role: "viewer", expires_at } });
  for (const past of ["2020-01-01T00:00:00Z", "2026-03-01T08:00:00Z", "2026-03-01T08:30:00+01:00"]) {
    const answer = await create(past);
    expect([past, answer.status, answer.json().error.details]).toEqual([
      past,
      400,
      { fields: [{ field: "body.expires_at", problem: "is in the past" }] },
    ]);
  }
  expect((await create("2026-03-01T08:00:01Z")).status).toBe(201);
});

test("setup: of several setups with the right code at the same moment one makes the account", async () => {
  await using gateway = await startGateway({ config: { auth: { enabled: true, ...far } } });
  const code = gateway.setupCode();
  const names = ["ada", "bob", "eve"];
  const replies = await Promise.all(names.map((username) => setup(gateway, { ...ada, username, code })));
  expect(replies.map(({ status }) => String(status)).toSorted()).toEqual(["201", "409", "409"]);
});

test("setup: the observer says that the account is unclaimed, until it is not", async () => {
  await using gateway = await startGateway({ config: { auth: { enabled: true, local_net: "127.0.0.0/8" } } });
  const access = async () => {
    const { status, components } = (await gateway.request("GET", "/observer")).json();
    return [status, components.find(({ name }: { name: string }) => name === "access").status];
  };
  expect(await access()).toEqual(["degraded", "degraded"]);
  expect((await setup(gateway, { ...ada, code: gateway.setupCode() })).status).toBe(201);
  expect(await access()).toEqual(["ok", "ok"]);
});
