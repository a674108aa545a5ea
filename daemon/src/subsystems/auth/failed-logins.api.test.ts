import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { openEventStream } from "../../../../testing/event-stream.ts";

const ada = { username: "ada", password: "correct horse battery" };
const typedInTheWrongField = "correct-horse-battery";
const failures = async (gateway: TestGateway) =>
  (await gateway.client.audit.list({ query: { action: "login_failed", limit: 1000 } })).items;

test("failed logins: a failed login is in the audit log and an event, with the address and without what was typed", async () => {
  await using gateway = await startGateway();
  await using listener = await openEventStream(gateway.origin);
  await gateway.request("POST", "/auth/setup", { body: { ...ada, code: "0000-0000-0000" } });
  await gateway.client.auth.setup({ body: { ...ada, code: gateway.setupCode() } });
  await gateway.request("POST", "/auth/login", { body: { ...ada, password: "a wrong password" } });
  await gateway.request("POST", "/auth/login", { body: { ...ada, username: typedInTheWrongField } });
  await gateway.request("POST", "/auth/key-login", { body: { key: "an-unknown-api-key-0001" } });
  const change = { current_password: "a wrong password", new_password: "another password" };
  await gateway.request("POST", "/auth/change-password", { body: change });
  expect((await gateway.request("POST", "/auth/login", { body: ada })).status).toBe(200);

  const entries = await failures(gateway);
  const address = "127.0.0.1";
  const wanted = [
    { method: "setup_code", username: null, address, omitted: 0 },
    { method: "password", username: "ada", address, omitted: 0 },
    { method: "password", username: null, address, omitted: 0 },
    { method: "key", username: null, address, omitted: 0 },
    { method: "password", username: "ada", address, omitted: 0 },
  ];
  expect(entries.map(({ details }) => details).toReversed()).toEqual(wanted);
  expect(entries.map(({ actor, resource_type }) => `${actor} ${resource_type}`)).toEqual(
    Array(5).fill("anonymous session"),
  );
  for (const data of wanted)
    expect((await listener.next(({ event }) => event === "auth.login_failed")).data.data).toEqual(data);
  const everything = JSON.stringify(entries) + gateway.logged.join("");
  for (const secret of [typedInTheWrongField, "a wrong password", "an-unknown-api-key-0001"])
    expect(everything).not.toContain(secret);
});

test("failed logins: a flood of failed logins does not push everything else out of the audit log", async () => {
  let now = Date.parse("2026-03-01T08:00:00Z");
  await using gateway = await startGateway({ now: () => new Date(now) });
  const fail = () => gateway.request("POST", "/auth/key-login", { body: { key: "an-unknown-api-key-0001" } });
  for (let turn = 0; turn < 75; turn += 1) expect((await fail()).status).toBe(401);
  expect(await failures(gateway)).toHaveLength(60);
  now += 1000;
  await fail();
  expect((await failures(gateway))[0]!.details).toMatchObject({ omitted: 15 });
});
