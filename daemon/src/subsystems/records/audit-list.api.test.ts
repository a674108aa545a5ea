import { everyPage } from "@portcullis/contract/client";
import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

let serial = 0;
const name = () => `Name ${(serial += 1)}`;

/** Two people, each with a key; the clock moves a minute with every call. */
async function twoPeople() {
  const clock = { now: Date.UTC(2030, 0, 1) };
  const api_keys = ["ada", "bob"].map((it) => ({ key: `the-secret-key-of-${it}`, role: "admin", name: it }));
  const gateway = await startGateway({ now: () => new Date(clock.now), config: { auth: { api_keys } } });
  const as = async (person: string, method: string, path: string, body?: unknown) => {
    clock.now += 60_000;
    const headers = { authorization: `Bearer the-secret-key-of-${person}` };
    return (await gateway.request(method, path, { headers, ...(body !== undefined && { body }) })).json();
  };
  return { gateway, as };
}

test("audit log: each filter finds its entries, newest first", async () => {
  const { gateway: started, as } = await twoPeople();
  await using gateway = started;
  const tv = await as("ada", "POST", "/devices", { name: "TV" });
  await as("bob", "POST", "/devices", { name: "Lamp" });
  await as("bob", "PUT", `/devices/${tv.id}`, { name: "Television" });
  await as("ada", "POST", "/trust-classes", { name: "Guest" });
  const found = async (query: object) =>
    (await gateway.client.audit.list({ query })).items.map(({ id, actor, action }) => `${id} ${actor} ${action}`);

  const all = [
    "4 key:ada create_trust_class",
    "3 key:bob update_device",
    "2 key:bob create_device",
    "1 key:ada create_device",
  ];
  expect(await found({})).toEqual(all);
  expect(await found({ actor: "key:bob" })).toEqual([all[1], all[2]]);
  expect(await found({ action: "create_device" })).toEqual([all[2], all[3]]);
  expect(await found({ resource_type: "trust_class" })).toEqual([all[0]]);
  expect(await found({ resource_id: tv.id })).toEqual([all[1], all[3]]);
  expect(await found({ resource_id: tv.id, actor: "key:ada" })).toEqual([all[3]]);
  expect(await found({ since: "2030-01-01T00:03:00Z" })).toEqual([all[0], all[1]]);
  expect(await found({ until: "2030-01-01T00:03:00Z" })).toEqual([all[2], all[3]]);
  expect(await found({ since: "2030-01-01T01:02:00+01:00", until: "2030-01-01T00:03:30Z" })).toEqual([all[1], all[2]]);
  expect(await found({ actor: "key:unknown" })).toEqual([]);

  const [entry] = (await gateway.client.audit.list({ query: { action: "update_device" } })).items;
  expect(entry).toEqual({
    id: 3,
    timestamp: "2030-01-01T00:03:00.000Z",
    actor: "key:bob",
    action: "update_device",
    resource_type: "device",
    resource_id: tv.id,
    resource_name: "Television",
    details: { name: "Television", change: "changed", fields: [{ field: "name", before: "TV", after: "Television" }] },
  });
});

test("audit log: entries come in pages, newest first, and new ones do not disturb", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  for (let count = 0; count < 5; count++) await client.devices.create({ body: { name: name() } });
  const first = await gateway.request("GET", "/audit?limit=2&action=create_device");
  expect(first.json().map(({ id }: { id: number }) => id)).toEqual([5, 4]);
  const [, next] = /^<(.+)>; rel="next"$/.exec(first.headers.get("link")!)!;
  expect(next).toMatch(/^\/api\/v1\/audit\?limit=2&action=create_device&cursor=/);
  await client.devices.create({ body: { name: name() } });
  const second = await gateway.request("GET", `/${next}`);
  expect(second.json().map(({ id }: { id: number }) => id)).toEqual([3, 2]);

  const last = await client.audit.list({ query: { limit: 6 } });
  expect(last.items).toHaveLength(6);
  expect(last.next).toBeUndefined();
  const every = await everyPage((cursor) => client.audit.list({ query: { limit: 4, cursor } as never }));
  expect(every.map(({ id }) => id)).toEqual([6, 5, 4, 3, 2, 1]);
});

test("audit log: a time no clock knows and a cursor that is not ours are refused", async () => {
  await using gateway = await startGateway();
  const status = async (query: string) => (await gateway.request("GET", `/audit?${query}`)).status;
  const encoded = (text: string) => Buffer.from(text).toString("base64url");
  expect(await status("since=2030-01-01T00:00:00Z")).toBe(200);
  expect(await status(`cursor=${encoded("7")}`)).toBe(200);
  for (const query of [
    "since=2016-12-31T23:59:60Z",
    "until=2016-12-31T23:59:60Z",
    "since=yesterday",
    "since=2030-02-30T00:00:00Z",
    "since=2030-01-01",
    "cursor=garbage",
    "cursor=A",
    `cursor=${encoded(" ")}`,
    `cursor=${encoded("1e3")}`,
    `cursor=${encoded("-1")}`,
    `cursor=${encoded("0x10")}`,
    "cursor=%22",
    "cursor=",
    "actors=ada",
  ])
    expect([query, await status(query)]).toEqual([query, 400]);
});

test("audit log: only so many entries are kept, and those are the newest", async () => {
  await using before = await startGateway({ config: { limits: { audit_entries_kept: 3 } } });
  for (let count = 0; count < 6; count++) await before.client.devices.create({ body: { name: name() } });
  await using gateway = await before.restart();
  expect((await gateway.client.audit.list()).items.map(({ id }) => id)).toEqual([6, 5, 4]);
});
