import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { sections, undocumented } from "@portcullis/contract/config-sections";
import { documentLimits } from "@portcullis/contract/subsystems/configuration";
import { roles } from "@portcullis/contract/role";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { wireguardKey } from "../../../../testing/tunnels.ts";
import { kinds } from "../../app/resource-kinds.ts";

const keys = { admin: "the-key-of-an-admin", operator: "the-key-of-an-operator", viewer: "the-key-of-a-viewer" };
const api_keys = roles
  .filter((role): role is keyof typeof keys => role in keys)
  .map((role) => ({ key: keys[role], role, name: role }));

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    config: {
      auth: { enabled: true, local_net: "10.99.0.0/16", api_keys },
      network: { wan_iface: "eth0", lan_iface: "eth1" },
    },
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const as = async (role: keyof typeof keys, method: string, path: string, body?: unknown, type?: string) => {
  const headers = { authorization: `Bearer ${keys[role]}`, ...(type !== undefined && { "content-type": type }) };
  const reply = await gateway.request(method, path, { headers, ...(body !== undefined && { body }) });
  return { status: reply.status, body: reply.json() };
};
const send = (path: string, body: unknown, type?: string) => as("admin", "POST", path, body, type);
const list = async (path: string) => (await as("admin", "GET", path)).body as Record<string, unknown>[];
const names = async (path: string) => (await list(path)).map(({ name }) => String(name));
/** Everything a document could change, and the audit log. */
const state = async () => [
  (await as("admin", "GET", "/config/export")).body,
  (await list("/snapshots?limit=1"))[0]!["id"],
  (await list("/audit?limit=1"))[0]?.["id"],
];
const empty = async () => {
  const [last] = (await list("/snapshots?limit=1000")).toReversed();
  await send("/rollback", { snapshot: last!["id"] });
  await send("/apply", { owner: "home" });
};

const wireguard = (name: string) => ({
  name,
  type: "wireguard",
  config: {
    private_key: wireguardKey(),
    addresses: ["10.6.0.2/32"],
    peers: [{ public_key: wireguardKey(), endpoint: "192.0.2.9:51820", allowed_ips: ["0.0.0.0/0"] }],
  },
});

const home = {
  owner: "home",
  device_groups: [{ name: "kids", description: "Tablets" }],
  devices: [{ name: "tablet", mac: "02-00-00-AA-BB-01", group_ids: ["kids"] }],
  dns_filter_rules: [
    {
      name: "no games",
      action: "block",
      match: "suffix",
      pattern: "games.example",
      source_type: "device_group",
      source_value: "kids",
    },
  ],
  dns_block_entries: [{ domain: "Ads.Example." }],
  routing_policies: [{ name: "kids out", source_type: "device_group", source_value: "Kids", priority: 10 }],
  dns_options: { rate_limit_qps: 50 },
};

test("configuration: every kind of resource is in a document, or has a reason why not", () => {
  const documented = sections.map(({ kind }) => kind);
  expect([...documented, ...Object.keys(undocumented)].toSorted()).toEqual(Object.keys(kinds).toSorted());
  expect(new Set(sections.map(({ name }) => name)).size).toBe(sections.length);
});

test("configuration: a document is validated, applied once, and unchanged the second time without a write", async () => {
  const before = await state();
  const planned = await send("/validate", home);
  expect(planned.body).toMatchObject({
    result: "changes",
    summary: { create: 5, change: 1, delete: 0, unchanged: 0 },
    adopted: 5,
  });
  expect(await state()).toEqual(before);
  const applied = await send("/apply", home);
  expect(applied.body).toMatchObject({ summary: planned.body.summary, changes: planned.body.changes });
  const after = await state();
  expect(after[1]).toBe(String(Number(before[1]) + 1));
  for (const path of ["/validate", "/apply", "/config/import"]) {
    const again = await send(path, home);
    expect(again.body).toMatchObject({ result: "unchanged", changes: [], summary: { unchanged: 6 } });
  }
  expect(await state()).toEqual(after);
  // The policy is published, not only staged.
  expect((await as("admin", "GET", "/changes")).body.staged).toEqual([]);
  const change = { ...home, devices: [{ name: "Tablet", notes: "cracked" }] };
  expect((await send("/validate", change)).body.changes).toEqual([
    {
      kind: "device",
      section: "devices",
      name: "Tablet",
      action: "change",
      fields: [
        { field: "name", before: "tablet", after: "Tablet" },
        { field: "notes", before: "", after: "cracked" },
      ],
    },
  ]);
});

test("configuration: a document that fails at its last resource changes nothing, and names it", async () => {
  const before = await state();
  const devices = Array.from({ length: 30 }, (_, index) => ({ name: `new ${index}` }));
  const bad = { devices: [...devices, { name: "last", group_ids: ["kidz"] }] };
  for (const path of ["/validate", "/apply"]) {
    const refused = await send(path, bad);
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toBe(
      'devices "last": devices.30.group_ids: does not exist: "kidz"; did you mean "kids"?; there are: kids',
    );
    expect(refused.body.error.details).toMatchObject({
      failed: 1,
      fields: [{ field: "body.devices.30.group_ids", did_you_mean: "kids" }],
    });
  }
  expect(await state()).toEqual(before);
  expect((await send("/validate", { devices: [...devices, { name: "last", group_ids: ["kids"] }] })).status).toBe(200);
});

test("configuration: resources may refer to later ones, and take over what another one of the document gives up", async () => {
  await send("/apply", { devices: [{ name: "old", mac: "02:00:00:00:00:05" }] });
  const swapped = {
    devices: [
      { name: "new", mac: "02:00:00:00:00:05" },
      { name: "old", mac: null },
    ],
  };
  expect((await send("/apply", swapped)).body.summary).toMatchObject({ create: 1, change: 1 });
  const [one, two] = [10, 11].map((priority) => ({ name: `p${priority}`, source_type: "all", priority, hops: [] }));
  await send("/apply", { routing_policies: [one, { ...two, fail_policy: "fail-open" }] });
  const exchanged = [
    { ...one, priority: 11 },
    { ...two, priority: 10 },
  ];
  expect((await send("/apply", { routing_policies: exchanged })).body.summary).toMatchObject({ change: 2 });
});

test("configuration: a resource can refer to another kind of resource with the same name", async () => {
  const rule = { name: "same", action: "block", match: "exact", pattern: "same.example", source_value: "twin" };
  const twins = { devices: [{ name: "twin" }], device_groups: [{ name: "twin" }] };
  await send("/apply", { ...twins, dns_filter_rules: [{ ...rule, source_type: "device" }] });
  const changed = await send("/apply", { dns_filter_rules: [{ ...rule, source_type: "device_group" }] });
  expect(changed.body.changes).toMatchObject([{ fields: [{ field: "source_type", after: "device_group" }] }]);
});

test("configuration: prune deletes what an earlier document of the owner contained, and nothing else", async () => {
  await empty();
  await send("/apply", { devices: [{ name: "mine" }] });
  await send("/apply", { owner: "home", devices: [{ name: "a" }, { name: "b" }, { name: "shared" }] });
  await send("/apply", { owner: "guests", devices: [{ name: "shared" }, { name: "guest" }] });
  const less = { owner: "home", devices: [{ name: "a" }] };
  expect((await send("/validate", less)).body).toMatchObject({ result: "unchanged", summary: { delete: 0 } });
  const plan = (await send("/validate?prune=true", less)).body;
  expect(plan).toMatchObject({ summary: { delete: 1, unchanged: 1 }, released: 1 });
  expect(plan.changes).toMatchObject([{ section: "devices", name: "b", action: "delete" }]);
  expect(await names("/devices")).toContain("b");
  await send("/apply?prune=true", less);
  expect((await names("/devices")).toSorted()).toEqual(["a", "guest", "mine", "shared"]);
  expect((await send("/apply?prune=true", less)).body.result).toBe("unchanged");
  expect((await send("/apply?prune=true", { devices: [] })).body.error.message).toBe(
    "A document without owner has nothing to prune",
  );
  await send("/apply", {
    owner: "home",
    dns_filter_rules: [
      { name: "r", action: "block", match: "exact", pattern: "x.example", source_type: "device", source_value: "a" },
    ],
  });
  await send("/apply", { devices: [{ name: "a" }] });
  const inUse = await send("/apply?prune=true", {
    owner: "home",
    dns_filter_rules: [{ name: "r", action: "block", match: "exact", pattern: "x.example" }],
  });
  expect([inUse.status, inUse.body.error.code]).toEqual([409, "in_use"]);
  expect((await send("/apply?prune=true", { owner: "home" })).body.summary).toMatchObject({ delete: 2 });
});

test("configuration: prune of policies publishes their deletion, although the document has none", async () => {
  await empty();
  const policy = { name: "out", source_type: "all", priority: 3, hops: [{ type: "vpn", target: "far" }] };
  await send("/apply", { owner: "home", tunnels: [wireguard("far")], routing_policies: [policy] });
  const published = async () => (await as("admin", "GET", "/config/export")).body;
  expect(await published()).toMatchObject({ tunnels: [{ name: "far" }], routing_policies: [{ name: "out" }] });
  expect((await send("/apply?prune=true", { owner: "home" })).body.summary).toMatchObject({ delete: 2 });
  expect((await as("admin", "GET", "/changes")).body.staged).toEqual([]);
  expect(await published()).toEqual({ version: 1 });
  await send("/apply", { owner: "home", routing_policies: [{ ...policy, hops: [] }] });
  const provisional = (await send("/apply?prune=true&confirm_within=600", { owner: "home" })).body;
  expect(provisional.confirm_until).not.toBeNull();
  await send("/changes/revert", undefined);
  expect(await published()).toMatchObject({ routing_policies: [{ name: "out" }] });
  await empty();
});

test("configuration: prune of a zone is refused while it has records of others, and deletes the records of its owner", async () => {
  await empty();
  const zone = { owner: "home", dns_zones: [{ name: "lan.example" }] };
  const record = (name: string) => ({ zone_id: "lan.example", name, type: "A", value: "192.0.2.4" });
  const records = () => names("/dns/records");
  const refused = async () => {
    const reply = await send("/apply?prune=true", { owner: "home" });
    expect([reply.status, reply.body.error.code, reply.body.error.details.also]).toEqual([
      409,
      "in_use",
      [{ kind: "dns_record", name: "other" }],
    ]);
    expect(await records()).toContain("other");
  };
  await send("/apply", { ...zone, dns_records: [record("own")] });
  const { id } = (await send("/dns/records", record("other"))).body;
  await refused();
  await as("admin", "DELETE", `/dns/records/${id}`);
  await send("/apply", { owner: "guests", dns_records: [record("other")] });
  await refused();
  await send("/apply?prune=true", { owner: "guests" });
  expect(await records()).toEqual(["own"]);
  expect((await send("/apply?prune=true", { owner: "home" })).body.summary).toMatchObject({ delete: 2 });
  expect(await records()).toEqual([]);
});

test("configuration: a provisional apply changes no owner; a later one without a deadline does", async () => {
  await empty();
  await send("/devices", { name: "Kids" });
  const document = { owner: "home", devices: [{ name: "Kids", notes: "x" }] };
  const none = { owner: "home", devices: [] };
  expect((await send("/apply?confirm_within=600", document)).body).toMatchObject({ adopted: 0, released: 0 });
  await send("/changes/revert", undefined);
  expect((await send("/apply?prune=true", none)).body.result).toBe("unchanged");
  expect(await names("/devices")).toEqual(["Kids"]);
  await send("/apply?confirm_within=600", document);
  await send("/changes/confirm", undefined);
  expect((await send("/apply", document)).body).toMatchObject({ result: "changes", changes: [], adopted: 1 });
  // The provisional deletion keeps the owner of what is gone.
  await send("/apply?prune=true&confirm_within=600", none);
  await send("/changes/confirm", undefined);
  expect(await names("/devices")).toEqual([]);
  await send("/devices", { name: "Kids" });
  expect((await send("/apply?prune=true", none)).body.result).toBe("unchanged");
  expect(await names("/devices")).toEqual(["Kids"]);
});

test("configuration: a secret is never shown, kept where it is not given, and needed to create a resource", async () => {
  const proxy = { name: "far", kind: "upstream", address: "192.0.2.7:1080", username: "me", password: "hush-canary-1" };
  await send("/apply", { proxies: [proxy] });
  const before = await state();
  expect((await send("/apply", { proxies: [proxy] })).body.result).toBe("unchanged");
  expect((await send("/apply", { proxies: [{ ...proxy, password: { secret: "stored" } }] })).body.result).toBe(
    "unchanged",
  );
  expect(await state()).toEqual(before);
  const changed = await send("/apply", { proxies: [{ ...proxy, password: "hush-canary-2" }] });
  expect(changed.body.changes).toMatchObject([
    { fields: [{ field: "secrets", before: "(secret)", after: "(secret)" }] },
  ]);
  const exported = (await as("admin", "GET", "/config/export")).body;
  expect(exported.proxies).toMatchObject([{ name: "far", username: "me", password: { secret: "stored" } }]);
  const audited = JSON.stringify([exported, changed.body, await list("/audit")]);
  expect(audited).not.toContain("hush-canary");
  const created = await send("/apply", { proxies: [{ ...proxy, name: "copy", password: { secret: "stored" } }] });
  expect(created.body.error.message).toBe(
    'proxies "copy": proxies.0.password: has no stored value: give the value itself to create the resource',
  );
  const moved = await send("/apply", {
    proxies: [{ ...proxy, address: "192.0.2.8:1080", password: { secret: "stored" } }],
  });
  expect([moved.status, moved.body.error.details.fields[0].field]).toEqual([400, "body.proxies.0.password"]);
});

test("configuration: an unconfirmed apply is reverted as a whole, with what was staged before", async () => {
  await empty();
  await send("/routing/policies", { name: "draft", source_type: "all", priority: 5 });
  const document = { devices: [{ name: "later" }], profiles: [{ name: "abroad" }] };
  const applied = (await send("/apply?confirm_within=600", document)).body;
  expect(applied).toMatchObject({ published_along: [{ kind: "routing_policy", name: "draft", change: "added" }] });
  expect(applied.confirm_until).not.toBeNull();
  const waiting = await send("/validate", { devices: [{ name: "another" }] });
  expect([waiting.status, waiting.body.error.code]).toEqual([409, "change_pending"]);
  await send("/changes/revert", undefined);
  expect(await names("/devices")).not.toContain("later");
  expect((await as("admin", "GET", "/changes")).body.staged).toMatchObject([{ name: "draft", change: "added" }]);
  // Without policies and profiles, a document leaves what is staged alone.
  await send("/apply", { devices: [{ name: "later" }] });
  expect((await as("admin", "GET", "/changes")).body.staged).toHaveLength(1);
  await empty();
});

const smallest: Readonly<Record<string, object>> = {
  dhcp: { ranges: [] },
  router_advertisements: { interfaces: [] },
  dns_rotation: { mode: "random" },
};

test("configuration: a document needs the role that the endpoints of its sections need", async () => {
  for (const { name, form, role } of sections) {
    const document = { [name]: form === "list" ? [] : (smallest[name] ?? {}) };
    for (const path of ["/validate", "/apply"]) {
      const [admin, operator, viewer] = await Promise.all(
        (["admin", "operator", "viewer"] as const).map(async (it) => (await as(it, "POST", path, document)).status),
      );
      expect([name, admin, operator, viewer]).toEqual([name, 200, role === "admin" ? 403 : 200, 403]);
    }
    expect((await as("operator", "POST", "/config/import", document)).status).toBe(403);
  }
  expect(sections.filter(({ role }) => role === "admin").map(({ name }) => name)).toEqual([
    "secrets",
    "alert_channels",
    "settings",
    "mqtt",
  ]);
  const lists = { dns_lists: [{ name: "near", url: "http://192.168.1.9/list", allow_private: true }] };
  expect((await as("operator", "POST", "/apply", lists)).status).toBe(403);
  await send("/apply", { owner: "home", secrets: [{ name: "token", value: "hush" }] });
  expect((await as("operator", "POST", "/apply?prune=true", { owner: "home" })).status).toBe(403);
  expect((await as("viewer", "GET", "/config/export")).body).toMatchObject({
    omitted: ["secrets", "alert_channels", "mqtt"],
  });
});

test("configuration: YAML is accepted; aliases, deep nesting and large text are refused", async () => {
  const yaml = (text: string) => send("/validate", text, "application/yaml");
  const good = await yaml("owner: home # of the family\ndevices:\n  - {name: tablet, ips: [192.0.2.1]}\n");
  expect(good.body.changes).toMatchObject([{ section: "devices", name: "tablet", action: "create" }]);
  expect((await yaml("devices: [&a {name: x}, *a]")).body.error.message).toBe(
    "Line 1, column 25: /devices/1 is an alias; write the value out",
  );
  const laughs = [
    "l0: &l0 [x,x,x,x,x,x,x,x,x]",
    ...Array.from({ length: 8 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at},`.repeat(9)}]`),
  ];
  const refused = [await yaml(laughs.join("\n")), await yaml("[".repeat(100_000)), await yaml("devices: !!js x")];
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
  expect((await yaml(`# ${"x".repeat(documentLimits.yamlBytes)}`)).status).toBe(413);
  expect((await yaml("devicez: []")).body.error.message).toContain('did you mean "devices"');
  expect((await send("/devices", "name: x", "application/yaml")).status).toBe(415);
});

test("configuration: the published JSON Schema accepts an export, and refuses a misspelt field", async () => {
  await send("/apply", home);
  const schema = (await gateway.request("GET", "/config/schema")).json();
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  (ajvFormats as unknown as (it: Ajv2020) => void)(ajv);
  const validate = ajv.compile(schema);
  const exported = (await as("admin", "GET", "/config/export")).body;
  expect([validate({ $schema: "https://gateway/api/v1/config/schema", ...exported }), validate.errors]).toEqual([
    true,
    null,
  ]);
  expect(validate({ ...exported, devices: [{ name: "x", ips: ["no address"] }] })).toBe(false);
  expect(validate({ ...exported, devices: [{ nmae: "x" }] })).toBe(false);
});
