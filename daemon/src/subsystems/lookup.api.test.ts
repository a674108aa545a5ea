import { join } from "node:path";
import { mkdirSync } from "node:fs";
import { api } from "@portcullis/contract/api";
import { type Endpoint, operations } from "@portcullis/contract/endpoint";
import { nameFields } from "@portcullis/contract/values";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { wireguardConfig, wireguardKey } from "../../../testing/tunnels.ts";
import { kinds } from "../app/resource-kinds.ts";
import { openLedger } from "../ledger/ledger.ts";
import type { StagedDevice } from "./devices/devices.service.ts";
import { newId } from "./resources.ts";

/** A name with everything that a URL gives a meaning of its own. */
const awkward = "Küche & Co/2, 100%? #1+;=@:";

const privateKey = wireguardKey();

/** How to make a resource of each named kind, and what it is called then. */
const makings: Readonly<Record<string, { path: string; body: object; name?: string }>> = {
  device: { path: "/devices", body: { name: awkward } },
  device_group: { path: "/device-groups", body: { name: awkward } },
  trust_class: { path: "/trust-classes", body: { name: awkward } },
  privacy_class: { path: "/privacy-classes", body: { name: awkward } },
  routing_policy: { path: "/routing/policies", body: { name: awkward, source_type: "all" } },
  profile: { path: "/profiles", body: { name: awkward } },
  bridge: { path: "/bridges", body: { name: awkward } },
  vlan: { path: "/vlans", body: { name: awkward, parent: "eth5", vlan_id: 5 } },
  tunnel: {
    path: "/tunnels",
    body: { name: awkward, type: "wireguard", config: { ...wireguardConfig(), private_key: privateKey } },
  },
  splitting_endpoint: { path: "/splitting/endpoints", body: { name: awkward, tunnel_id: "tunnel" } },
  proxy: { path: "/proxies", body: { name: awkward, kind: "upstream", address: "192.0.2.7:1080" } },
  secret: { path: "/secrets", body: { name: awkward, value: "x" } },
  dns_filter_rule: {
    path: "/dns/filter-rules",
    body: { name: awkward, action: "block", match: "exact", pattern: "ads.example" },
  },
  dns_allow_entry: { path: "/dns/allowlist", body: { domain: "fine.example" }, name: "fine.example" },
  dns_block_entry: { path: "/dns/blocklist", body: { domain: "ads.example" }, name: "ads.example" },
  dns_rewrite: { path: "/dns/rewrites", body: { domain: "nas.example", answer: "NXDOMAIN" }, name: "nas.example" },
  schedule: { path: "/schedules", body: { name: awkward, days: ["monday"], from: "21:00", to: "07:00" } },
  dns_zone: { path: "/dns/zones", body: { name: "lan.example" }, name: "lan.example" },
  dns_record: {
    path: "/dns/records",
    body: { zone_id: "home.example", name: "nas", type: "A", value: "192.0.2.7" },
    name: "nas",
  },
  dns_forwarder: { path: "/dns/forwarders", body: { name: awkward, address: "9.9.9.9" } },
  dns_list: { path: "/dns/presets", body: { name: awkward } },
  alert_channel: {
    path: "/alert-channels",
    body: { name: awkward, type: "webhook", url: "http://127.0.0.1:1/hook" },
  },
};

/** Every operation with a path parameter that may be a name, on each of its paths. No chain can be created yet. */
const named = operations(api)
  .filter(({ subsystem }) => subsystem !== "chains")
  .flatMap(({ subsystem, name, endpoint }) =>
    nameFields(endpoint.params ?? ({ properties: {} } as never)).flatMap(({ field, kind }) =>
      [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => ({
        title: `${subsystem}.${name} ${endpoint.method} ${path}`,
        endpoint,
        path,
        field,
        kind,
      })),
    ),
  );

const bodyOf = ({ requestType, body, method }: Endpoint): { body?: unknown; headers?: Record<string, string> } => {
  if (requestType) return { body: "ads.example\n", headers: { "content-type": requestType } };
  return body && method === "PUT" ? { body: {} } : {};
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.client.tunnels.create({ body: { name: "tunnel", type: "wireguard", config: wireguardConfig() } });
  await gateway.client.dnsZones.create({ body: { name: "home.example" } });
});
afterAll(() => gateway[Symbol.asyncDispose]());

test("lookup: the walk covers every kind with names, and finds operations", () => {
  expect(new Set(named.map(({ kind }) => kind))).toEqual(new Set(Object.keys(makings)));
  expect(named.length).toBeGreaterThan(80);
  for (const { kind } of named) expect(kinds).toHaveProperty(kind);
});

describe.each(named)("lookup: $title", ({ endpoint, path, field, kind }) => {
  const { path: collection, body, name = awkward } = makings[kind]!;

  /** The answer of the operation about a fresh resource, with what differs between two resources taken out. */
  async function answerBy(by: "id" | "name"): Promise<{ status: number; answer: unknown }> {
    const made = await gateway.request("POST", collection, { body });
    expect(made.status).toBe(201);
    const { id } = made.json() as { id: string };
    const word = encodeURIComponent(by === "id" ? id : name);
    const url = path.includes(`{${field}}`) ? path.replace(`{${field}}`, word) : `${path}?${field}=${word}`;
    const reply = await gateway.request(endpoint.method, url, bodyOf(endpoint));
    await gateway.request("DELETE", `${collection}/${id}`);
    const answer = reply.text
      .replaceAll(id, "ID")
      .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "TIME")
      .replace(/"serial":\d+/g, "SERIAL");
    return { status: reply.status, answer: JSON.parse(answer.replaceAll("SERIAL", '"serial":1')) };
  }

  test("answers the same by name and by id", async () => {
    const byId = await answerBy("id");
    expect(await answerBy("name")).toEqual(byId);
    expect(byId.status).toBeLessThan(300);
  });

  test("answers 404 to a name that nothing has, with the closest one", async () => {
    const made = await gateway.request("POST", collection, { body });
    const word = encodeURIComponent(`${name}x`);
    const url = path.includes(`{${field}}`) ? path.replace(`{${field}}`, word) : `${path}?${field}=${word}`;
    const reply = await gateway.request(endpoint.method, url, bodyOf(endpoint));
    await gateway.request("DELETE", `${collection}/${made.json().id}`);
    expect([reply.status, reply.json().error.details.did_you_mean]).toEqual([404, name]);
  });
});

describe("lookup: names of devices", () => {
  const refusal = async (call: Promise<unknown>) =>
    call.then(
      () => "accepted",
      ({ code, details }: { code: string; details: { field?: string } }) => `${code} ${details.field}`,
    );

  test("are unique, whatever their case, spaces and Unicode form", async () => {
    await using it = await startGateway();
    const { devices } = it.client;
    const made = await devices.create({ body: { name: "Kim's Küche" } });
    for (const name of ["Kim's Küche", "kim's küche", " Kim's  Küche ", "Kim's Ku\u0308che", "Kim's Küche\u200b"])
      expect([name, await refusal(devices.create({ body: { name } }))]).toEqual([name, "conflict name"]);
    const other = await devices.create({ body: { name: "Kim's Küche 2" } });
    expect(await refusal(devices.update({ params: { id: other.id }, body: { name: "KIM'S KÜCHE" } }))).toBe(
      "conflict name",
    );
    expect((await devices.update({ params: { id: made.id }, body: { name: "KIM'S KÜCHE" } })).name).toBe("KIM'S KÜCHE");
  });

  test("stay unique when many requests ask for the same one at once", async () => {
    await using it = await startGateway();
    const { devices } = it.client;
    const others = await Promise.all([1, 2, 3].map((n) => devices.create({ body: { name: `other ${n}` } })));
    const done = await Promise.all([
      ...Array.from({ length: 8 }, () => refusal(devices.create({ body: { name: "Kim" } }))),
      ...others.map(({ id }) => refusal(devices.update({ params: { id }, body: { name: "kim" } }))),
    ]);
    expect(done.filter((it) => it === "accepted")).toHaveLength(1);
    expect((await devices.list({ query: { name: "kim" } })).items).toHaveLength(1);
  });
});

/** A state from before names of devices were unique: two of them are called Kim. */
function olderState() {
  const folder = temporaryFolder();
  mkdirSync(join(folder.path, "state"), { mode: 0o700 });
  const ledger = openLedger({
    path: join(folder.path, "state", "portcullis.db"),
    kinds,
    now: () => new Date(),
    refuse: (refusal) => new Error(refusal),
    keepRevisions: 100,
  });
  const cause = { actor: "system", action: "create_device", resourceType: "device" };
  const device = (name: string, mac: string): StagedDevice => ({
    id: newId(),
    name,
    mac,
    hostname: null,
    ips: [],
    vendor: null,
    state: "known",
    notes: "",
    trust_class: null,
    privacy_class: null,
    profile_id: null,
    group_ids: [],
    first_seen: new Date().toISOString(),
  });
  const pair = [device("Kim", "02:00:00:00:00:01"), device("Kim", "02:00:00:00:00:02")] as const;
  for (const it of pair) ledger.change(cause, (draft) => draft.put("device", it));
  const revision = String(ledger.revision());
  ledger.close();
  return { folder, pair, revision };
}

describe("lookup: two devices of one name, from before names were unique", () => {
  test("are refused by that name wherever one is named, with both candidates, and found by id", async () => {
    const { folder, pair } = olderState();
    await using it = await startGateway({ folder });
    const body = { source_type: "device", name: "p" };
    const requested: [method: string, path: string, status: number, body?: object][] = [
      ["GET", "/devices/Kim", 409],
      ["PUT", "/devices/Kim", 409, { notes: "x" }],
      ["DELETE", "/devices/Kim", 409],
      ["POST", "/policy/evaluate", 409, { device_id: "Kim" }],
      ["GET", "/privacy/status?device_id=Kim", 409],
      ["GET", "/exceptions?device_id=Kim", 400],
      ["POST", "/exceptions", 400, { type: "quarantine", device_id: "Kim" }],
      ["POST", "/routing/policies", 400, { ...body, source_value: "Kim" }],
      ["POST", "/device-groups", 400, { name: "g", device_ids: ["Kim"] }],
      ["POST", "/dns/blocklist", 400, { domain: "a.example", source_type: "device", source_value: "Kim" }],
      ["POST", "/dns/test", 400, { name: "a.example", device_id: "Kim" }],
      ["POST", "/privacy/block-ipv6", 400, { device_id: "Kim", enabled: true }],
    ];
    for (const [method, path, status, sent] of requested) {
      const reply = await it.request(method, path, sent && { body: sent });
      expect([method, path, reply.status]).toEqual([method, path, status]);
      for (const { id, mac } of pair) for (const fact of [id, mac!]) expect(reply.json().error.message).toContain(fact);
    }
    // The same by id is accepted: the refusals above are about the name.
    const [{ id }] = pair;
    expect(
      (await it.client.routing.create({ body: { ...body, source_type: "device", source_value: id } })).source_value,
    ).toBe(id);
    expect((await it.client.devices.get({ params: { id } })).name).toBe("Kim");
  });

  test("can be changed, renamed apart, and come back with a rollback", async () => {
    const { folder, pair, revision } = olderState();
    await using it = await startGateway({ folder });
    const { devices, snapshots } = it.client;
    const [{ id: first }, { id: second }] = pair;
    expect((await devices.update({ params: { id: first }, body: { notes: "Kim's own" } })).notes).toBe("Kim's own");
    await devices.update({ params: { id: second }, body: { name: "Kim's phone" } });
    expect((await devices.get({ params: { id: "Kim" } })).id).toBe(first);

    await snapshots.rollback({ body: { snapshot: revision } });
    expect((await devices.list()).items.map(({ name }) => name)).toEqual(["Kim", "Kim"]);
    expect((await it.request("GET", "/devices/Kim")).status).toBe(409);
    expect((await devices.update({ params: { id: second }, body: { name: "Kim's phone" } })).name).toBe("Kim's phone");
  });
});

test("lookup: a device whose name is the id of another does not replace it", async () => {
  await using it = await startGateway();
  const { devices } = it.client;
  const real = await devices.create({ body: { name: "TV" } });
  const impostor = await devices.create({ body: { name: real.id } });
  expect((await devices.get({ params: { id: real.id } })).name).toBe("TV");
  await devices.remove({ params: { id: real.id } });
  expect((await it.request("DELETE", `/devices/${real.id}`)).status).toBe(404);
  expect((await devices.get({ params: { id: impostor.id } })).name).toBe(real.id);
});

test("lookup: filters of lists and members of groups take names", async () => {
  await using it = await startGateway();
  const { devices, deviceGroups, trustClasses, privacyClasses, tunnels, splittingEndpoints } = it.client;
  await trustClasses.create({ body: { name: "Guest" } });
  await privacyClasses.create({ body: { name: "Strict" } });
  const tv = await devices.create({ body: { name: "TV", trust_class: "Guest", privacy_class: "Strict" } });
  await devices.create({ body: { name: "Lamp" } });
  const group = await deviceGroups.create({ body: { name: "Kitchen", device_ids: ["tv"] } });
  expect(group.device_ids).toEqual([tv.id]);
  for (const query of [{ trust_class: "Guest" }, { privacy_class: "strict" }, { group_id: "Kitchen" }])
    expect((await devices.list({ query })).items.map(({ id }) => id)).toEqual([tv.id]);
  await tunnels.create({ body: { name: "Oslo", type: "wireguard", config: wireguardConfig() } });
  await splittingEndpoints.create({ body: { tunnel_id: "Oslo" } });
  expect((await splittingEndpoints.list({ query: { tunnel_id: "oslo" } })).items).toHaveLength(1);

  const missing = await it.request("GET", "/devices?trust_class=Guets");
  expect([missing.status, missing.json().error.details.fields[0]]).toEqual([
    400,
    expect.objectContaining({ field: "query.trust_class", did_you_mean: "Guest" }),
  ]);
});

test("answers have names beside ids: records, exceptions, references, the audit log", async () => {
  await using it = await startGateway();
  const { client } = it;
  const { id } = await client.devices.create({ body: { name: "TV", mac: "02:00:00:00:00:01", trust_class: null } });
  const zone = await client.dnsZones.create({ body: { name: "home.example" } });
  const record = { zone_id: "home.example", name: "nas", type: "A" as const, value: "192.0.2.7" };
  const made = await client.dnsRecords.create({ body: record });
  expect([made.zone_id, made.zone_name]).toEqual([zone.id, "home.example"]);
  expect((await client.dnsRecords.list()).items).toEqual([made]);

  const exception = await client.exceptions.create({ body: { type: "quarantine", device_id: "TV" } });
  expect(exception).toMatchObject({ device_id: id, device_name: "TV" });
  const guest = await client.trustClasses.create({ body: { name: "Guest" } });
  expect(await client.references.show({ params: { type: "trust_class", id: "guest" } })).toMatchObject({
    id: guest.id,
    name: "Guest",
  });
  const entries = (await client.audit.list({ query: { resource_type: "device" } })).items;
  expect(entries.map(({ resource_id, resource_name }) => [resource_id, resource_name])).toEqual([[id, "TV"]]);

  await client.devices.remove({ params: { id: "TV" } });
  expect((await client.exceptions.get({ params: { id: exception.id } })).device_name).toBeNull();
});

test("lookup: a rollback takes the number of a snapshot as text and as a number", async () => {
  await using it = await startGateway();
  const { client } = it;
  const { id } = (await client.snapshots.list()).items[0]!;
  for (const snapshot of [id, Number(id)]) {
    await client.devices.create({ body: { name: "TV" } });
    await client.snapshots.rollback({ body: { snapshot } });
    expect((await client.devices.list()).items).toEqual([]);
  }
  for (const snapshot of [-1, 1.5, "1.5", null, true])
    expect([snapshot, (await it.request("POST", "/rollback", { body: { snapshot } })).status]).toEqual([snapshot, 400]);
});

test.each(["/drift", "/settings"])("lookup: %s takes a limit", async (path) => {
  const whole = (await gateway.request("GET", path)).json() as unknown[];
  const first = await gateway.request("GET", `${path}?limit=2`);
  expect([first.status, first.json()]).toEqual([200, whole.slice(0, 2)]);
  expect((await gateway.request("GET", `${path}?limit=0`)).status).toBe(400);
});
