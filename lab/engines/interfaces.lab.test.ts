import { execFileSync } from "node:child_process";
import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";
import { describe, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { type Lab, openLab } from "../namespaces.ts";

const config = {
  dataplane: { enabled: false },
  network: { lan_iface: "lan0", more_lan_ifaces: ["lan0.10"], wan_iface: "wan0" },
};

/** A gateway with two cables that lead somewhere, and one whose other end is switched off. */
async function openTopology(lab: Lab) {
  const [gateway, outside] = [await lab.host("gw"), await lab.host("out")];
  const cable = (device: string, here: readonly string[], there: readonly string[], mac: string) =>
    lab.cable(
      { host: gateway, device, addresses: here, mac },
      { host: outside, device: `far-${device}`, addresses: there },
    );
  await cable("lan0", ["192.168.1.1/24", "fd00::1/64"], ["192.168.1.2/24"], "02:00:00:00:00:01");
  await cable("wan0", ["192.0.2.2/24"], ["192.0.2.1/24"], "02:00:00:00:00:02");
  await cable("port0", [], [], "02:00:00:00:00:03");
  await gateway.run("ip", "route", "add", "default", "via", "192.0.2.1");
  await gateway.run("ip", "-6", "route", "add", "default", "via", "fe80::1", "dev", "wan0");
  return { gateway, outside };
}

const reading = (daemon: LabDaemon) => async (name: string) =>
  ((await daemon.ok("GET", "/system/interfaces")) as NetworkInterface[]).find((it) => it.name === name);

describe("the interfaces the kernel has", () => {
  test("interfaces are listed with their role, state, addresses and traffic", async () => {
    await using lab = openLab();
    const { gateway, outside } = await openTopology(lab);
    await gateway.run("ip", "link", "add", "br0", "type", "bridge");
    await gateway.run("ip", "link", "set", "port0", "master", "br0");
    await gateway.run("ip", "tuntap", "add", "tun0", "mode", "tun");
    using daemon = await startDaemon(gateway, config);
    const seen = reading(daemon);
    await until("wan0 has a carrier", async () => (await seen("wan0"))?.carrier === true, 5);

    expect(await seen("wan0")).toMatchObject({
      kind: "ethernet",
      role: "uplink",
      mac: "02:00:00:00:00:02",
      up: true,
      carrier: true,
      speed_mbps: 10_000,
      mtu: 1500,
      master: null,
      parent: null,
      default_gateway_v4: "192.0.2.1",
      default_gateway_v6: "fe80::1",
    });
    const lan = await seen("lan0");
    expect(lan).toMatchObject({ kind: "ethernet", role: "lan", default_gateway_v4: null, default_gateway_v6: null });
    expect(lan?.addresses).toEqual(expect.arrayContaining(["192.168.1.1/24", "fd00::1/64"]));
    expect(await seen("br0")).toMatchObject({ kind: "bridge", role: "unused", up: false, carrier: false });
    expect(await seen("port0")).toMatchObject({ kind: "ethernet", role: "bridge member", master: "br0" });
    expect(await seen("tun0")).toMatchObject({ kind: "tunnel", role: "unused", mac: null, speed_mbps: null });
    expect(await seen("lo")).toMatchObject({ kind: "loopback", role: "unused", mac: null });

    await outside.run("ping", "-c", "5", "-i", "0.2", "-s", "1000", "-W", "30", "192.168.1.1");
    const after = await seen("lan0");
    expect(after!.rx_bytes - lan!.rx_bytes).toBeGreaterThanOrEqual(5000);
    expect(after!.tx_bytes - lan!.tx_bytes).toBeGreaterThanOrEqual(5000);

    await outside.run("ip", "link", "set", "far-lan0", "down");
    await gateway.run("ip", "link", "set", "wan0", "down");
    await until("lan0 has lost its carrier", async () => (await seen("lan0"))?.carrier === false, 5);
    expect(await seen("lan0")).toMatchObject({ up: true, carrier: false, speed_mbps: null });
    expect(await seen("wan0")).toMatchObject({ up: false, carrier: false, default_gateway_v4: null });
    await gateway.run("ip", "link", "delete", "br0");
    expect([await seen("br0"), (await seen("port0"))?.role]).toEqual([undefined, "unused"]);
  });

  test.skipIf(!kernelHasVlans())("a VLAN lies on another interface, which is a trunk", async () => {
    await using lab = openLab();
    const { gateway } = await openTopology(lab);
    await gateway.run("ip", "link", "add", "link", "port0", "name", "lan0.10", "type", "vlan", "id", "10");
    await gateway.run("ip", "link", "set", "lan0.10", "up");
    using daemon = await startDaemon(gateway, config);
    const seen = reading(daemon);
    expect(await seen("lan0.10")).toMatchObject({ kind: "vlan", role: "lan", parent: "port0", up: true });
    expect(await seen("port0")).toMatchObject({ kind: "ethernet", role: "trunk", parent: null });
  });
});

/** Some kernels of containers and small machines are made without. */
function kernelHasVlans(): boolean {
  const input = "link add a type veth peer name b\nlink add link a name a.9 type vlan id 9\n";
  try {
    execFileSync("unshare", ["--net", "ip", "-batch", "-"], { input, stdio: ["pipe", "ignore", "ignore"] });
    return true;
  } catch {
    return false; // The kernel does not know the type.
  }
}
