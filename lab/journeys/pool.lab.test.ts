import { setTimeout as wait } from "node:timers/promises";
import type { Bridge, BridgeHealth, BridgeProbe } from "@portcullis/contract/subsystems/bridges";
import type { CoverStats, SplittingEndpoint, SplittingStatus } from "@portcullis/contract/subsystems/splitting";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { type HopServer, type HopTopology, openHopTopology, type HopClient } from "../topology-hops.ts";
import type { Site } from "../internet.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Flow, openFlow, startFlowServer } from "../flow.ts";

/* A LAN whose client Paul spreads his connections over three tunnels. Each test continues where the previous one left off. */

/** `CALLS=4000` for a finer count. */
const connections = Number(process.env["CALLS"] ?? 400);
const weights = { p1: 1, p2: 2, p3: 1 } as const;
type Name = keyof typeof weights;
const names = Object.keys(weights) as Name[];

let lab: Lab;
let topology: HopTopology;
let paul: HopClient;
let sink: Site;
const tunnels = new Map<Name, HopServer>();
/** Each time a new connection of Paul's; answered with the address it is seen to come from. */
let calls: Flow;

beforeAll(async () => {
  lab = openLab();
  topology = await openHopTopology(lab);
  const site = await topology.net.site("echo");
  await startFlowServer(site.host, 80, [site.v4]);
  sink = await topology.net.site("sink");
  for (const name of names) tunnels.set(name, await topology.wireguard(name));
  paul = await topology.addClient("paul", [tunnels.get("p1")!]);
  await paul.traffic.stop(); // His own calls shall be the only ones that are counted.
  calls = openFlow(paul.device, "calls", site.v4, 80);
});
afterAll(async () => {
  await topology?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

async function tally(count: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let left = count; left > 0; left -= 1) {
    const address = await calls.request();
    const name = names.find((it) => tunnels.get(it)!.site.v4 === address) ?? address;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
const status = async () => (await topology.api.ok("GET", "/splitting/status")) as SplittingStatus;
const members = async () => (await status()).policies[0]?.members ?? [];
const shares = async () => Object.fromEntries((await members()).map(({ tunnel, share }) => [tunnel, share]));
const areHealthy = (count: number) => async () => (await members()).filter(({ healthy }) => healthy).length === count;
const log = (text: string) => process.stdout.write(`pool: ${text}\n`);

test("new connections are spread by weight", async () => {
  for (const name of names)
    await topology.api.ok("POST", "/splitting/endpoints", { tunnel_id: name, weight: weights[name] });
  expect(await status()).toMatchObject({ active: false, members: 3 });
  const answer = await topology.api.ok("POST", "/splitting/activate", { policy_id: paul.policyId, apply: true });
  expect(answer).toMatchObject({ applied: true, message: "The policy is in force" });
  await until("all tunnels forward", areHealthy(3), 20);
  expect(await shares()).toEqual({ p1: 0.25, p2: 0.5, p3: 0.25 });

  await until("a call arrives", async () => !["silence", "reset"].includes(await calls.request()), 5);
  const counts = await tally(connections);
  log(`${connections} connections ${JSON.stringify(counts)}`);
  expect(Object.keys(counts).toSorted()).toEqual(names);
  // Other new flows of the device take their turns between the calls, so the shares vary as if drawn at random.
  const standardDeviation = Math.sqrt(0.25 / connections);
  const deviations = names.map((name) => Math.abs(counts[name]! / connections - weights[name] / 4));
  recordFigure({
    name: "deviation of connections from their weights",
    value: Math.max(...deviations),
    unit: "share",
    most: 3 * standardDeviation,
  });
  expect(Math.max(...deviations)).toBeLessThanOrEqual(4 * standardDeviation);
});

test("a tunnel dies: the others share what comes, by their weights, until it is back", async () => {
  tunnels.get("p2")!.freeze();
  const gone = await until("it is left out", areHealthy(2), 5);
  expect(await shares()).toEqual({ p1: 0.5, p2: 0, p3: 0.5 });
  await until(
    "the kernel knows",
    async () => !Object.keys(await tally(4)).some((it) => it === "silence" || it === "reset"),
    10,
  );
  const without = await tally(connections / 2);
  log(`left out after ${gone.toFixed(2)} s, then ${JSON.stringify(without)}`);
  recordFigure({ name: "time until a dead member of a pool is left out", value: gone, unit: "s", most: 5 });
  expect(Object.keys(without).toSorted()).toEqual(["p1", "p3"]);
  expect(Math.abs(without["p1"]! / (connections / 2) - 0.5)).toBeLessThanOrEqual(0.03);

  tunnels.get("p2")!.thaw();
  const back = await until("it is back", areHealthy(3), 15);
  await until("the kernel knows", async () => (await tally(4))["p2"] === 2, 5);
  const again = await tally(connections / 2);
  log(`back after ${back.toFixed(2)} s, then ${JSON.stringify(again)}`);
  recordFigure({ name: "time until a member of a pool is used again", value: back, unit: "s", most: 15 });
  expect(Math.abs(again["p2"]! / (connections / 2) - 0.5)).toBeLessThanOrEqual(0.03);
});

test("no tunnel is left: nothing leaves, and nothing leaves elsewhere", async () => {
  for (const it of tunnels.values()) it.freeze();
  await until("none is healthy", areHealthy(0), 5);
  expect(await shares()).toEqual({ p1: 0, p2: 0, p3: 0 });
  await topology.net.seen(topology.net.providers[0]);
  for (let left = 5; left > 0; left -= 1) expect(["silence", "reset"]).toContain(await calls.request());
  const servers = new Set([...tunnels.values()].map(({ site }) => site.v4));
  const others = (await topology.net.seen(topology.net.providers[0])).filter(
    ({ to, protocol }) => !servers.has(to) && protocol === "tcp",
  );
  expect(others).toEqual([]);
  for (const it of tunnels.values()) it.thaw();
  log(`all back after ${(await until("all are back", areHealthy(3), 20)).toFixed(2)} s`);
});

describe("cover traffic", () => {
  const bytesPerSec = 4000;
  let cover: SplittingEndpoint;
  const stats = async () => ((await topology.api.ok("GET", "/splitting/cover/stats")) as CoverStats[])[0]!;
  /** Packets of any kind to the sink, by who sent them. */
  const toSink = async (on = topology.net.core) => (await topology.net.seen(on)).filter(({ to }) => to === sink.v4);

  test("it is off by default", async () => {
    cover = (await topology.api.ok("POST", "/splitting/endpoints", {
      tunnel_id: "p3",
      role: "cover",
      target: sink.v4,
      bytes_per_second: bytesPerSec,
    })) as SplittingEndpoint;
    expect(cover.enabled).toBe(false);
    await toSink();
    await wait(1000);
    expect(await stats()).toMatchObject({ enabled: false, packets: 0, bytes: 0 });
    expect(await toSink()).toEqual([]);
  });

  test("switched on it is counted, has its limit, and stays inside its tunnel", async () => {
    await Promise.all(topology.net.providers.map(toSink));
    await topology.api.ok("PUT", `/splitting/endpoints/${cover.id}`, { enabled: true });
    await until("padding is sent", async () => (await stats()).packets > 0, 5);
    const [before, startedMs] = [await stats(), performance.now()];
    await toSink();
    await wait(5000);
    const [after, seen, seconds] = [await stats(), await toSink(), (performance.now() - startedMs) / 1000];
    const rate = (after.bytes - before.bytes) / seconds;
    log(`padding: ${after.packets} packets, ${Math.round(rate)} of ${bytesPerSec} bytes a second`);
    recordFigure({
      name: "rate of padding, compared with its limit",
      value: rate / bytesPerSec,
      unit: "share",
      least: 0.6,
      most: 1.1,
    });
    // A packet that is due when the count begins may come late, and then counts.
    expect(after.bytes - before.bytes).toBeLessThanOrEqual(1.1 * bytesPerSec * seconds + 1200);
    expect(rate).toBeGreaterThan(0);
    expect(after.answered).toBeGreaterThan(0);
    expect(seen.map(({ from, protocol }) => ({ from, protocol }))).toEqual([
      { from: tunnels.get("p3")!.site.v4, protocol: "icmp" },
    ]);
    for (const provider of topology.net.providers) expect(await toSink(provider)).toEqual([]);
  });

  test("its tunnel is switched off: it does not leave elsewhere", async () => {
    await topology.api.ok("POST", `/tunnels/${tunnels.get("p3")!.id}/down`);
    await toSink();
    await Promise.all(topology.net.providers.map(toSink));
    await wait(1000);
    expect(await toSink()).toEqual([]);
    for (const provider of topology.net.providers) expect(await toSink(provider)).toEqual([]);
    await topology.api.ok("POST", `/tunnels/${tunnels.get("p3")!.id}/up`);
    await until("padding goes on", async () => (await toSink()).length > 0, 15);
    await topology.api.ok("DELETE", `/splitting/endpoints/${cover.id}`);
    await until("padding ends", async () => (await wait(500), (await toSink()).length === 0), 5);
  });
});

test("a bridge of two ports is made, looked at, switched and taken away", async () => {
  const { gateway } = topology.net;
  const neighbours = [await lab.host("left"), await lab.host("right")] as const;
  for (const [index, host] of neighbours.entries())
    await lab.cable(
      { host: gateway, device: `port${index}`, addresses: [] },
      { host, device: "eth0", addresses: [`192.168.77.${index + 2}/24`] },
    );
  const body = { name: "office", interface: "br-office", members: ["port0", "port1"], addresses: ["192.168.77.1/24"] };
  const { id } = (await topology.api.ok("POST", "/bridges", body)) as Bridge;
  const sight = async () => ((await topology.api.ok("GET", "/bridges/status")) as BridgeHealth[])[0]!;
  const isHealthy = async () => (await sight()).healthy;
  log(`a bridge forwards after ${(await until("it is healthy", isHealthy, 10)).toFixed(2)} s`);
  expect(await sight()).toMatchObject({
    carrier: true,
    members: [
      { interface: "port0", present: true, state: "forwarding" },
      { interface: "port1", present: true, state: "forwarding" },
    ],
  });
  expect(await neighbours[0].run("ping", "-c", "1", "-W", "30", "192.168.77.3")).toContain("1 received");
  const probe = async (target: string) =>
    (await topology.api.ok("POST", `/bridges/${id}/test`, { target })) as BridgeProbe;
  expect((await probe("192.168.77.2")).healthy).toBe(true);
  const absent = await probe("192.168.77.9");
  expect(absent.checks.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(["answer of 192.168.77.9"]);

  const links = () => gateway.run("ip", "-brief", "link", "show");
  await topology.api.ok("POST", `/bridges/${id}/toggle`);
  await until("it is gone", async () => !(await links()).includes("br-office"), 5);
  expect(await sight()).toMatchObject({ healthy: false });
  await topology.api.ok("POST", `/bridges/${id}/toggle`, { enabled: true });
  await until("it is healthy again", isHealthy, 10);
  await topology.api.ok("DELETE", `/bridges/${id}`);
  await until("it is gone", async () => !(await links()).includes("br-office"), 5);
  expect(await gateway.run("ip", "link", "show", "port0")).not.toContain("master");
});
