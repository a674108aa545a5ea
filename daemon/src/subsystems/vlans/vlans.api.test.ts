import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

const config = { network: { wan_iface: "eth0", lan_iface: "eth1" } };
const refused = async (call: Promise<unknown>) =>
  call.then(
    () => "accepted",
    (problem: { code: string; message: string }) => `${problem.code}: ${problem.message}`,
  );

test("VLANs: one is created with defaults, changed, found by name, audited, restored by a rollback, and removed", async () => {
  await using before = await startGateway({ config });
  const { vlans } = before.client;
  const made = await vlans.create({ body: { name: "Guests", parent: "eth1", vlan_id: 10 } });
  expect(made).toEqual({
    id: made.id,
    name: "Guests",
    parent: "eth1",
    vlan_id: 10,
    interface: "eth1.10",
    addresses: [],
    role: "lan",
    enabled: true,
    status: "down",
    ...explained(because("dataplane_off")),
  });
  const params = { id: "Guests" };
  const changed = await vlans.update({ params, body: { addresses: ["10.10.0.1/24", "FD10::1/64"] } });
  expect(changed).toEqual({ ...made, addresses: ["10.10.0.1/24", "fd10::1/64"] });
  await using gateway = await before.restart();
  const { changes, snapshots, audit } = gateway.client;
  const { id } = (await changes.show()).applied;
  expect((await snapshots.get({ params: { id: id } })).document["vlan"]).toHaveLength(1);
  await gateway.client.vlans.update({ params, body: { enabled: false } });
  expect((await gateway.client.vlans.get({ params })).coded_reason).toEqual(because("link_disabled"));
  expect((await gateway.client.vlans.list({ query: { enabled: true } })).items).toEqual([]);
  await snapshots.rollback({ body: { snapshot: id } });
  expect((await gateway.client.vlans.list()).items).toEqual([changed]);
  expect(await gateway.client.vlans.remove({ params })).toEqual({ id: made.id, deleted: true });
  expect((await gateway.client.vlans.list()).items).toEqual([]);
  expect((await audit.list()).items.filter((it) => it.action.endsWith("_vlan")).map(({ action }) => action)).toEqual([
    "delete_vlan",
    "update_vlan",
    "update_vlan",
    "create_vlan",
  ]);
});

test("VLANs: one with devices is a LAN: a segment, isolated, and usable for DHCP and router advertisements; a disabled one is none", async () => {
  await using gateway = await startGateway({ config });
  const { vlans, segments, dhcp, routerAdvertisements, uplinks, tunnels } = gateway.client;
  const range = { interface: "eth1.10", first: "10.10.0.100", last: "10.10.0.200" };
  expect(await refused(dhcp.put({ body: { ranges: [range] } }))).toContain(
    "must be a LAN interface of the gateway: eth1;",
  );
  const { id } = await vlans.create({ body: { name: "Guests", parent: "eth1", vlan_id: 10 } });
  expect((await segments.list()).map((it) => [it.interface, it.reaches])).toEqual([
    ["eth1", []],
    ["eth1.10", []],
  ]);
  const update = { params: { segment: "eth1" }, body: { reaches: ["eth1.10"] } };
  expect((await segments.update(update)).reaches).toEqual(["eth1.10"]);
  expect(await refused(dhcp.put({ body: { ranges: [range] } }))).toBe("accepted");
  expect(await refused(routerAdvertisements.put({ body: { interfaces: [{ interface: "eth1.10" }] } }))).toBe(
    "accepted",
  );
  const list = [
    { name: "a", interface: "eth0" },
    { name: "b", interface: "eth1.10" },
  ];
  expect(await refused(uplinks.put({ body: { uplinks: list } }))).toContain("eth1.10 is a LAN interface");
  const tunnel = {
    name: "t",
    type: "openvpn" as const,
    interface: "eth1.10",
    config: { config: "client\ndev tun\nremote 192.0.2.1\n" },
  };
  expect(await refused(tunnels.create({ body: tunnel as never }))).not.toBe("accepted");
  await vlans.update({ params: { id }, body: { enabled: false } });
  expect((await segments.list()).map((it) => it.interface)).toEqual(["eth1"]);
});

test("VLANs: one port for uplink and LANs: a VLAN is named as uplink, and stays while it is one", async () => {
  await using gateway = await startGateway({ config: { network: { wan_iface: "eth0.100", lan_iface: "eth0.10" } } });
  const { vlans, segments, uplinks } = gateway.client;
  const vlan = (vlan_id: number, role?: "uplink") => ({
    body: { name: `VLAN ${vlan_id}`, parent: "eth0", vlan_id, ...(role && { role }) },
  });
  expect(await refused(vlans.create(vlan(100)))).toBe(
    "conflict: eth0.100 is an uplink: its VLAN needs the role uplink",
  );
  const wan = await vlans.create(vlan(100, "uplink"));
  await vlans.create(vlan(10));
  await vlans.create(vlan(20));
  const backup = await vlans.create(vlan(101, "uplink"));
  expect((await segments.list()).map((it) => it.interface)).toEqual(["eth0.10", "eth0.20"]);
  const list = ["eth0.100", "eth0.101"].map((name) => ({ name, interface: name }));
  await uplinks.put({ body: { uplinks: list } });
  for (const { id, interface: name } of [wan, backup])
    expect(await refused(vlans.remove({ params: { id } }))).toContain(`conflict: ${name} is an uplink`);
  await uplinks.put({ body: { uplinks: list.slice(0, 1) } });
  expect(await refused(vlans.remove({ params: { id: backup.id } }))).toBe("accepted");
  expect(await refused(vlans.remove({ params: { id: "VLAN 10" } }))).toContain("conflict: eth0.10 is a LAN interface");
});

test.each([
  [{ name: "x", parent: "eth1", vlan_id: 0 }, "body.vlan_id"],
  [{ name: "x", parent: "eth1", vlan_id: 4095 }, "body.vlan_id"],
  [{ name: "x", parent: "eth/1", vlan_id: 1 }, "body.parent"],
  [{ name: "x", parent: "eth1", vlan_id: 1, addresses: ["10.0.0.0/24"] }, "body.addresses"],
  [{ name: "x", parent: "eth1", vlan_id: 1, role: "wan" }, "body.role"],
  [{ name: "x", parent: "eth1", vlan_id: 1, status: "up" }, "body.status"],
  [{ parent: "eth1", vlan_id: 1 }, "body.name"],
])("VLANs: refused as %j", async (body, field) => {
  await using gateway = await startGateway({ config });
  const answer = await gateway.request("POST", "/vlans", { body });
  expect([answer.status, answer.json().error.details.fields[0].field]).toEqual([400, field]);
});
