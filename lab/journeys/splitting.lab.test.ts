import { afterAll, beforeAll, expect, test } from "vitest";
import { recordFigure } from "../../testing/figure.ts";
import { type Probe, tunnels, type Egress } from "../topology-egresses.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type JsonScript, startJsonScript } from "../json-script.ts";
import { type Device, openDeviceTopology, type DeviceTopology } from "../topology-devices.ts";

/*
 * One device whose new connections alternate over three tunnels. Outside, the port identifies datagrams of a
 * connection, the source address identifies TCP connections. Each test continues where the previous one left off.
 */

/** `FLOWS=12000` is the full size. */
const flows = Number(process.env["FLOWS"] ?? 3000);
const connections = 300;
const config = { network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" } };
const ok: LabDaemon["ok"] = (...request) => daemon.ok(...request);

let lab: Lab;
let topology: DeviceTopology;
let daemon: LabDaemon;
let laptop: Device;
let tcpClients: JsonScript;
let chosen: Map<number, string[]>;

beforeAll(async () => {
  lab = openLab();
  topology = await openDeviceTopology(lab);
  laptop = await topology.device("laptop", 1);
  tcpClients = await startJsonScript(laptop, "tcp-clients.py");
  daemon = await startDaemon(topology.gateway, config);
  // A machine with much to do may take its time between two datagrams of a connection.
  await topology.gateway.run("sysctl", "-qw", "net.netfilter.nf_conntrack_udp_timeout=600");
  await ok("POST", "/devices", { name: "laptop", mac: laptop.mac });
  const hops = tunnels.map((target) => ({ type: "vpn", target }));
  const who = { name: "laptop", source_type: "device", source_value: "laptop" };
  await ok("POST", "/routing/policies", { ...who, hops, splitting: true });
  await ok("POST", "/routing/policies/apply");
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  daemon[Symbol.dispose]();
});

/**
 * One datagram of each of this many connections, in both families. Returns through which egresses each was seen
 * outside.
 */
async function send(first: number, count: number): Promise<Map<number, string[]>> {
  const probes = Array.from({ length: count }, (_, index): Probe => {
    const ends =
      index % 2 === 0
        ? { source: "10.0.0.2", destination: "203.0.113.5" }
        : { source: "fd00::2", destination: "2001:db8:f::1" };
    return { interface: "lan0", mac: laptop.mac, ...ends, port: first + index };
  });
  return topology.send(probes);
}
const firstPort = 1000;

function tally(egresses: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const egress of egresses) counts[egress] = (counts[egress] ?? 0) + 1;
  return counts;
}
const tcpEgresses = async (): Promise<Egress[]> => (await topology.serverReport()).tcp.map(({ egress }) => egress);
const byEgress = (seen: ReadonlyMap<number, readonly string[]>) =>
  tally([...seen.values()].map((egresses) => egresses.join()));

test("connections are spread evenly over three tunnels, to two percent", async () => {
  chosen = await send(firstPort, flows);
  expect(await tcpClients.request(`open ${connections}`)).toEqual({ connections, alive: connections });
  const [udp, tcp] = [byEgress(chosen), tally(await tcpEgresses())];
  process.stdout.write(
    `splitting: ${flows} by UDP ${JSON.stringify(udp)}, ${connections} by TCP ${JSON.stringify(tcp)}\n`,
  );
  expect(Object.keys(udp).toSorted()).toEqual([...tunnels]); // Each through one egress, and through these only.
  const even = (flows + connections) / tunnels.length;
  const deviations = tunnels.map((egress) => Math.abs((udp[egress] ?? 0) + (tcp[egress] ?? 0) - even) / even);
  recordFigure({ name: "connections split over three tunnels", value: flows + connections, unit: "connections" });
  recordFigure({ name: "deviation from an even split", value: Math.max(...deviations), unit: "share", most: 0.02 });
  expect(Math.max(...deviations)).toBeLessThanOrEqual(0.02);
});

test("a connection keeps its tunnel for as long as it lives, whatever else is applied", async () => {
  expect(await send(firstPort, flows)).toEqual(chosen);
  for (const index of [1, 2, 3]) {
    const other = { name: `other ${index}`, source_type: "subnet", source_value: `10.77.${index}.0/24` };
    await ok("POST", "/routing/policies", { ...other, hops: [{ type: "vpn", target: `t${index}` }] });
    expect(await ok("POST", "/routing/policies/apply")).toMatchObject({ enforced: true });
    expect(await send(firstPort, flows)).toEqual(chosen);
    expect(await tcpClients.request("send")).toEqual({ connections, alive: connections });
  }
});

test("a tunnel goes down: new connections avoid it, those of the others stay where they are", async () => {
  const tcp = tally(await tcpEgresses());
  await topology.gateway.run("ip", "link", "set", "t2", "down");
  await ok("POST", "/enforce/reconcile");

  const fresh = byEgress(await send(firstPort + flows, connections));
  expect(fresh).toEqual({ t1: expect.any(Number) as number, t3: expect.any(Number) as number });
  expect(Math.abs(fresh["t1"]! - connections / 2)).toBeLessThanOrEqual(0.02 * connections);

  const now = await send(firstPort, flows);
  const unharmed = [...chosen].filter(([, [egress]]) => egress !== "t2");
  expect(unharmed.map(([port]) => [port, now.get(port)])).toEqual(unharmed);
  expect(await tcpClients.request("send")).toEqual({ connections, alive: connections - tcp["t2"]! });
});

test("connections of the tunnel that went down have moved to the others, and to no other egress", async () => {
  await send(firstPort, flows); // The first packet of a moved flow may be the one that releases the old egress.
  const moved = await send(firstPort, flows);
  const orphans = [...chosen].filter(([, [egress]]) => egress === "t2").map(([port]) => moved.get(port)?.join());
  expect(Object.keys(tally(orphans.map(String))).toSorted()).toEqual(["t1", "t3"]);
  expect((await topology.counted()).wan0).toBe(0);
});
