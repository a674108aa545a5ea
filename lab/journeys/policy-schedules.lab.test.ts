import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { startJsonScript } from "../json-script.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Egress, type EgressTopology, gatewayMac, openEgressTopology, type Probe } from "../topology-egresses.ts";

/* Two devices with policies that begin and end at full minutes, and a daemon that is dead or stopped then. */
const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  reconcile: { interval_sec: 86_400 },
};
const macs = { phone: "02:00:00:00:00:01", laptop: "02:00:00:00:00:02" };
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
  for (const [name, mac] of Object.entries(macs)) await daemon.ok("POST", "/devices", { name, mac });
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  daemon[Symbol.dispose]();
});

const minuteMs = 60_000;
const hops = [{ type: "vpn", target: "t1" }];

/** A schedule of some minutes, which begins at least 20 seconds from now. */
async function soon(name: string, minutes = 1): Promise<{ startMs: number; endMs: number }> {
  const startMs = Math.ceil((Date.now() + 20_000) / minuteMs) * minuteMs;
  const endMs = startMs + minutes * minuteMs;
  const [day, [from, to]] = [
    new Date(startMs).toLocaleDateString("en", { weekday: "long" }),
    [startMs, endMs].map(timeOf),
  ];
  await daemon.ok("POST", "/schedules", { name, days: [day.toLowerCase()], from, to });
  return { startMs, endMs };
}
const timeOf = (ms: number) => new Date(ms).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
const apply = async (...policies: { name: string; source_value: Name; [field: string]: unknown }[]) => {
  for (const policy of policies) await daemon.ok("POST", "/routing/policies", { source_type: "device", ...policy });
  expect(await daemon.ok("POST", "/routing/policies/apply")).toMatchObject({ enforced: true });
};
async function removeAll(): Promise<void> {
  for (const { id } of (await daemon.ok("GET", "/routing/policies")) as { id: string }[])
    await daemon.ok("DELETE", `/routing/policies/${id}`);
}
async function leavesBy(name: Name): Promise<string> {
  const source = `10.0.0.${name === "phone" ? 2 : 3}`;
  const probe: Probe = {
    interface: "lan0",
    mac: macs[name],
    source,
    destination: "203.0.113.5",
    port: (probePort += 1),
  };
  return ((await topology.send([probe])).get(probe.port) ?? ["none"]).join();
}
const waitUntil = (ms: number) => sleep(Math.max(0, ms - Date.now()));
const started = (name: Name, host: string) =>
  startJsonScript(topology.clients, "flood.py", gatewayMac, "to-lan0", macs[name], host, "1500");

/** Packets seen outside in the next seconds, by egress. */
async function seenFor(seconds: number): Promise<Record<Egress, number>> {
  const before = await topology.counted();
  await sleep(seconds * 1000);
  const after = await topology.counted();
  return Object.fromEntries(
    Object.entries(after).map(([name, count]) => [name, count - before[name as Egress]]),
  ) as Record<Egress, number>;
}
const nothing = { wan0: 0, t1: 0, t2: 0, t3: 0 };

test("a direct policy begins by itself, and ends in the kernel while the daemon is dead: its device is blocked until one is back", {
  tags: ["proof"],
}, async () => {
  const { startMs, endMs } = await soon("Two minutes", 2);
  await apply(
    { name: "phone", source_value: "phone", priority: 20, hops },
    { name: "laptop", source_value: "laptop", priority: 20, hops },
    { name: "direct", source_value: "phone", priority: 10, fail_policy: "fail-open", schedule_id: "Two minutes" },
  );
  expect([await leavesBy("phone"), await leavesBy("laptop")]).toEqual(["t1", "t1"]);
  await waitUntil(startMs);
  await until("the phone leaves directly", async () => (await leavesBy("phone")) === "wan0");
  const items = (await daemon.ok("GET", "/routing/policies")) as { name: string; schedule: unknown }[];
  expect(items.find(({ name }) => name === "direct")!.schedule).toEqual({
    name: "Two minutes",
    active: true,
    next_change_at: new Date(endMs).toISOString(),
  });
  // A daemon that comes back within the period restores what is left of it.
  await daemon.kill();
  daemon = await startDaemon(topology.gateway, config, folder);
  await until("the phone leaves directly again", async () => (await leavesBy("phone")) === "wan0");
  const flood = await started("phone", "2");
  await until("the flood leaves directly", async () => (await seenFor(0.2)).wan0 > 100);
  await waitUntil(endMs - 2000);
  await daemon.kill();
  await waitUntil(endMs + 50);
  const after = await seenFor(13);
  recordFigure({
    name: "packets of a device after its direct policy has ended without a daemon",
    value: Object.values(after).reduce((sum, count) => sum + count),
    unit: "packets",
    most: 0,
  });
  expect(after).toEqual(nothing);
  expect(await leavesBy("laptop")).toBe("t1");
  daemon = await startDaemon(topology.gateway, config, folder);
  await until("the phone leaves by the tunnel", async () => (await leavesBy("phone")) === "t1");
  const { wan0 } = await topology.counted();
  await until("the flood leaves by the tunnel", async () => (await seenFor(0.2)).t1 > 100);
  expect(await topology.counted()).toMatchObject({ wan0 });
  await flood.request("stop");
});

test("a protecting policy begins in the kernel while the daemon is stopped: nothing leaves in the clear, and then by the tunnel", {
  tags: ["proof"],
}, async () => {
  await removeAll();
  const { startMs } = await soon("Another minute");
  await apply({ name: "tunnel", source_value: "phone", priority: 10, hops, schedule_id: "Another minute" });
  expect([await leavesBy("phone"), await leavesBy("laptop")]).toEqual(["wan0", "wan0"]);
  const flood = await started("phone", "2");
  await until("the flood leaves directly", async () => (await seenFor(0.2)).wan0 > 100);
  await waitUntil(startMs - 2000);
  await daemon.whilePaused(async () => {
    await waitUntil(startMs + 50);
    const after = await seenFor(3);
    recordFigure({
      name: "packets in the clear after a protecting policy has begun without a daemon",
      value: after.wan0,
      unit: "packets",
      most: 0,
    });
    expect(after).toEqual(nothing);
    expect(await leavesBy("laptop")).toBe("wan0");
  });
  await until("the phone leaves by the tunnel", async () => (await leavesBy("phone")) === "t1");
  const { wan0 } = await topology.counted();
  await until("the flood leaves by the tunnel", async () => (await seenFor(0.2)).t1 > 100);
  expect(await topology.counted()).toMatchObject({ wan0 });
  await flood.request("stop");
});

test("a policy that ends while the daemon runs moves what runs, within seconds, and nothing is seen in the clear meanwhile", {
  tags: ["proof"],
}, async () => {
  await removeAll();
  const { startMs } = await soon("Third minute");
  await apply(
    { name: "second tunnel", source_value: "phone", priority: 20, hops: [{ type: "vpn", target: "t2" }] },
    { name: "tunnel", source_value: "phone", priority: 10, hops, schedule_id: "Third minute" },
  );
  expect(await leavesBy("phone")).toBe("t2");
  const flood = await started("phone", "2");
  const before = await topology.counted();
  await waitUntil(startMs);
  await until("the flood leaves by the other tunnel", async () => (await topology.counted()).t1 - before.t1 > 100);
  const took = Date.now() - startMs;
  const then = await seenFor(1);
  expect({ ...then, t1: then.t1 > 100 }).toEqual({ ...nothing, t1: true });
  expect((await topology.counted()).wan0).toBe(before.wan0);
  recordFigure({ name: "beginning of a policy until its packets use its tunnel", value: took, unit: "ms" });
  await flood.request("stop");
});
