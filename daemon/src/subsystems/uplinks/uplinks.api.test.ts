import { describe, expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

const refused = async (call: Promise<unknown>) =>
  call.then(
    () => "accepted",
    (problem: { code: string; message: string }) => `${problem.code}: ${problem.message}`,
  );
const config = { network: { wan_iface: "eth0", lan_iface: "eth1", more_lan_ifaces: ["eth1.10"] } };
const fibre = { name: "fibre", interface: "eth0", priority: 10, enabled: true, probe_targets: ["192.0.2.1"] };
const mobile = { name: "mobile", interface: "wwan0" };
const defaults = { priority: 100, enabled: true, probe_targets: ["1.1.1.1", "9.9.9.9"] };

describe("uplinks: the uplinks", () => {
  test("are the one of the bootstrap file by default", async () => {
    await using gateway = await startGateway({ config });
    expect(await gateway.client.uplinks.get()).toEqual({
      wan_failover_mode: "manual",
      active: null,
      uplinks: [{ name: "eth0", interface: "eth0", ...defaults }],
    });
  });

  test("are replaced as a whole, and fields that are not given keep their value", async () => {
    await using before = await startGateway({ config });
    const set = await before.client.uplinks.put({ body: { active: "fibre", uplinks: [fibre, mobile] } });
    expect(set).toEqual({
      wan_failover_mode: "manual",
      active: "fibre",
      uplinks: [fibre, { ...mobile, ...defaults }],
    });

    await using gateway = await before.restart();
    const { uplinks, audit, changes, snapshots } = gateway.client;
    expect(await uplinks.get()).toEqual(set);
    expect(await uplinks.put({ body: { wan_failover_mode: "auto" } })).toEqual({ ...set, wan_failover_mode: "auto" });
    expect(await uplinks.put({ body: { active: null } })).toMatchObject({ wan_failover_mode: "auto", active: null });
    expect(await uplinks.put({ body: { uplinks: [fibre] } })).toMatchObject({ uplinks: [fibre] });
    expect((await audit.list()).items.map(({ action, resource_id }) => `${action} ${resource_id}`)).toEqual(
      Array.from({ length: 4 }, () => "update_uplinks uplinks"),
    );
    const { id } = (await changes.show()).applied;
    expect((await snapshots.get({ params: { id } })).document["uplinks"]).toEqual([
      { id: "uplinks", wan_failover_mode: "auto", active: null, uplinks: [fibre] },
    ]);
  });

  test("go back with a rollback", async () => {
    await using gateway = await startGateway({ config });
    const { uplinks, changes, snapshots } = gateway.client;
    await uplinks.put({ body: { uplinks: [fibre, mobile] } });
    const { id } = (await changes.show()).applied;
    const before = await uplinks.get();
    await uplinks.put({ body: { wan_failover_mode: "auto", active: "mobile" } });
    await snapshots.rollback({ body: { snapshot: id } });
    expect(await uplinks.get()).toEqual(before);
  });

  test("spell each probe target once", async () => {
    await using gateway = await startGateway({ config });
    const { uplinks } = await gateway.client.uplinks.put({
      body: { uplinks: [{ ...fibre, probe_targets: ["2001:DB8:0::1", "2001:db8::1"] }] },
    });
    expect(uplinks[0]!.probe_targets).toEqual(["2001:db8::1"]);
  });

  test.each([
    ["a name twice", [fibre, { ...mobile, name: "fibre" }], "invalid_request: body.uplinks: name fibre twice"],
    ["an interface twice", [fibre, { ...mobile, interface: "eth0" }], "use the interface eth0 twice"],
    ["none that is on", [{ ...fibre, enabled: false }], "invalid_request: body.uplinks: need one that is enabled"],
    ["a LAN interface", [fibre, { ...mobile, interface: "eth1" }], "conflict: eth1 is a LAN interface"],
    ["another LAN interface", [fibre, { ...mobile, interface: "eth1.10" }], "conflict: eth1.10 is a LAN interface"],
    ["not the bootstrap file's", [mobile], "conflict: eth0 must be among them: it is network.wan_iface"],
    ["none at all", [], "invalid_request"],
    ["nine", Array.from({ length: 9 }, (_, at) => ({ name: `${at}`, interface: `eth${at}` })), "invalid_request"],
    ["no probe targets", [{ ...fibre, probe_targets: [] }], "invalid_request"],
    ["no address to ask", [{ ...fibre, probe_targets: ["example.org"] }], "invalid_request"],
    ["the bootstrap file's, switched off", [{ ...fibre, enabled: false }, mobile], "accepted"],
    ["eight", Array.from({ length: 8 }, (_, at) => ({ name: `${at}`, interface: `e${at}h0` })), "conflict: eth0 must"],
  ])("with %s", async (_, list, verdict) => {
    await using gateway = await startGateway({ config });
    expect(await refused(gateway.client.uplinks.put({ body: { uplinks: list } }))).toContain(verdict);
  });

  test("are chosen by hand only among those that are on", async () => {
    await using gateway = await startGateway({ config });
    const { uplinks } = gateway.client;
    await uplinks.put({ body: { active: "mobile", uplinks: [fibre, mobile] } });
    const none = "invalid_request: body.active: must be the name of an enabled uplink";
    expect(await refused(uplinks.put({ body: { active: "satellite" } }))).toContain(none);
    expect(await refused(uplinks.put({ body: { uplinks: [fibre] } }))).toContain(none);
    expect(await refused(uplinks.put({ body: { uplinks: [fibre, { ...mobile, enabled: false }] } }))).toContain(none);
    expect(await refused(uplinks.put({ body: { active: null, uplinks: [fibre] } }))).toBe("accepted");
  });

  test("are no ports of a bridge", async () => {
    await using gateway = await startGateway({ config });
    const { uplinks, bridges } = gateway.client;
    await bridges.create({ body: { name: "Garage", members: ["wwan0"], enabled: false } });
    expect(await refused(uplinks.put({ body: { uplinks: [fibre, mobile] } }))).toBe(
      "conflict: wwan0 is a port of the bridge Garage: devices would reach it without the gateway's rules",
    );
    expect(await refused(uplinks.put({ body: { uplinks: [fibre, { ...mobile, interface: "wwan1" }] } }))).toBe(
      "accepted",
    );
  });
});

test("uplinks: what is known of uplinks lists each of them", async () => {
  await using gateway = await startGateway({ config });
  const { uplinks } = gateway.client;
  await uplinks.put({ body: { wan_failover_mode: "auto", uplinks: [fibre, { ...mobile, enabled: false }] } });
  const decisions = await uplinks.decisions();
  expect(decisions).toMatchObject({ mode: "auto", active: null, since: null, switches: [] });
  expect(decisions.uplinks.map(({ name, role, reason }) => [name, role, reason])).toEqual([
    ["fibre", "standby", "It is not probed"],
    ["mobile", "unusable", "It is switched off"],
  ]);
  const health = await uplinks.health();
  expect(health.map(({ name, interface: link, reachable, targets }) => [name, link, reachable, targets])).toEqual([
    ["fibre", "eth0", null, ["192.0.2.1"]],
    ["mobile", "wwan0", false, ["1.1.1.1", "9.9.9.9"]],
  ]);
  expect((await gateway.request("GET", "/system/wan-manager")).status).toBe(200);
  expect((await gateway.request("GET", "/system/wan-health")).status).toBe(200);
});
