import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { type Probe, egressAddress } from "../topology-egresses.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { openFlow, startFlowServer } from "../flow.ts";
import { openDeviceTopology, server, type DeviceTopology } from "../topology-devices.ts";

/*
 * Two devices, each with a policy of its own, and a third policy that shuts. Each test goes on where the one before left
 * the counts.
 */
const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  reconcile: { interval_sec: 86_400 },
};
const macs = { phone: "02:00:00:00:00:01", tv: "02:00:00:00:00:02", lamp: "02:00:00:00:00:03" } as const;
type Device = keyof typeof macs;
const folder = temporaryFolder();
let lab: Lab;
let topology: DeviceTopology;
let daemon: LabDaemon;
let port = 1000;
const ids = new Map<string, string>();

beforeAll(async () => {
  lab = openLab();
  topology = await openDeviceTopology(lab);
  daemon = await startDaemon(topology.gateway, config, folder);
  for (const [name, mac] of Object.entries(macs)) await ok("POST", "/devices", { name, mac });
  await policy("phone by t1", "phone", { priority: 5, hops: [{ type: "vpn", target: "t1" }] });
  await policy("tv by t1", "tv", { priority: 6, hops: [{ type: "vpn", target: "t1" }] }); // The same plan as the phone's.
  await policy("lamp is blocked", "lamp", { priority: 7 });
  await ok("POST", "/routing/policies/apply");
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  daemon[Symbol.dispose]();
});

const ok: LabDaemon["ok"] = (...request) => daemon.ok(...request);

async function policy(name: string, device: string, how: object): Promise<void> {
  const { id } = (await ok("POST", "/routing/policies", {
    name,
    source_type: "device",
    source_value: device,
    ...how,
  })) as { id: string };
  ids.set(name, id);
}

/** So many new flows of a device, in each family. */
const flows = (device: Device, count: number): Probe[] =>
  Array.from({ length: count }, () => [
    { interface: "lan0", mac: macs[device], source: "10.0.0.2", destination: "203.0.113.5", port: (port += 1) },
    { interface: "lan0", mac: macs[device], source: "fd00::2", destination: "2001:db8:f::1", port: (port += 1) },
  ]).flat();

interface Row {
  readonly policy_id: string;
  readonly connections: number;
  readonly since: string;
  readonly last_hit: string | null;
}

/** From the kernel: the API's values may be a second old. */
async function rows(): Promise<ReadonlyMap<string, Row>> {
  await wait(1010);
  const all = (await ok("GET", "/policy/hits")) as Row[];
  return new Map([...ids].map(([name, id]) => [name, all.find(({ policy_id }) => policy_id === id)!]));
}

const counts = (all: ReadonlyMap<string, Row>): object =>
  Object.fromEntries([...all].map(([name, { connections }]) => [name, connections]));

const first = { phone: [] as Probe[], tv: [] as Probe[] };

test("nothing is counted before there is anything", async () => {
  const all = await rows();
  expect(counts(all)).toEqual({ "phone by t1": 0, "tv by t1": 0, "lamp is blocked": 0 });
  expect([...all.values()].map(({ last_hit }) => last_hit)).toEqual([null, null, null]);
});

test("each connection counts for the policy that decides it, and for no other, though both use the same egress", async () => {
  first.phone = flows("phone", 30);
  const seen = await topology.send(first.phone);
  expect(new Set(seen.values().map((egresses) => egresses.join()))).toEqual(new Set(["t1"]));
  expect(seen.size).toBe(60);
  expect(counts(await rows())).toEqual({ "phone by t1": 60, "tv by t1": 0, "lamp is blocked": 0 });
  first.tv = flows("tv", 7);
  const sentAt = Date.now();
  await topology.send(first.tv);
  const all = await rows();
  expect(counts(all)).toEqual({ "phone by t1": 60, "tv by t1": 14, "lamp is blocked": 0 });
  const { since, last_hit } = all.get("tv by t1")!;
  expect(Date.parse(last_hit!)).toBeGreaterThan(Date.parse(since));
  // The kernel counts by a clock of its own, which may differ a little.
  expect(Date.parse(last_hit!)).toBeGreaterThan(sentAt - 1000);
  expect(Date.parse(last_hit!)).toBeLessThan(Date.now() + 1000);
});

test("what runs already is not counted again", async () => {
  for (let round = 0; round < 3; round += 1) await topology.send([...first.phone, ...first.tv]);
  expect(counts(await rows())).toEqual({ "phone by t1": 60, "tv by t1": 14, "lamp is blocked": 0 });
});

test("each blocked packet counts: none becomes a connection", async () => {
  const refused = flows("lamp", 4);
  expect((await topology.send(refused)).size).toBe(0);
  await topology.send(refused);
  expect(counts(await rows())).toEqual(soFar);
});

const soFar = { "phone by t1": 60, "tv by t1": 14, "lamp is blocked": 16 };

test("a TCP connection counts once, however much data it has", async () => {
  const laptop = await topology.device("laptop", 5);
  await ok("POST", "/devices", { name: "laptop", mac: laptop.mac });
  await policy("laptop by t3", "laptop", { priority: 9, hops: [{ type: "vpn", target: "t3" }] });
  await ok("POST", "/routing/policies/apply");
  await startFlowServer(topology.outside, 4000, Object.values(server));
  for (const address of Object.values(server)) {
    const calls = openFlow(laptop, "calls", address, 4000);
    const one = openFlow(laptop, "tcp", address, 4000);
    for (let call = 0; call < 10; call += 1)
      expect([await calls.request(), await one.request()]).toEqual([egressOf(address), egressOf(address)]);
  }
  expect(counts(await rows())).toEqual({ ...soFar, "laptop by t3": 22 });
});

/** Where the server sees calls come from that leave by t3. */
const egressOf = (address: string): string => egressAddress(3, 1)[address.includes(":") ? "v6" : "v4"];

test("a policy that comes in between moves the ranks and no count; flows that run are decided anew and not counted anew", async () => {
  const before = await rows();
  await ok("POST", "/devices", { name: "radio", mac: "02:00:00:00:00:04" });
  await policy("radio by t2", "radio", { priority: 1, hops: [{ type: "vpn", target: "t2" }] });
  await ok("POST", "/routing/policies/apply");
  await topology.send([...first.phone, ...first.tv, ...flows("tv", 2)]);
  const after = await rows();
  expect(counts(after)).toEqual(inTheEnd);
  for (const name of before.keys()) expect(after.get(name)!.since).toBe(before.get(name)!.since);
  expect(after.get("phone by t1")!.last_hit).toBe(before.get("phone by t1")!.last_hit);
  expect(Date.parse(after.get("radio by t2")!.since)).toBeGreaterThan(Date.parse(before.get("tv by t1")!.since));
});

const inTheEnd = { ...soFar, "tv by t1": 18, "laptop by t3": 22, "radio by t2": 0 };

test("what was counted is no drift, not even to a look that trusts nothing", async () => {
  await topology.gateway.run("nft", "add", "table", "inet", "foreign"); // A foreign commit: every element is read again.
  const report = (await ok("POST", "/enforce/reconcile")) as { engines: { changes: number }[] };
  expect(report.engines.filter(({ changes }) => changes > 0)).toEqual([]);
  expect(await ok("GET", "/drift")).toEqual([]);
  expect(counts(await rows())).toEqual(inTheEnd);
});

const nothing = Object.fromEntries(Object.keys(inTheEnd).map((name) => [name, 0]));

test("a restarted daemon counts from zero, and reports since when", async () => {
  const before = await rows();
  await daemon.kill();
  daemon = await startDaemon(topology.gateway, config, folder);
  await topology.send(flows("phone", 3));
  const after = await rows();
  expect(counts(after)).toEqual({ ...nothing, "phone by t1": 6 });
  for (const name of before.keys())
    expect(Date.parse(after.get(name)!.since)).toBeGreaterThan(Date.parse(before.get(name)!.since));
});
