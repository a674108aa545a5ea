import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const config = { network: { lan_iface: "lan0", wan_iface: "wan0" } };
/** Local time; 2026-11-16 is a Monday. */
const at = (hour: number, minute = 0) => new Date(2026, 10, 16, hour, minute);
const nights = { name: "Nights", days: ["monday" as const], from: "21:00", to: "23:00" };

/** A gateway whose clock the test sets. */
async function gatewayAt(hour: number) {
  let date = at(hour);
  const gateway = await startGateway({ config, now: () => date });
  const set = (next: Date): void => void (date = next);
  await gateway.client.schedules.create({ body: nights });
  await gateway.client.devices.create({ body: { name: "TV", mac: "02:00:00:00:00:01" } });
  return { gateway, client: gateway.client, set };
}
const tv = { source_type: "device" as const, source_value: "TV" };
const refused = async (gateway: TestGateway, method: string, path: string, body?: object) => {
  const answer = await gateway.request(method, path, { ...(body && { body }) });
  const { code, details } = answer.json().error;
  const [field] = (details?.fields ?? []) as { field: string; problem: string }[];
  return { status: answer.status, code, field: field?.field, problem: field?.problem };
};

test("policy schedules: a policy takes one by name, shows its state, protects it from deletion, and gives it up with null", async () => {
  const { gateway, client, set } = await gatewayAt(20);
  await using _ = gateway;
  const made = await client.routing.create({ body: { name: "p", ...tv, schedule_id: "Nights" } });
  const { id: schedule_id } = await client.schedules.get({ params: { id: "Nights" } });
  const state = (active: boolean, change: Date) => ({
    schedule_id,
    schedule: { name: "Nights", active, next_change_at: change.toISOString() },
  });
  expect(made).toMatchObject(state(false, at(21)));
  set(at(21));
  const shown = () => client.routing.get({ params: { id: made.id } });
  expect(await shown()).toMatchObject(state(true, at(23)));
  expect(await refused(gateway, "DELETE", "/schedules/Nights")).toMatchObject({ status: 409, code: "in_use" });
  const without = await client.routing.update({ params: { id: made.id }, body: { schedule_id: null } });
  expect(without).toMatchObject({ schedule_id: null, schedule: null });
  await client.schedules.remove({ params: { id: "Nights" } });
});

test("policy schedules: an unknown one, and one of a policy for a domain, are refused with what is allowed", async () => {
  const { gateway, client } = await gatewayAt(20);
  await using _ = gateway;
  const create = (body: object) => refused(gateway, "POST", "/routing/policies", { name: "p", ...body });
  expect(await create({ ...tv, schedule_id: "Night" })).toMatchObject({ field: "body.schedule_id" });
  const domain = { source_type: "domain", source_value: "bank.example" };
  expect(await create({ ...domain, schedule_id: "Nights" })).toEqual({
    status: 400,
    code: "invalid_request",
    field: "body.schedule_id",
    problem:
      "a policy for a domain cannot have a schedule; source types that may have one: all, interface, vlan, subnet, device, device_group, destination",
  });
  const made = await client.routing.create({ body: { name: "p", ...tv, schedule_id: "Nights" } });
  const changed = await refused(gateway, "PUT", `/routing/policies/${made.id}`, domain);
  expect(changed).toMatchObject({ status: 400, field: "body.schedule_id" });
  expect(
    await client.routing.update({ params: { id: made.id }, body: { ...domain, schedule_id: null } as never }),
  ).toMatchObject(domain);
});

test("policy schedules: outside of its schedule a policy decides nothing, and the trace says when it begins", async () => {
  const { gateway, client, set } = await gatewayAt(20);
  await using _ = gateway;
  const night = await client.routing.create({ body: { name: "night", ...tv, priority: 1, schedule_id: "Nights" } });
  const open = { name: "day", ...tv, priority: 2, fail_policy: "fail-open" as const };
  const day = await client.routing.create({ body: open });
  await client.routing.apply();
  const ask = (body: object = {}) => client.policyViews.evaluate({ body: { device_id: "TV", ...body } });
  const atDay = { outcome: "direct", policy_id: day.id };
  const atNight = { outcome: "block", policy_id: night.id };

  expect(await ask()).toMatchObject({
    ...atDay,
    trace: [
      { name: "night", matched: false, reason: `Its schedule Nights is not active before ${at(21).toISOString()}` },
      { name: "day", decided: true },
    ],
  });
  const later = await ask({ at: at(22).toISOString() });
  const reason = expect.stringContaining(`its schedule Nights is active until ${at(23).toISOString()}`);
  expect(later).toMatchObject({ ...atNight, reason, trace: [{ name: "night", decided: true, reason }] });
  const [first] = await client.policyViews.failMatrix();
  expect(first!.now).toMatch(/^waits: /);
  expect((await client.tunnels.egress()).map(({ policy }) => policy)).toEqual(["day"]);
  expect((await client.policyViews.postures()).devices).toMatchObject([{ posture: "exposed", policy_name: "day" }]);

  set(at(21));
  expect(await ask()).toMatchObject({ ...atNight, trace: [{ name: "night", decided: true }] });
  expect(await ask({ at: at(23).toISOString() })).toMatchObject(atDay);
  expect((await client.tunnels.egress()).map(({ policy, shadowed_by }) => [policy, shadowed_by])).toEqual([
    ["night", null],
    ["day", night.id],
  ]);
  expect((await client.policyViews.postures()).devices).toMatchObject([{ posture: "blocked", policy_name: "night" }]);
  set(at(23));
  expect(await ask()).toMatchObject(atDay);
});

test("policy schedules: a schedule is staged with its policy, and has no effect on packets before the apply", async () => {
  const { gateway, client } = await gatewayAt(22);
  await using _ = gateway;
  await client.routing.create({ body: { name: "night", ...tv, schedule_id: "Nights" } });
  const outcome = async (staged: boolean) =>
    (await client.policyViews.evaluate({ body: { device_id: "TV", staged } })).policy_id !== null;
  expect([await outcome(false), await outcome(true)]).toEqual([false, true]);
  const render = async () => (await client.enforcement.render()).nftables;
  expect(await render()).not.toContain("set window_1");
  await client.routing.apply();
  expect(await outcome(false)).toBe(true);
  const seconds = (date: Date) => date.getTime() / 1000;
  expect(await render()).toContain(`meta time != ${seconds(at(21))}-${seconds(at(23))} jump over_1`);
  expect(await render()).toContain(`"lan0" timeout 3602000ms comment`);
});

test("policy schedules: one that a policy in force has is not deleted before an apply has taken it from the policy", async () => {
  const { gateway, client } = await gatewayAt(20);
  await using _ = gateway;
  const { id } = await client.routing.create({ body: { name: "night", ...tv, schedule_id: "Nights" } });
  await client.routing.apply();
  await client.routing.update({ params: { id }, body: { schedule_id: null } });
  expect(await refused(gateway, "DELETE", "/schedules/Nights")).toMatchObject({ status: 409, code: "in_use" });
  await client.routing.apply();
  await client.schedules.remove({ params: { id: "Nights" } });
});

test("policy schedules: two at the same priority contradict each other also if they never apply at the same time", async () => {
  const { gateway, client } = await gatewayAt(20);
  await using _ = gateway;
  await client.schedules.create({ body: { ...nights, name: "Mornings", from: "06:00", to: "07:00" } });
  await client.routing.create({ body: { name: "a", ...tv, schedule_id: "Nights" } });
  const other = { name: "b", ...tv, fail_policy: "fail-open" as const, schedule_id: "Mornings" };
  expect(await refused(gateway, "POST", "/routing/policies", other)).toMatchObject({ code: "policy_conflict" });
  await client.routing.create({ body: { ...other, priority: 99 } });
});
