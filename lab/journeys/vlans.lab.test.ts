import type { Dhcp } from "@portcullis/contract/subsystems/dhcp";
import type { Vlan } from "@portcullis/contract/subsystems/vlans";
import { expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { daemonFolder, type LabDaemon, startDaemon } from "../daemon.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { isAnswered } from "../neighbours.ts";

/*
 * A LAN, and devices on interfaces that are called as VLANs are. Not every kernel has VLANs, and rules match interfaces by name: cables take
 * their place here. Real tagged packets are tested in the virtual machine.
 */

const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  dataplane: { enabled: true, confirm_first_sec: 0 },
};
const target = "10.79.0.2";

test("VLANs: an unknown interface is neither forwarded nor answered; a VLAN is a LAN of its own while it is configured", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, home, outside } = await openNetwork(lab);
  const guest = await connect(lab, gateway, "port0.10", 78);
  // The control: without the gateway's rules the machine forwards.
  await gateway.run("sysctl", "-qw", "net.ipv4.ip_forward=1");
  expect(await isAnswered(guest, target)).toBe(true);
  const counted = await countFrom(outside);
  using daemon = await startDaemon(gateway, config, folder);

  expect([await isAnswered(guest, target), await isAnswered(guest, "10.78.0.1")]).toEqual([false, false]);
  expect(await counted()).toBe(0);
  expect(await isAnswered(home, target)).toBe(true);
  expect(await counted()).toBeGreaterThan(0);

  const vlan = await create(daemon, 10);
  // The interface is a cable, and is reported as that. Its rules are in force all the same.
  expect(vlan).toMatchObject({ interface: "port0.10", status: "failed", coded_reason: { code: "vlan_foreign" } });
  expect([await isAnswered(guest, target), await isAnswered(guest, "10.78.0.1")]).toEqual([true, true]);
  // A segment of its own.
  expect([await isAnswered(guest, "10.77.0.2"), await isAnswered(home, "10.78.0.2")]).toEqual([false, false]);
  expect(await isAnswered(guest, "10.77.0.1")).toBe(false);
  await daemon.ok("PUT", "/segments/lan0", { reaches: ["port0.10"] });
  expect([await isAnswered(guest, "10.77.0.2"), await isAnswered(home, "10.78.0.2")]).toEqual([false, true]);
  const range = { interface: "port0.10", first: "10.78.0.100", last: "10.78.0.200" };
  const { ranges } = (await daemon.ok("PUT", "/dhcp", { ranges: [range] })) as Dhcp;
  expect(ranges).toMatchObject([{ status: "serving", gateway: "10.78.0.1" }]);

  await policy(daemon, 10);
  expect([await isAnswered(guest, target), await isAnswered(home, target)]).toEqual([false, true]);
  await daemon.kill();
  expect([await isAnswered(guest, target), await isAnswered(home, target)]).toEqual([false, true]);
  using after = await startDaemon(gateway, config, folder);
  await after.ok("DELETE", "/routing/policies/vlan-10");
  await after.ok("POST", "/routing/policies/apply");
  expect(await isAnswered(guest, target)).toBe(true);

  await after.ok("PUT", `/vlans/${vlan.id}`, { enabled: false });
  expect([await isAnswered(guest, target), await isAnswered(guest, "10.78.0.1")]).toEqual([false, false]);
  expect(await isAnswered(home, target)).toBe(true);
  // What the gateway did not create stays.
  expect(await gateway.run("ip", "-br", "link", "show", "dev", "port0.10")).toContain("UP");
  await after.stop();
});

test("VLANs: the policy of a VLAN holds from the first packet of an interface that appears", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, outside } = await openNetwork(lab);
  using daemon = await startDaemon(gateway, config, folder);
  await create(daemon, 20);
  await policy(daemon, 20);
  const counted = await countFrom(outside);
  const host = await connect(lab, gateway, "port0.20", 80);
  const sending = host.start("ping", "-q", "-i", "0.01", target);
  await until("packets were sent", async () => (await received(gateway, "port0.20")) > 50);
  await until("the gateway has seen the interface", async () =>
    JSON.stringify(await daemon.ok("GET", "/segments")).includes("10.80.0.0/24"),
  );
  expect(await counted()).toBe(0);
  // The control: without the policy the same packets leave.
  await daemon.ok("DELETE", "/routing/policies/vlan-20");
  await daemon.ok("POST", "/routing/policies/apply");
  await until("packets leave", async () => (await counted()) > 0);
  sending.kill();
  await daemon.stop();
});

async function create(daemon: LabDaemon, id: number): Promise<Vlan> {
  return (await daemon.ok("POST", "/vlans", { name: `vlan-${id}`, parent: "port0", vlan_id: id })) as Vlan;
}

/** Without hops it blocks. */
async function policy(daemon: LabDaemon, id: number): Promise<void> {
  const body = { name: `vlan-${id}`, source_type: "vlan", source_value: `${id}`, hops: [] };
  await daemon.ok("POST", "/routing/policies", body);
  await daemon.ok("POST", "/routing/policies/apply");
}

/** A host on an interface of the gateway, with the gateway as its router. */
async function connect(lab: Lab, gateway: Host, device: string, net: number): Promise<Host> {
  const host = await lab.host(`host${net}`);
  await lab.cable(
    { host: gateway, device, addresses: [`10.${net}.0.1/24`] },
    { host, device: "eth0", addresses: [`10.${net}.0.2/24`] },
  );
  await host.run("ip", "route", "add", "default", "via", `10.${net}.0.1`);
  return host;
}

/** Counts echo requests from now on. */
async function countFrom(outside: Host): Promise<() => Promise<number>> {
  const rule = "chain c { type filter hook prerouting priority 0; icmp type echo-request counter name seen; }";
  await outside.run("nft", `table inet count { counter seen { }; ${rule}; }`);
  return async () =>
    Number(/packets (\d+)/.exec(await outside.run("nft", "list", "counters", "table", "inet", "count"))![1]);
}

const received = async (host: Host, device: string): Promise<number> =>
  Number(await host.run("cat", `/sys/class/net/${device}/statistics/rx_packets`));

async function openNetwork(lab: Lab) {
  const gateway = await lab.host("gw");
  const home = await connect(lab, gateway, "lan0", 77);
  const outside = await lab.host("outside");
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["10.79.0.1/24"] },
    { host: outside, device: "eth0", addresses: [`${target}/24`] },
  );
  await outside.run("ip", "route", "add", "10.0.0.0/8", "via", "10.79.0.1");
  return { gateway, home, outside };
}
