import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { startJsonScript } from "../json-script.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Egress, type EgressTopology, gatewayMac, openEgressTopology, type Probe } from "../topology-egresses.ts";

/* Protected devices of a group, one of them with a class that requires a tunnel, and one outside of the group. */
const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  reconcile: { interval_sec: 86_400 },
};
const macs = { phone: "02:00:00:00:00:01", tv: "02:00:00:00:00:02", laptop: "02:00:00:00:00:03" };
type Name = keyof typeof macs;
const folder = temporaryFolder();
let lab: Lab;
let topology: EgressTopology;
let daemon: LabDaemon;
let probePort = 1000;

beforeAll(async () => {
  lab = openLab();
  topology = await openEgressTopology(lab);
  daemon = await startDaemon(topology.gateway, config, folder);
  const { id: group } = (await daemon.ok("POST", "/device-groups", { name: "Family" })) as { id: string };
  const { id: strict } = (await daemon.ok("POST", "/privacy-classes", {
    name: "Strict",
    require_tunnel: true,
    block_ipv6: false,
    block_webrtc: false,
    block_doh: false,
    force_dns: false,
  })) as { id: string };
  await daemon.ok("POST", "/devices", { name: "phone", mac: macs.phone, group_ids: [group] });
  await daemon.ok("POST", "/devices", { name: "tv", mac: macs.tv, group_ids: [group], privacy_class: strict });
  await daemon.ok("POST", "/devices", { name: "laptop", mac: macs.laptop });
  const hops = [{ type: "vpn", target: "t1" }];
  for (const name of Object.keys(macs))
    await daemon.ok("POST", "/routing/policies", { name, source_type: "device", source_value: name, hops });
  await daemon.ok("POST", "/routing/policies/apply");
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  daemon[Symbol.dispose]();
});

/** Where a fresh flow of each device was seen outside. */
async function leaveBy(): Promise<Record<Name, string>> {
  const names = Object.keys(macs) as Name[];
  const probes = names.map(
    (name, index): Probe => ({
      interface: "lan0",
      mac: macs[name],
      source: `10.0.0.${2 + index}`,
      destination: "203.0.113.5",
      port: (probePort += 1),
    }),
  );
  const seen = await topology.send(probes);
  return Object.fromEntries(
    names.map((name, index) => [name, (seen.get(probes[index]!.port) ?? ["none"]).join()]),
  ) as Record<Name, string>;
}
const protectedAll = { phone: "t1", tv: "t1", laptop: "t1" };
const seenOn = async (egress: Egress): Promise<number> => (await topology.counted())[egress];
const start = async (body: object) => {
  const made = await daemon.ok("POST", "/pauses", { type: "protection", duration_min: 1, ...body });
  expect(made).toMatchObject({ active: true, enforced: true });
  return made as { id: string; expires_at: string };
};
const family = { source_type: "device_group", source_value: "Family" };

test("protection that is paused for a group sends its devices directly, and neither one that requires a tunnel nor others", async () => {
  expect(await leaveBy()).toEqual(protectedAll);
  const pause = await start(family);
  expect(pause).toMatchObject({ unpaused: [{ name: "tv", obstacle: "require_tunnel" }], unpaused_total: 1 });
  expect(await leaveBy()).toEqual({ ...protectedAll, phone: "wan0" });
  expect(await daemon.ok("DELETE", `/pauses/${pause.id}`)).toMatchObject({ enforced: true });
  expect(await leaveBy()).toEqual(protectedAll);
});

test("protection that is paused for everyone is one pause with one end", async () => {
  const pause = await start({ source_type: "everyone" });
  expect(await leaveBy()).toEqual({ phone: "wan0", tv: "t1", laptop: "wan0" });
  expect(await daemon.ok("DELETE", `/pauses/${pause.id}`)).toMatchObject({ enforced: true });
  expect(await leaveBy()).toEqual(protectedAll);
});

test("a pause of protection ends in the kernel while the daemon is dead: from a second after its end nothing is seen on the uplink", {
  tags: ["proof"],
}, async () => {
  const { id, expires_at } = await start(family);
  // A daemon that comes back restores what is left.
  await daemon.kill();
  daemon = await startDaemon(topology.gateway, config, folder);
  expect(await daemon.ok("GET", `/pauses/${id}`)).toMatchObject({ active: true, expires_at });
  await daemon.kill();
  const endsAt = Date.parse(expires_at);
  const flood = await startJsonScript(topology.clients, "flood.py", gatewayMac, "to-lan0", macs.phone, "2", "1500");
  const [first, onTunnel] = [await seenOn("wan0"), await seenOn("t1")];
  let during = 0;
  await until("the flood leaves by the uplink", async () => (during = (await seenOn("wan0")) - first) > 100);
  await sleep(Math.max(0, endsAt + 1000 - Date.now()));
  const before = await seenOn("wan0");
  await sleep(2000);
  const { sent } = (await flood.request("stop")) as { sent: number };
  const after = (await seenOn("wan0")) - before;
  const byTheTunnel = (await seenOn("t1")) - onTunnel;
  process.stdout.write(
    `pause: ${sent} packets, ${during} by the uplink at first, ${after} later than one second after the end, ${byTheTunnel} by the tunnel\n`,
  );
  recordFigure({
    name: "packets on the uplink after the end of a pause of protection without a daemon",
    value: after,
    unit: "packets",
    most: 0,
  });
  expect(after).toBe(0);
  expect(byTheTunnel).toBeGreaterThan(100);
  expect(await leaveBy()).toEqual(protectedAll);
  daemon = await startDaemon(topology.gateway, config, folder);
  expect(await daemon.ok("GET", `/pauses/${id}`)).toMatchObject({ active: false });
  expect(await leaveBy()).toEqual(protectedAll);
});
