import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";

const config = { network: { lan_iface: "lan0", wan_iface: "wan0" } };
const hops = (...targets: string[]) => targets.map((target) => ({ type: "vpn" as const, target }));

/** Two devices and three policies: one by a hop that is there, one that passes on, one that blocks. */
async function furnished(): Promise<TestGateway> {
  const gateway = await startGateway({ config });
  const { client } = gateway;
  await client.devices.create({ body: { name: "TV", mac: "02:00:00:00:00:01" } });
  await client.devices.create({ body: { name: "Lamp", ips: ["10.0.0.9"] } });
  for (const body of [
    { name: "by lo", source_type: "device" as const, source_value: "TV", priority: 1, hops: hops("lo") },
    {
      name: "passing on",
      source_type: "device" as const,
      source_value: "Lamp",
      priority: 2,
      hops: hops("gone"),
      fail_policy: "fail-over" as const,
    },
    { name: "blocked", source_type: "subnet" as const, source_value: "10.0.0.0/8", priority: 3 },
  ])
    await client.routing.create({ body });
  await client.routing.apply();
  return gateway;
}

test("render: shows tables, rules, routes and settings of the published revision with the dataplane off", async () => {
  await using gateway = await furnished();
  const { client } = gateway;
  const { revision, nftables, rules, routes, sysctl } = await client.enforcement.render();
  expect(revision).toBe((await client.status.status()).revision);
  for (const table of ["_guard", "_nat", "_redirect", "_scans", ""])
    expect(nftables).toContain(`table inet portcullis${table} {`);
  expect(nftables).toContain("02:00:00:00:00:01 : 0x00000002");
  expect(rules).toContain("ip -4 rule add priority 7101 from all fwmark 0x80000001/0x800000ff lookup 7001");
  expect(routes).toContain("ip -6 route add default dev lo table 7002 metric 10");
  expect(sysctl["net.ipv4.ip_forward"]).toBe("1");

  await client.routing.create({ body: { name: "staged", source_type: "device", source_value: "Lamp", priority: 0 } });
  expect((await client.enforcement.render()).nftables).toBe(nftables);
});

test("render: contains an exception, with its remaining time", async () => {
  await using gateway = await startGateway({ config, now: () => new Date("2030-01-01T00:00:00Z") });
  const { client } = gateway;
  await client.devices.create({ body: { name: "TV", mac: "02:00:00:00:00:01" } });
  const { id } = await client.exceptions.create({ body: { type: "quarantine", device_id: "TV", duration_min: 5 } });
  const { nftables } = await client.enforcement.render();
  expect(nftables).toContain(`02:00:00:00:00:01 timeout 300000ms comment "exception ${id}"`);
});

test("enforce: lists rules in the order of evaluation, those without a policy last, in pages", async () => {
  await using gateway = await furnished();
  const { client } = gateway;
  const { items, total } = await client.enforcement.rules();
  expect(total).toBe(6);
  expect(
    items.map(({ rank, name, outcome, interfaces, egress, table }) => [
      rank,
      name,
      outcome,
      interfaces.join(),
      egress,
      table,
    ]),
  ).toEqual([
    [2, "by lo", "egress", "lo", 2, 7002],
    [3, "passing on", "next", "", 255, null],
    [4, "blocked", "block", "", 255, null],
    [0x1_fffd, "failover_exhausted", "block", "", 255, null],
    [0x1_fffe, "tunnel_required", "block", "", 255, null],
    [0x1_ffff, "unmatched", "direct", "wan0", 1, 7001],
  ]);
  expect(items[0]).toMatchObject({
    source_type: "device",
    reason: "Every hop is up",
    coded_reason: { code: "hops_all_up", params: {} },
    mark: expect.stringMatching(/^0xc0\w{4}02$/) as string,
  });
  const first = await client.enforcement.rules({ query: { limit: 4 } });
  const rest = await client.enforcement.rules({ query: { limit: 4, cursor: first.next! } });
  expect([...first.items, ...rest.items]).toEqual(items);
  expect(rest.next).toBeUndefined();
});

test("hits: a row for each policy in the order of evaluation; with the dataplane off none is in force", async () => {
  await using gateway = await furnished();
  const { client } = gateway;
  const ordered = (await client.policyViews.failMatrix()).map(({ policy_id, name }) => ({ policy_id, name }));
  expect(ordered).toHaveLength(3);
  expect(await client.policyViews.hits()).toEqual(
    ordered.map(({ policy_id, name }) => ({
      policy_id,
      policy_name: name,
      connections: 0,
      since: null,
      last_hit: null,
    })),
  );
});

test("enforce: allocates no numbers: a plan has the same one in each response", async () => {
  await using gateway = await furnished();
  const rules = async () => (await gateway.client.enforcement.rules()).items;
  expect(await rules()).toEqual(await rules());
});

test("leak matrix: begins with the unknown device, in pages", async () => {
  await using gateway = await furnished();
  const { client } = gateway;
  const { items, total } = await client.policyViews.leakMatrix();
  expect(total).toBe(3);
  expect(items.map(({ name, now, exposed_when, blocked_when }) => ({ name, now, exposed_when, blocked_when }))).toEqual(
    [
      {
        name: "unknown device",
        now: "exposed",
        exposed_when: ["now", "all up", "gone down", "lo down", "all down"],
        blocked_when: [],
      },
      { name: "TV", now: "protected", exposed_when: [], blocked_when: ["lo down", "all down"] },
      { name: "Lamp", now: "blocked", exposed_when: [], blocked_when: ["now", "gone down", "all down"] },
    ],
  );
  expect(items[0]).toMatchObject({ device_id: null });
  const paged: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.policyViews.leakMatrix({ query: { limit: 1, ...(cursor !== undefined && { cursor }) } });
    paged.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  expect(paged).toEqual(items);
});

test("leak matrix: a bypass is exposed in every scenario", async () => {
  await using gateway = await furnished();
  const { client } = gateway;
  await client.exceptions.create({ body: { type: "emergency-bypass", device_id: "TV" } });
  const { items } = await client.policyViews.leakMatrix();
  expect(items.find(({ name }) => name === "TV")).toMatchObject({ now: "exposed", blocked_when: [] });
});

test("postures: those of all devices are the first column of the leak matrix, with the policy that decides", async () => {
  await using gateway = await furnished();
  const { client } = gateway;
  const exception = await client.exceptions.create({ body: { type: "emergency-bypass", device_id: "Lamp" } });
  const [unknown, ...matrix] = (await client.policyViews.leakMatrix()).items;
  const { devices, unknown_device, ...counts } = await client.policyViews.postures();
  expect(devices.map((it) => [it.device_id, it.posture])).toEqual(matrix.map((it) => [it.device_id, it.now]));
  expect(unknown_device).toBe(unknown!.now);
  expect(counts).toEqual({ protected: 1, blocked: 0, exposed: 1 });
  const [tv, lamp] = matrix;
  const policy = (await client.routing.list()).items.find(({ name }) => name === "by lo")!;
  expect(devices).toEqual([
    {
      device_id: tv!.device_id,
      device_name: "TV",
      posture: "protected",
      policy_id: policy.id,
      policy_name: "by lo",
      exception_id: null,
    },
    {
      device_id: lamp!.device_id,
      device_name: "Lamp",
      posture: "exposed",
      policy_id: null,
      policy_name: null,
      exception_id: exception.id,
    },
  ]);
});

test("egress: a policy that never matches names the first policy before it; staged changes do not count", async () => {
  await using gateway = await furnished();
  const { client } = gateway;
  const tv = { source_type: "device" as const, source_value: "TV" };
  const shadows = async () =>
    Object.fromEntries((await client.tunnels.egress()).map(({ policy, shadowed_by }) => [policy, shadowed_by]));
  const ids = async () => new Map((await client.routing.list()).items.map(({ id, name }) => [name, id]));
  await client.routing.create({ body: { name: "late", ...tv, priority: 50, fail_policy: "fail-open" } });
  expect(await shadows()).toEqual({ "by lo": null, "passing on": null, blocked: null });
  await client.routing.apply();
  expect(await shadows()).toMatchObject({ "by lo": null, late: (await ids()).get("by lo") });

  const wide = { name: "wide", source_type: "all" as const, priority: 0, fail_policy: "fail-open" as const };
  const { id } = await client.routing.create({ body: wide });
  expect(await shadows()).toMatchObject({ "by lo": null });
  await client.routing.apply();
  expect(await shadows()).toEqual({ wide: null, "by lo": id, "passing on": id, blocked: id, late: id });

  // A policy that leaves the decision to the next one shadows nothing.
  await client.routing.update({ params: { id }, body: { fail_policy: "fail-over" } });
  await client.routing.apply();
  expect(await shadows()).toMatchObject({ wide: null, "by lo": null, blocked: null });
});
