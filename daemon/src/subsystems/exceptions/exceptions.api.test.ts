import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const mac = "02:00:00:00:00:01";
const device = async ({ client }: TestGateway, name = "TV") =>
  (await client.devices.create({ body: { name, mac: name === "TV" ? mac : null, ips: ["10.0.0.2"] } })).id;
const refused = async (call: Promise<unknown>) =>
  call.then(
    () => "accepted",
    (problem: { code: string }) => problem.code,
  );
const clocked = async () => {
  const clock = { now: Date.parse("2030-01-01T00:00:00Z") };
  return { clock, gateway: await startGateway({ now: () => new Date(clock.now) }) };
};

describe("exceptions: an exception", () => {
  test("names its device by id or name, lasts an hour, and says who made it and what follows from its type", async () => {
    const { gateway: started } = await clocked();
    await using gateway = started;
    const device_id = await device(gateway);
    const made = await gateway.client.exceptions.create({ body: { type: "temporary-direct", device_id: "TV" } });
    const { enforced, ...exception } = made;
    expect(enforced).toBe(false); // The dataplane is off.
    expect(exception).toMatchObject({
      type: "temporary-direct",
      device_id,
      allow_direct: true,
      duration_min: 60,
      reason: "",
      destinations: [],
      actor: expect.any(String) as string,
      created_at: "2030-01-01T00:00:00.000Z",
      expires_at: "2030-01-01T01:00:00.000Z",
      ended_at: null,
      active: true,
    });
    expect(await gateway.client.exceptions.get({ params: { id: made.id } })).toEqual(exception);
    expect(await gateway.client.exceptions.active()).toEqual([exception]);
  });

  test.each([
    [1, 1],
    [1440, 1440],
    [1441, 1440],
    [99_999, 1440],
  ])("of %i minutes lasts %i", async (duration_min, lasts) => {
    const { gateway: started } = await clocked();
    await using gateway = started;
    const device_id = await device(gateway);
    const made = await gateway.client.exceptions.create({ body: { type: "quarantine", device_id, duration_min } });
    expect([made.duration_min, Date.parse(made.expires_at) - Date.parse(made.created_at)]).toEqual([
      lasts,
      lasts * 60_000,
    ]);
    expect(made.allow_direct).toBe(false);
  });

  test.each([
    [{ type: "no-such" }, "body.type"],
    [{ device_id: "unknown" }, "body.device_id"],
    [{ device_id: "nameless" }, "body.device_id"],
    [{ duration_min: 0 }, "body.duration_min"],
    [{ duration_min: 1.5 }, "body.duration_min"],
    [{ allow_direct: false }, "body.allow_direct"],
    [{ type: "quarantine", allow_direct: true }, "body.allow_direct"],
    [{ destinations: ["203.0.113.9"] }, "body.destinations"],
    [{ type: "service-allowlist" }, "body.destinations"],
    [{ type: "captive-portal", destinations: [] }, "body.destinations"],
    [{ type: "captive-portal", destinations: ["portal.example"] }, "body.destinations"],
  ])("with %j is refused, and the field is named", async (over, field) => {
    await using gateway = await startGateway();
    await device(gateway);
    await gateway.client.devices.create({ body: { name: "nameless" } });
    const body = { type: "emergency-bypass", device_id: "TV", ...over };
    const answer = await gateway.request("POST", "/exceptions", { body });
    expect([answer.status, answer.json().error.details.fields[0].field]).toEqual([400, field]);
    expect(await gateway.client.exceptions.active()).toEqual([]);
  });

  test("for some destinations keeps each in its one spelling", async () => {
    await using gateway = await startGateway();
    const device_id = await device(gateway);
    const destinations = ["203.0.113.9/24", "2001:DB8::1", "203.0.113.0/24"];
    const made = await gateway.client.exceptions.create({
      body: { type: "service-allowlist", device_id, destinations },
    });
    expect(made.destinations).toEqual(["203.0.113.0/24", "2001:db8::1"]);
  });

  test.each(["path", "query", "body"])("is ended with its id in the %s, once, and stays listed", async (place) => {
    await using gateway = await startGateway();
    const device_id = await device(gateway);
    const { id } = await gateway.client.exceptions.create({ body: { type: "quarantine", device_id } });
    const end = () =>
      place === "path"
        ? gateway.request("DELETE", `/exceptions/${id}`)
        : gateway.request("DELETE", place === "query" ? `/exceptions?id=${id}` : "/exceptions", {
            ...(place === "body" && { body: { id } }),
          });
    expect((await end()).json()).toEqual({ id, deleted: true, enforced: false });
    expect((await end()).status).toBe(404);
    expect(await gateway.client.exceptions.active()).toEqual([]);
    const { items } = await gateway.client.exceptions.list();
    expect(items).toMatchObject([{ id, active: false, ended_at: expect.any(String) as string }]);
  });
});

test("exceptions are listed newest first, in pages, by type and by device", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const [tv, lamp] = [await device(gateway), await device(gateway, "Lamp")];
  const ids: string[] = [];
  for (const [device_id, type] of [
    [tv, "quarantine"],
    [lamp, "quarantine"],
    [tv, "emergency-bypass"],
  ] as const)
    ids.unshift((await client.exceptions.create({ body: { device_id, type } })).id);
  const first = await client.exceptions.list({ query: { limit: 2 } });
  expect([first.items.map(({ id }) => id), first.total]).toEqual([ids.slice(0, 2), 3]);
  const second = await client.exceptions.list({ query: { limit: 2, cursor: first.next! } });
  expect([second.items.map(({ id }) => id), second.next]).toEqual([ids.slice(2), undefined]);
  const found = async (query: object) => (await client.exceptions.list({ query })).items.map(({ id }) => id);
  expect(await found({ device_id: tv })).toEqual([ids[0], ids[2]]);
  expect(await found({ type: "quarantine", device_id: lamp })).toEqual([ids[1]]);
});

test("exceptions: an emergency needs no confirmation of anything else, and a rollback revives nothing that was ended", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const device_id = await device(gateway);
  const { id } = await client.exceptions.create({ body: { type: "emergency-bypass", device_id } });
  const { revision } = await client.status.status();
  await client.devices.update({ params: { id: device_id }, body: { notes: "later" } });
  await client.exceptions.remove({ params: { id } });
  await client.snapshots.rollback({ query: { confirm_within: 600 }, body: { snapshot: String(revision) } });
  expect(await refused(client.devices.create({ body: { name: "Lamp" } }))).toBe("change_pending");
  const during = await client.exceptions.create({ body: { type: "emergency-bypass", device_id } });
  expect((await client.exceptions.active()).map((it) => it.id)).toEqual([during.id]);
});

test("exceptions: start and end are audited and sent as events, also an end while the daemon was stopped", async () => {
  const { clock, gateway: first } = await clocked();
  await using before = first;
  const device_id = await device(before);
  const body = { type: "temporary-direct" as const, device_id, duration_min: 10, reason: "the bank" };
  const { id } = await before.client.exceptions.create({ body });
  clock.now += 600_000;
  expect(await before.client.exceptions.active()).toEqual([]); // Whether or not a timer has looked.
  await using gateway = await before.restart();
  expect(await gateway.client.exceptions.get({ params: { id } })).toMatchObject({
    active: false,
    ended_at: "2030-01-01T00:10:00.000Z",
  });
  const { items } = await gateway.client.audit.list({ query: { resource_type: "exception" } });
  expect(items.map(({ action, details }) => [action, details["reason"]])).toEqual([
    ["end_exception", "expired"],
    ["create_exception", "the bank"],
  ]);
});

test("exceptions: the evaluator reports an exception before policies, and a quarantined device without any", async () => {
  const { gateway: started } = await clocked();
  await using gateway = started;
  const { client } = gateway;
  const device_id = await device(gateway);
  await client.routing.create({ body: { name: "blocked", source_type: "device", source_value: "TV" } });
  await client.routing.apply();
  const ask = (destination = "198.51.100.1") => client.policyViews.evaluate({ body: { device_id, destination } });
  expect(await ask()).toMatchObject({ outcome: "block", exception_id: null });

  const destinations = ["203.0.113.0/24"];
  const portal = await client.exceptions.create({ body: { type: "captive-portal", device_id, destinations } });
  expect(await ask("203.0.113.7")).toMatchObject({ outcome: "direct", exception_id: portal.id, policy_id: null });
  expect(await ask()).toMatchObject({ outcome: "block", exception_id: null });

  const bypass = await client.exceptions.create({ body: { type: "temporary-direct", device_id } });
  expect(await ask()).toMatchObject({
    outcome: "direct",
    exception_id: bypass.id,
    reason: "An exception (temporary-direct) lets it out until 2030-01-01T01:00:00.000Z",
    trace: [],
  });
  const cut = await client.exceptions.create({ body: { type: "quarantine", device_id } });
  expect(await ask()).toMatchObject({ outcome: "block", exception_id: cut.id });
  await client.exceptions.remove({ params: { id: cut.id } });
  await client.devices.update({ params: { id: device_id }, body: { state: "quarantined" } });
  expect(await ask()).toMatchObject({ outcome: "block", exception_id: null, reason: "The device is quarantined" });
});

test("exceptions: a bypass ends with its device, a quarantine waits for it to come back", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const device_id = await device(gateway);
  const { revision } = await client.status.status();
  await client.exceptions.create({ body: { type: "temporary-direct", device_id } });
  const quarantine = await client.exceptions.create({ body: { type: "quarantine", device_id } });
  await client.devices.remove({ params: { id: device_id } });
  await client.snapshots.rollback({ body: { snapshot: String(revision) } });
  expect(await client.exceptions.active()).toMatchObject([{ id: quarantine.id }]);
});

test("exceptions: a clock that fell behind ends every bypass and no quarantine", async () => {
  const { clock, gateway: first } = await clocked();
  await using before = first;
  const device_id = await device(before);
  await before.client.exceptions.create({ body: { type: "temporary-direct", device_id } });
  const { id } = await before.client.exceptions.create({ body: { type: "quarantine", device_id } });
  clock.now = 0;
  await using gateway = await before.restart();
  expect((await gateway.client.exceptions.active()).map((it) => it.id)).toEqual([id]);
});

test("exceptions: those that ended more than thirty days ago are forgotten", async () => {
  const { clock, gateway: first } = await clocked();
  await using before = first;
  const device_id = await device(before);
  const old = await before.client.exceptions.create({ body: { type: "quarantine", device_id } });
  await before.client.exceptions.remove({ params: { id: old.id } });
  clock.now += 29 * 86_400_000;
  const young = await before.client.exceptions.create({ body: { type: "quarantine", device_id } });
  clock.now += 2 * 86_400_000;
  await using gateway = await before.restart();
  expect((await gateway.client.exceptions.list()).items.map(({ id }) => id)).toEqual([young.id]);
});

test("exceptions: there is an end to how many may be active", async () => {
  await using before = await startGateway();
  const device_id = await device(before);
  await before.client.exceptions.create({ body: { type: "quarantine", device_id } });
  await using gateway = await before.restart((folder) => {
    const database = new DatabaseSync(join(folder, "portcullis.db"));
    database.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
       INSERT INTO exception SELECT id || i, type, device_id, allow_direct, duration_min, reason, destinations, actor,
         created_at, expires_at, ended_at, answers FROM exception, n`,
    );
    database.close();
  });
  expect(await refused(gateway.client.exceptions.create({ body: { type: "quarantine", device_id } }))).toBe(
    "limit_reached",
  );
});
