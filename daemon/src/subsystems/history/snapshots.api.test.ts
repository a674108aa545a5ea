import { everyPage } from "@portcullis/contract/client";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

/** Snapshot 1 is empty, 2 has a TV, 3 has it renamed, 4 has a lamp too. */
async function threeChanges({ client }: TestGateway) {
  const tv = await client.devices.create({ body: { name: "TV" } });
  await client.devices.update({ params: { id: tv.id }, body: { name: "Television" } });
  const lamp = await client.devices.create({ body: { name: "Lamp" } });
  return { tv, lamp };
}

test("snapshots: every change of something published is a snapshot, listed newest first", async () => {
  await using gateway = await startGateway({ now: () => new Date("2030-01-01T00:00:00Z") });
  await threeChanges(gateway);
  const { items, total } = await gateway.client.snapshots.list();
  expect(total).toBe(4);
  expect(items.map(({ id, cause, actor, changed, current }) => [id, cause, actor, changed, current])).toEqual([
    ["4", "create_device", "anonymous", 1, true],
    ["3", "update_device", "anonymous", 1, false],
    ["2", "create_device", "anonymous", 1, false],
    ["1", "first_start", "system", 0, false],
  ]);
  expect(new Set(items.map(({ digest }) => digest)).size).toBe(4);
  for (const it of items) expect(it).toMatchObject({ created_at: "2030-01-01T00:00:00.000Z", pinned: false, note: "" });
});

test("snapshots come in pages, and new ones do not disturb", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  await threeChanges(gateway);
  const first = await gateway.request("GET", "/snapshots?limit=2");
  expect(first.json().map(({ id }: { id: string }) => id)).toEqual(["4", "3"]);
  expect(first.headers.get("x-total-count")).toBe("4");
  const [, next] = /^<(.+)>; rel="next"$/.exec(first.headers.get("link")!)!;
  await client.devices.create({ body: { name: "Phone" } });
  const second = await gateway.request("GET", `/${next}`);
  expect(second.json().map(({ id }: { id: string }) => id)).toEqual(["2", "1"]);
  expect(second.headers.get("link")).toBeNull();
  for (const limit of [1, 2, 5]) {
    const every = await everyPage((cursor) =>
      client.snapshots.list({ query: { limit, ...(cursor !== undefined && { cursor }) } }),
    );
    expect(every.map(({ id }) => id)).toEqual(["5", "4", "3", "2", "1"]);
  }
});

test("snapshots: a snapshot shows its whole document, as it was", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const { tv } = await threeChanges(gateway);
  const [listed] = (await client.snapshots.list()).items.filter(({ id }) => id === "2");
  const { kinds, document, ...snapshot } = await client.snapshots.get({ params: { id: "2" } });
  // What a device leaves to its class is not published, and when it was seen neither.
  const { last_seen: _, force_dns, block_doh, block_ipv6, block_webrtc, ...published } = tv;
  expect([force_dns, block_doh, block_ipv6, block_webrtc]).toEqual([null, null, null, null]);
  expect(snapshot).toEqual(listed);
  expect(document["device"]).toEqual([published]);
  expect(document["trust_class"]).toEqual([]);
  expect(Object.keys(kinds)).toEqual(["device"]);
  expect(kinds["device"]).toMatch(/^[0-9a-f]{64}$/);
  const first = await client.snapshots.get({ params: { id: "1" } });
  expect([first.kinds, Object.values(first.document).flat()]).toEqual([{}, []]);
});

test("snapshots: differences between snapshots name what changed, field by field; without another one, up to now", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const { tv, lamp } = await threeChanges(gateway);
  const differences = (id: string, to?: string) =>
    client.snapshots.differences({ params: { id }, query: to === undefined ? {} : { to } });
  const renamed = {
    kind: "device",
    id: tv.id,
    name: "Television",
    change: "changed",
    fields: [{ field: "name", before: "TV", after: "Television" }],
  };
  expect(await differences("2", "3")).toEqual([renamed]);
  const added = expect.objectContaining({ id: lamp.id, change: "added" });
  expect(await differences("2")).toEqual(tv.id < lamp.id ? [renamed, added] : [added, renamed]);
  expect(await differences("3", "2")).toMatchObject([
    { name: "TV", fields: [{ field: "name", before: "Television", after: "TV" }] },
  ]);
  expect(await differences("1", "2")).toMatchObject([{ id: tv.id, change: "added" }]);
  expect(await differences("2", "1")).toMatchObject([{ id: tv.id, change: "removed" }]);
  expect(await differences("4", "4")).toEqual([]);
});

test("snapshots: the pin and the note can be changed separately", async () => {
  await using gateway = await startGateway();
  const { snapshots, audit } = gateway.client;
  const params = { id: "1" };
  expect(await snapshots.update({ params, body: { pinned: true } })).toMatchObject({ pinned: true, note: "" });
  expect(await snapshots.update({ params, body: { note: "before the move" } })).toMatchObject({
    pinned: true,
    note: "before the move",
  });
  await snapshots.update({ params, body: {} });
  await snapshots.update({ params, body: { pinned: true, note: "before the move" } });
  expect((await snapshots.list()).items).toMatchObject([{ id: "1", pinned: true, note: "before the move" }]);
  expect((await audit.list()).items.map(({ details }) => details)).toEqual([
    { note: "before the move" },
    { pinned: true },
  ]);
});

test("snapshots: a rollback publishes the older state again and stages it", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const { tv } = await threeChanges(gateway);
  const second = await client.snapshots.get({ params: { id: "2" } });
  const { confirm_until, excluded, ...restored } = await client.snapshots.rollback({ body: { snapshot: "2" } });
  expect([confirm_until, excluded]).toEqual([null, []]);
  expect(restored).toMatchObject({
    id: "5",
    cause: "rollback_snapshot",
    changed: 2,
    current: true,
    digest: second.digest,
  });
  expect((await client.devices.list()).items).toEqual([tv]);
  expect((await client.snapshots.get({ params: { id: "5" } })).document).toEqual(second.document);
  expect(await client.changes.show()).toEqual({ staged: [], pending: null, applied: restored });
  const [entry] = (await client.audit.list()).items;
  expect(entry).toMatchObject({ action: "rollback_snapshot", resource_id: "2", actor: "anonymous" });

  // And back again: nothing is lost by going back.
  await client.snapshots.rollback({ body: { snapshot: "4" } });
  const names = (await client.devices.list()).items.map(({ name }) => name);
  expect(names.toSorted()).toEqual(["Lamp", "Television"]);
});

test("snapshots: a rollback to the published state creates no snapshot and needs no confirmation", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  await threeChanges(gateway);
  const answer = await client.snapshots.rollback({ query: { confirm_within: 60 }, body: { snapshot: "4" } });
  expect(answer).toMatchObject({ id: "4", current: true });
  expect((await client.changes.show()).pending).toBeNull();
  expect((await client.snapshots.list()).total).toBe(4);
});

test("snapshots: an unknown snapshot is not found by any endpoint", async () => {
  await using gateway = await startGateway();
  for (const [method, path, body] of [
    ["GET", "/snapshots/99"],
    ["GET", "/snapshots/0"],
    ["GET", "/snapshots/99/differences"],
    ["GET", "/snapshots/1/differences?to=99"],
    ["PUT", "/snapshots/99", { pinned: true }],
    ["POST", "/rollback", { snapshot: "99" }],
  ] as const) {
    const missing = await gateway.request(method, path, body ? { body } : {});
    expect([path, missing.status]).toEqual([path, 404]);
    expect(missing.json().error).toMatchObject({ code: "not_found", details: { snapshot: expect.any(String) } });
  }
  for (const [method, path, body] of [
    ["GET", "/snapshots/latest"],
    ["GET", "/snapshots/-1"],
    ["GET", "/snapshots/1/differences?to=now"],
    ["POST", "/rollback", { snapshot: 1.5 }],
    ["POST", "/rollback", {}],
    ["POST", "/rollback?confirm_within=0", { snapshot: "1" }],
    ["POST", "/rollback?confirm_within=86401", { snapshot: "1" }],
    ["POST", "/rollback?confirm_within=soon", { snapshot: "1" }],
    ["PUT", "/snapshots/1", { pined: true }],
  ] as const)
    expect([path, (await gateway.request(method, path, body ? { body } : {})).status]).toEqual([path, 400]);
});

test("snapshots: only so many snapshots are kept, besides pinned ones, and a kept one reads as before", async () => {
  await using before = await startGateway({ config: { limits: { snapshots_kept: 3 } } });
  await threeChanges(before);
  await before.client.snapshots.update({ params: { id: "2" }, body: { pinned: true } });
  for (const name of ["A", "B", "C"]) await before.client.devices.create({ body: { name } });
  const whole = (gateway: TestGateway) =>
    Promise.all(["7", "6", "5", "2"].map((id) => gateway.client.snapshots.get({ params: { id } })));
  const documents = await whole(before);

  await using gateway = await before.restart();
  expect((await gateway.client.snapshots.list()).items.map(({ id }) => id)).toEqual(["7", "6", "5", "2"]);
  expect(await whole(gateway)).toEqual(documents);
  expect((await gateway.request("GET", "/snapshots/4")).status).toBe(404);
  const restored = await gateway.client.snapshots.rollback({ body: { snapshot: "2" } });
  expect(restored.digest).toBe(documents.at(-1)!.digest);
});

test("snapshots: fifty changes later old snapshots are gone without a restart", async () => {
  await using gateway = await startGateway({ config: { limits: { snapshots_kept: 10 } } });
  const { client } = gateway;
  const { id } = await client.devices.create({ body: { name: "TV" } });
  for (let count = 0; count < 50; count++) await client.devices.update({ params: { id }, body: { notes: `${count}` } });
  // Housekeeping comes after the answer; the next request is answered after it.
  expect((await client.snapshots.list()).items.map((it) => Number(it.id))).toEqual(
    Array.from({ length: 12 }, (_, place) => 52 - place),
  );
});
