import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

async function refusal(gateway: TestGateway, method: string, path: string, body?: unknown) {
  const reply = await gateway.request(method, path, body === undefined ? {} : { body });
  const { code, details } = reply.json().error ?? {};
  return { status: reply.status, code, field: details?.fields?.[0]?.field };
}
const wrong = (field: string) => ({ status: 400, code: "invalid_request", field: `body.${field}` });
const taken = { status: 409, code: "conflict" };

test("DNS filters: a rule is made for a source, found by it, changed and deleted", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const tv = await client.devices.create({ body: { name: "TV" } });
  const body = { name: "No telemetry", action: "block", match: "wildcard", pattern: "*.Telemetry.Example." } as const;
  const made = await client.dnsFilterRules.create({ body: { ...body, source_type: "device", source_value: "TV" } });
  expect(made).toEqual({
    id: made.id,
    ...body,
    pattern: "telemetry.example",
    source_type: "device",
    source_value: tv.id,
    source_name: "TV",
    enabled: true,
    note: "",
    schedule_id: null,
  });
  await client.dnsFilterRules.create({ body: { ...body, name: "All", match: "exact", pattern: "x.example" } });
  const listed = async (query: object) => (await client.dnsFilterRules.list({ query })).items.map(({ name }) => name);
  expect(await listed({})).toEqual(["No telemetry", "All"]);
  expect(await listed({ source_type: "device" })).toEqual(["No telemetry"]);
  expect(await listed({ name: "X.EX" })).toEqual(["All"]);
  expect(await listed({ action: "allow" })).toEqual([]);

  const params = { id: made.id };
  expect(await client.dnsFilterRules.update({ params, body: { source_type: "everyone" } })).toMatchObject({
    source_type: "everyone",
    source_value: "",
  });
  expect(await client.dnsFilterRules.get({ params })).toMatchObject({ pattern: "telemetry.example" });
  expect(await client.dnsFilterRules.remove({ params })).toEqual({ id: made.id, deleted: true });
});

test("DNS filters: changing and deleting take the id in the query or the body too", async () => {
  await using gateway = await startGateway();
  const make = async (domain: string) => (await gateway.client.dnsAllowlist.create({ body: { domain } })).id;
  const [a, b] = [await make("a.example"), await make("b.example")];
  expect((await gateway.request("PUT", `/dns/allowlist?id=${a}`, { body: { note: "x" } })).json().note).toBe("x");
  expect((await gateway.request("DELETE", `/dns/allowlist?id=${a}`)).json()).toEqual({ id: a, deleted: true });
  expect((await gateway.request("DELETE", "/dns/allowlist", { body: { id: b } })).json().deleted).toBe(true);
});

test("filter rules: a resource that a rule refers to cannot be deleted", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const device = await client.devices.create({ body: { name: "TV" } });
  const group = await client.deviceGroups.create({ body: { name: "Screens" } });
  const privacy = await client.privacyClasses.create({ body: { name: "Strict" } });
  const block = async (source_type: "device" | "device_group" | "privacy_class", source_value: string) =>
    (await client.dnsBlocklist.create({ body: { domain: "ads.example", source_type, source_value } })).id;
  const ids = [
    await block("device", "TV"),
    await block("device_group", "Screens"),
    await block("privacy_class", privacy.id),
  ];
  const places = [`/devices/${device.id}`, `/device-groups/${group.id}`, `/privacy-classes/${privacy.id}`];
  for (const place of places)
    expect((await gateway.request("DELETE", place)).json().error).toMatchObject({
      code: "in_use",
      details: { referenced_by: { dns_block_entries: 1 } },
    });
  for (const id of ids) await client.dnsBlocklist.remove({ params: { id } });
  for (const place of places) expect((await gateway.request("DELETE", place)).status).toBe(200);
});

test.each([
  ["pattern", { pattern: "a..example" }],
  ["pattern", { pattern: "-a.example" }],
  ["pattern", { pattern: "a b.example" }],
  ["pattern", { pattern: `${"x".repeat(64)}.example` }],
  ["pattern", { pattern: "192.0.2.7" }],
  ["pattern", { pattern: "bücher.example/x" }],
  ["pattern", { match: "exact", pattern: "*.a.example" }],
  ["source_value", { source_type: "device", source_value: "unknown" }],
  ["source_value", { source_type: "device" }],
  ["source_value", { source_type: "subnet", source_value: "10.0.0.0/33" }],
  ["source_value", { source_value: "TV" }],
  ["match", { match: "glob" }],
])("DNS filters: a rule with a wrong %s is refused by it: %j", async (field, body) => {
  await using gateway = await startGateway();
  const defaults = { name: "Rule", action: "block", match: "suffix", pattern: "ads.example" };
  expect(await refusal(gateway, "POST", "/dns/filter-rules", { ...defaults, ...body })).toEqual(wrong(field));
  expect((await gateway.request("POST", "/dns/filter-rules", { body: defaults })).status).toBe(201);
});

test("DNS filters: a domain has one spelling, also beyond ASCII", async () => {
  await using gateway = await startGateway();
  const kept = async (domain: string) => (await gateway.client.dnsBlocklist.create({ body: { domain } })).domain;
  expect(await kept("Bücher.Example")).toBe("xn--bcher-kva.example");
  expect(await kept("_DMARC.example.")).toBe("_dmarc.example");
  expect(await kept("*.ads.example")).toBe("ads.example");
  expect(await refusal(gateway, "POST", "/dns/blocklist", { domain: "BÜCHER.example" })).toMatchObject(taken);
});

test("DNS filters: nothing is said twice of one source, and of another it may be", async () => {
  await using gateway = await startGateway();
  const say = (path: string, body: object) => refusal(gateway, "POST", path, body);
  const rule = { name: "One", action: "block", match: "suffix", pattern: "ads.example" };
  expect(await say("/dns/filter-rules", rule)).toMatchObject({ status: 201 });
  expect(await say("/dns/filter-rules", { ...rule, name: "Two", action: "allow" })).toMatchObject(taken);
  expect(await say("/dns/filter-rules", { ...rule, pattern: "b.example" })).toMatchObject(taken);
  const elsewhere = { source_type: "subnet", source_value: "10.0.0.9/24" };
  expect(await say("/dns/filter-rules", { ...rule, name: "Two", ...elsewhere })).toMatchObject({ status: 201 });
  expect(await say("/dns/allowlist", { domain: "ads.example" })).toMatchObject({ status: 201 });
  expect(await say("/dns/allowlist", { domain: "ads.example" })).toMatchObject(taken);
  expect(await say("/dns/allowlist", { domain: "ads.example", ...elsewhere })).toMatchObject({ status: 201 });
  expect(await say("/dns/blocklist", { domain: "ads.example" })).toMatchObject({ status: 201 });
});

test("DNS filters: a name is rewritten to addresses, to another name, or to nothing", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const body = { domain: "nas.example", answer: "A", value: "192.0.2.7" } as const;
  expect(await client.dnsRewrites.create({ body })).toMatchObject({ ...body, match: "exact", enabled: true });
  const v6 = { domain: "nas.example", answer: "AAAA", value: "2001:DB8::7" } as const;
  const made = await client.dnsRewrites.create({ body: v6 });
  expect(made.value).toBe("2001:db8::7");
  const say = (more: object) => refusal(gateway, "POST", "/dns/rewrites", { domain: "nas.example", ...more });
  expect(await say({ answer: "A", value: "192.0.2.7" })).toMatchObject(taken);
  expect(await say({ answer: "NXDOMAIN" })).toMatchObject(taken);
  expect(await say({ answer: "CNAME", value: "b.example" })).toMatchObject(taken);
  expect(await say({ answer: "A", value: "192.0.2.8" })).toMatchObject({ status: 201 });
  for (const more of [
    { answer: "A", value: "2001:db8::7" },
    { answer: "AAAA", value: "192.0.2.7" },
    { answer: "A" },
    { answer: "NXDOMAIN", value: "192.0.2.7" },
    { answer: "CNAME", value: "not a name" },
    { answer: "CNAME", value: "nas.example" },
    { answer: "CNAME", match: "suffix", value: "a.nas.example" },
  ])
    expect([more, await say(more)]).toEqual([more, wrong("value")]);
  expect((await client.dnsRewrites.list({ query: { domain: "nas" } })).items).toHaveLength(3);
  expect(await client.dnsRewrites.update({ params: { id: made.id }, body: { enabled: false } })).toMatchObject({
    enabled: false,
  });
});

test("DNS filters: domains are blocked and unblocked for everyone in one call", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  await client.dnsBlocklist.create({ body: { domain: "a.example", note: "by hand" } });
  const own = { source_type: "subnet", source_value: "10.0.0.0/24" } as const;
  await client.dnsBlocklist.create({ body: { domain: "b.example", ...own } });
  expect(await client.dns.block({ body: { domains: ["A.example", "b.example.", "b.example"] } })).toEqual({
    domains: ["a.example", "b.example"],
    changed: ["b.example"],
  });
  expect(await client.dns.unblock({ body: { domains: ["b.example", "c.example"] } })).toEqual({
    domains: ["b.example", "c.example"],
    changed: ["b.example"],
  });
  const left = (await client.dnsBlocklist.list()).items.map(({ domain, source_type }) => `${domain} ${source_type}`);
  expect(left).toEqual(["a.example everyone", "b.example subnet"]);
  expect(await refusal(gateway, "POST", "/dns/block", { domains: ["fine.example", "not fine"] })).toEqual(
    wrong("domains.1"),
  );
  expect((await client.dnsBlocklist.list()).items).toHaveLength(2);
});
