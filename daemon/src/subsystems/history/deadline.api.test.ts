import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "@portcullis/contract/events";
import { expect, test } from "vitest";
import { type EventStream, openEventStream } from "../../../../testing/event-stream.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { wireguardConfig } from "../../../../testing/tunnels.ts";
import { kinds } from "../../app/resource-kinds.ts";

const start = Date.UTC(2030, 0, 1);

/** A gateway whose clock stands still until a test moves it. */
async function withClock() {
  const clock = { now: start };
  const now = () => new Date(clock.now);
  return { clock, now, gateway: await startGateway({ now }) };
}

/** Snapshot 2 has a TV called Old, 3 calls it New, and 4 is the provisional rollback to 2. */
async function rollBackForAWhile({ client }: TestGateway, confirm_within = 60) {
  const tv = await client.devices.create({ body: { name: "Old" } });
  await client.devices.update({ params: { id: tv.id }, body: { name: "New" } });
  await client.snapshots.rollback({ query: { confirm_within }, body: { snapshot: "2" } });
  return tv;
}

const names = async ({ client }: TestGateway) => (await client.devices.list()).items.map(({ name }) => name);

/** Who did what to the pending change, newest first. */
const story = async ({ client }: TestGateway) =>
  (await client.audit.list()).items
    .filter(({ action }) => /rollback|confirm|revert/.test(action))
    .map(({ actor, action, resource_id, details }) => ({ actor, action, resource_id, details }));

const goneBackByItself = {
  actor: "system",
  action: "revert_change",
  resource_id: "4",
  details: expect.objectContaining({ reason: "not confirmed in time", reverted_to: "3" }),
};
const rolledBack = expect.objectContaining({ actor: "anonymous", action: "rollback_snapshot", resource_id: "2" });

test("commit-confirm: an unconfirmed rollback is reverted at its deadline, with an event", async () => {
  await using gateway = await startGateway();
  await using events = await openEventStream(gateway.origin);
  await rollBackForAWhile(gateway, 3);
  expect(await names(gateway)).toEqual(["Old"]);
  const { data: pending } = await next(events, "change.pending");
  const reverted = await next(events, "change.reverted");
  expect(reverted.data).toEqual({ revision: 4, reason: "not confirmed in time" });
  expect(Date.parse(reverted.at)).toBeGreaterThanOrEqual(Date.parse(String(pending["deadline"])));

  expect(await names(gateway)).toEqual(["New"]);
  expect(await gateway.client.changes.show()).toMatchObject({
    pending: null,
    applied: { id: "5", cause: "revert_change", actor: "system" },
  });
  expect(await story(gateway)).toEqual([goneBackByItself, rolledBack]);
});

test("commit-confirm: a pending change is shown with deadline, base revision and differences", async () => {
  const { gateway: started, clock } = await withClock();
  await using gateway = started;
  const tv = await rollBackForAWhile(gateway);
  const { staged, pending, applied } = await gateway.client.changes.show();
  expect(staged).toEqual([]);
  expect(pending).toEqual({
    snapshot: "4",
    reverts_to: "3",
    actor: "anonymous",
    deadline: "2030-01-01T00:01:00.000Z",
    remaining_sec: 60,
    kinds: Object.keys(kinds).toSorted(),
    differences: [
      {
        kind: "device",
        id: tv.id,
        name: "Old",
        change: "changed",
        fields: [{ field: "name", before: "New", after: "Old" }],
      },
    ],
  });
  expect(applied).toMatchObject({ id: "4", current: true });
  clock.now += 12_500;
  expect((await gateway.client.changes.show()).pending).toMatchObject({ remaining_sec: 48 });
  clock.now += 3_600_000;
  expect((await gateway.client.changes.show()).pending).toMatchObject({ remaining_sec: 0 });
});

test("commit-confirm: a deadline that passes while the gateway is stopped counts when it starts", async () => {
  const { gateway: started, clock } = await withClock();
  await using before = started;
  await rollBackForAWhile(before);
  clock.now += 59_000;
  await using early = await before.restart();
  expect(await names(early)).toEqual(["Old"]);
  expect((await early.client.changes.show()).pending).toMatchObject({ remaining_sec: 1 });

  clock.now += 1_000;
  await using late = await early.restart();
  expect(await names(late)).toEqual(["New"]);
  expect(await late.client.changes.show()).toMatchObject({ pending: null, applied: { id: "5" } });
  expect(await story(late)).toEqual([goneBackByItself, rolledBack]);
});

test("commit-confirm: a deadline that passes while the gateway is dead counts when it starts", async () => {
  const { gateway: started, clock, now } = await withClock();
  await using killed = started;
  await rollBackForAWhile(killed);
  // What a kill leaves is what lies on the disk at that moment.
  const folder = temporaryFolder();
  cpSync(killed.stateFolder, join(folder.path, "state"), { recursive: true });
  clock.now += 61_000;
  await using gateway = await startGateway({ folder, now });
  expect(await names(gateway)).toEqual(["New"]);
  expect(await story(gateway)).toEqual([goneBackByItself, rolledBack]);
});

test("commit-confirm: a clock that wakes up before the change was made cannot be trusted: the change goes back", async () => {
  const { gateway: started, clock } = await withClock();
  await using before = started;
  await rollBackForAWhile(before);
  clock.now = Date.UTC(1970, 0, 1);
  await using gateway = await before.restart();
  expect(await names(gateway)).toEqual(["New"]);
  expect(await story(gateway)).toContainEqual(goneBackByItself);
});

test("commit-confirm: a confirmed change stays, whatever the clock says afterwards", async () => {
  const { gateway: started, clock } = await withClock();
  await using before = started;
  await rollBackForAWhile(before);
  await using events = await openEventStream(before.origin);
  const answer = await before.client.changes.confirm();
  expect(answer).toMatchObject({ pending: null, applied: { id: "4" } });
  expect((await next(events, "change.confirmed")).data).toEqual({ revision: 4 });
  clock.now += 3_600_000;
  await using gateway = await before.restart();
  expect(await names(gateway)).toEqual(["Old"]);
  expect((await gateway.client.snapshots.list()).total).toBe(4);
  expect(await story(gateway)).toEqual([
    { actor: "anonymous", action: "confirm_change", resource_id: "4", details: {} },
    rolledBack,
  ]);
});

test("commit-confirm: a change can be taken back before its time is up", async () => {
  await using gateway = await startGateway();
  await rollBackForAWhile(gateway);
  await using events = await openEventStream(gateway.origin);
  expect(await gateway.client.changes.revert()).toMatchObject({ pending: null, applied: { id: "5" } });
  expect((await next(events, "change.reverted")).data).toEqual({ revision: 4, reason: "requested" });
  expect(await names(gateway)).toEqual(["New"]);
  expect(await story(gateway)).toMatchObject([
    { actor: "anonymous", action: "revert_change", details: { reason: "requested", reverted_to: "3" } },
    { action: "rollback_snapshot" },
  ]);
});

test("commit-confirm: while a rollback waits, nothing published can change, and what is not published goes on", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const tv = await rollBackForAWhile(gateway);
  for (const [method, path, body] of [
    ["POST", "/rollback", { snapshot: "1" }],
    ["POST", "/rollback?confirm_within=60", { snapshot: "1" }],
    ["POST", "/devices", { name: "Lamp" }],
    ["PUT", `/devices/${tv.id}`, { name: "Newer" }],
    ["DELETE", `/devices/${tv.id}`],
    ["POST", "/device-groups", { name: "Kitchen", device_ids: [tv.id] }],
    ["POST", "/trust-classes", { name: "Guest" }],
    ["PUT", "/settings/pq_crypto_mode", { value: "default" }],
    ["POST", "/secrets", { name: "vpn", value: "hush" }],
  ] as const) {
    const refused = await gateway.request(method, path, body ? { body } : {});
    expect([path, refused.status]).toEqual([path, 409]);
    expect(refused.json().error.code).toBe("change_pending");
  }
  expect(await names(gateway)).toEqual(["Old"]);
  expect((await client.deviceGroups.list()).items).toEqual([]);

  await client.auth.createKey({ body: { name: "laptop", role: "viewer" } });
  await client.changes.confirm();
  await client.devices.update({ params: { id: tv.id }, body: { name: "Newer" } });
  expect(await names(gateway)).toEqual(["Newer"]);
});

test("commit-confirm: unpublished edits survive the revert", async () => {
  await using gateway = await startGateway();
  await rollBackForAWhile(gateway);
  await gateway.client.auth.createKey({ body: { name: "laptop", role: "viewer" } });
  await gateway.client.changes.revert();
  expect(await names(gateway)).toEqual(["New"]);
  expect(await gateway.client.auth.keys()).toMatchObject([{ name: "laptop" }]);
});

test("commit-confirm: when nothing waits there is nothing to confirm or take back", async () => {
  await using gateway = await startGateway();
  for (const path of ["/changes/confirm", "/changes/revert"]) {
    const refused = await gateway.request("POST", path);
    expect(refused.status).toBe(404);
    expect(refused.json().error).toMatchObject({ code: "not_found", message: "No change is pending" });
  }
  expect(await gateway.client.changes.show()).toMatchObject({ staged: [], pending: null, applied: { id: "1" } });
});

/** The next event of this name; others before it are skipped. */
const next = async (events: EventStream, name: string): Promise<Event> =>
  (await events.next(({ event }) => event === name)).data as Event;

test("commit-confirm: a change on trial is shown by names that exist: a resource without one by its id, a block entry by its domain", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const [before] = (await client.snapshots.list()).items;
  const tunnel = { name: "Amsterdam", type: "wireguard" as const, config: wireguardConfig() };
  await client.tunnels.create({ body: tunnel });
  const endpoint = await client.splittingEndpoints.create({ body: { tunnel_id: "Amsterdam" } });
  await client.dnsBlocklist.create({ body: { domain: "ads.example" } });
  await client.snapshots.rollback({ query: { confirm_within: 600 }, body: { snapshot: before!.id } });
  const { pending } = await client.changes.show();
  const named = Object.fromEntries(pending!.differences.map(({ kind, name }) => [kind, name]));
  expect(named).toMatchObject({ splitting_endpoint: endpoint.id, dns_block_entry: "ads.example", tunnel: "Amsterdam" });
});
