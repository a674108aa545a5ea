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

test("schedules: a rule refers to one by name, is shown whether it is active, and protects it from deletion", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const body = { name: "Nights", days: ["sunday", "monday"], from: "21:00", to: "07:00" } as const;
  const made = await client.schedules.create({ body: { ...body, days: [...body.days] } });
  expect(made).toMatchObject({ ...body, note: "", next_change_at: expect.stringMatching(/:00\.000Z$/) });
  const whole = { name: "Whole", days: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] };
  const always = { ...whole, from: "00:00", to: "00:00" } as Parameters<typeof client.schedules.create>[0]["body"];
  expect(await client.schedules.create({ body: always })).toMatchObject({ active: true, next_change_at: null });

  const set = (schedule_id: string | null) =>
    client.dnsServices.set({ params: { id: "youtube" }, body: { action: "block", schedule_id } });
  const { rule_id } = await set("Nights");
  const params = { id: rule_id! };
  expect(await client.dnsFilterRules.get({ params })).toMatchObject({ schedule_id: made.id });
  expect(await refused(gateway, "DELETE", "/schedules/Nights", undefined)).toMatchObject({
    status: 409,
    code: "in_use",
  });
  await client.dnsServices.set({ params: { id: "youtube" }, body: { action: "allow" } });
  expect(await client.dnsFilterRules.get({ params })).toMatchObject({ schedule_id: made.id, action: "allow" });
  expect(await refused(gateway, "PUT", `/dns/filter-rules/${rule_id}`, { schedule_id: "Days" })).toMatchObject({
    field: "body.schedule_id",
  });
  await set(null);
  expect(await client.dnsFilterRules.get({ params })).toMatchObject({ schedule_id: null });
  await client.schedules.remove({ params: { id: "Nights" } });
});

test("DNS services: of the rules for several schedules the one of the request is changed, and none removes them all", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const night = await client.schedules.create({
    body: { name: "Nights", days: ["monday"], from: "21:00", to: "07:00" },
  });
  const rule = { action: "block", match: "service", pattern: "youtube" } as const;
  const scheduled = await client.dnsFilterRules.create({ body: { ...rule, name: "A", schedule_id: "Nights" } });
  const always = await client.dnsFilterRules.create({ body: { ...rule, name: "B", action: "safe_search" } });
  const set = (body: Parameters<typeof client.dnsServices.set>[0]["body"]) =>
    client.dnsServices.set({ params: { id: "youtube" }, body });
  expect((await set({ action: "allow", schedule_id: night.id })).rule_id).toBe(scheduled.id);
  expect((await set({ action: "block" })).rule_id).toBe(always.id);
  const listed = async () =>
    (await client.dnsFilterRules.list({ query: {} })).items.map(({ name, action }) => [name, action]);
  expect(await listed()).toEqual([
    ["A", "allow"],
    ["B", "block"],
  ]);
  expect((await set({ action: "none" })).rule_id).toBeNull();
  expect(await listed()).toEqual([]);
});

test("schedules: the same pattern can have a rule for each schedule, but not two for one", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  await client.schedules.create({ body: { name: "Nights", days: ["monday"], from: "21:00", to: "07:00" } });
  const rule = { action: "block", match: "exact", pattern: "x.example" } as const;
  await client.dnsFilterRules.create({ body: { ...rule, name: "A" } });
  await client.dnsFilterRules.create({ body: { ...rule, name: "B", schedule_id: "Nights" } });
  const third = await refused(gateway, "POST", "/dns/filter-rules", { ...rule, name: "C", schedule_id: "Nights" });
  expect(third).toMatchObject({ status: 409, code: "conflict" });
  const wrong = await refused(gateway, "POST", "/schedules", {
    name: "N",
    days: ["monday"],
    from: "9:00",
    to: "10:00",
  });
  expect(wrong).toMatchObject({ status: 400, field: "body.from" });
});
