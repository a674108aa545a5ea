import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const refused = async (gateway: TestGateway, method: string, path: string, body: unknown) => {
  const reply = await gateway.request(method, path, { body });
  const { code, details } = reply.json().error ?? {};
  return { status: reply.status, code, ...details?.fields?.[0] };
};

test("DNS services: a service is blocked, restricted and released for a source, by one filter rule", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  await client.devices.create({ body: { name: "TV" } });
  const source = { source_type: "device", source_value: "TV" } as const;
  const set = (action: "none" | "allow" | "block" | "safe_search") =>
    client.dnsServices.set({ params: { id: "youtube" }, body: { action, ...source } });
  const blocked = await set("block");
  expect(blocked).toMatchObject({ service: "youtube", action: "block", source_name: "TV" });
  const params = { id: blocked.rule_id! };
  expect(await client.dnsFilterRules.get({ params })).toMatchObject({
    name: "YouTube: TV",
    action: "block",
    match: "service",
    pattern: "youtube",
  });
  await client.dnsFilterRules.update({ params, body: { enabled: false } });
  expect((await set("safe_search")).rule_id).toBe(params.id);
  expect(await client.dnsFilterRules.get({ params })).toMatchObject({ action: "safe_search", enabled: true });
  expect((await set("none")).rule_id).toBeNull();
  expect((await client.dnsFilterRules.list({ query: {} })).items).toEqual([]);
  expect((await set("none")).rule_id).toBeNull();
});

test("DNS services: a category is a pattern, and a name that a rule has already is not used again", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const taken = { name: "social: everyone", action: "block", match: "exact", pattern: "x.example" } as const;
  await client.dnsFilterRules.create({ body: taken });
  await client.dnsServices.set({ params: { id: "social" }, body: { action: "block" } });
  const { items } = await client.dnsFilterRules.list({ query: {} });
  expect(items.map(({ name, pattern }) => [name, pattern])).toEqual([
    ["social: everyone", "x.example"],
    ["social: everyone 2", "social"],
  ]);
});

test("DNS services: the catalogue has domains; unknown services and impossible actions are refused with what is possible", async () => {
  await using gateway = await startGateway();
  const listed = await gateway.client.dnsServices.list({});
  expect(listed.find(({ id }) => id === "youtube")).toMatchObject({ category: "video", safe_search: true });
  expect(listed.find(({ id }) => id === "signal")?.domains).toContain("signal.org");
  const rule = { name: "R", action: "block", match: "service", pattern: "my-space" };
  const unknown = await refused(gateway, "POST", "/dns/filter-rules", rule);
  expect(unknown).toMatchObject({ status: 400, field: "body.pattern" });
  expect(unknown.problem).toMatch(/is no service or category; possible are video, .*youtube/);
  const unsafe = await refused(gateway, "PUT", "/dns/services/netflix", { action: "safe_search" });
  expect(unsafe).toMatchObject({ status: 400, field: "path.id" });
  expect(unsafe.problem).toMatch(/has no safe search; possible are .*google/);
  const regex = { ...rule, match: "regex", pattern: "x", action: "safe_search" };
  expect(await refused(gateway, "POST", "/dns/filter-rules", regex)).toMatchObject({ field: "body.action" });
});
