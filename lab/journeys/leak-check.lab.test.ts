import { setTimeout as after } from "node:timers/promises";
import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectWithin, until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { daemonFolder, type LabDaemon, startDaemon } from "../daemon.ts";
import { pauseMonitors } from "../netlink-monitors.ts";
import { subscribeToEvents } from "../events.ts";
import { faultyNft } from "../faulty.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { allDevices, type PlantedLeak, plantedLeaks, type PlantTarget } from "../planted-leaks.ts";
import { startJsonScript } from "../json-script.ts";
import { type Device, openDeviceTopology, server, type DeviceTopology } from "../topology-devices.ts";

/*
 * Leaks are planted on purpose, one after the other. Before each, the check must find no leak; afterwards it must name
 * the leaking device and the cause, and no leak for the others. A leak that the daemon would repair first is planted
 * while its monitors are stopped.
 */

const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  reconcile: { interval_sec: 86_400 },
  limits: { requests_per_minute: 1_000_000 },
  dns: { enabled: true, upstream_servers: [server.v4] },
};
const folder = daemonFolder();
const nft = faultyNft(folder.path);

let lab: Lab;
let topology: DeviceTopology;
let daemon: LabDaemon;
const devices: Record<string, Device> = {};
const ids: Record<string, string> = {};
/** Device → the number of its egress. */
const egress: Record<string, number> = {};

beforeAll(async () => {
  lab = openLab();
  topology = await openDeviceTopology(lab);
  for (const [index, name] of ["phone", "laptop", "tablet"].entries()) {
    devices[name] = await topology.device(name, index + 1);
    // A device that was never seen is resolved in vain.
    for (const router of ["10.0.0.1", "fd00::1"]) await devices[name].run("ping", "-c", "1", "-W", "30", router);
  }
  // The last tunnel forwards IPv4 only.
  for (const what of ["route", "address"]) await topology.gateway.run("ip", "-6", what, "flush", "dev", "t3");
  await startJsonScript(topology.outside, "echo_address.py", server.v4);
  daemon = await startDaemon(topology.gateway, config, folder, nft.path);
  for (const [name, target] of [
    ["phone", "t1"],
    ["laptop", "t2"],
    ["tablet", "t3"],
  ] as const) {
    ids[name] = ((await daemon.ok("POST", "/devices", { name, mac: devices[name]!.mac })) as { id: string }).id;
    const source = { source_type: "device", source_value: name };
    await daemon.ok("POST", "/routing/policies", { name, ...source, hops: [{ type: "vpn", target }] });
  }
  await daemon.ok("PUT", "/privacy/leak-monitor", { enabled: false, address_echo_url: `http://${server.v4}:8000/` });
  const { enforced } = (await daemon.ok("POST", "/routing/policies/apply")) as { enforced: boolean };
  if (!enforced) throw new Error("The policies are not in force");
  for (const [name, target] of [
    ["phone", "t1"],
    ["laptop", "t2"],
    ["tablet", "t3"],
  ] as const) {
    const routes = await topology.gateway.run("ip", "route", "show", "table", "all");
    egress[name] = Number(new RegExp(`dev ${target} table 7(\\d{3}) metric 10`).exec(routes)![1]);
  }
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const check = async (body?: object) => (await daemon.ok("POST", "/privacy/leak-check", body)) as LeakCheck;

const verdicts = ({ devices: all }: LeakCheck) => Object.fromEntries(all.map(({ name, verdict }) => [name, verdict]));
const allWithoutLeak = { phone: "no-leak", laptop: "no-leak", tablet: "no-leak" };

/** What was planted takes a moment to go. */
async function clean(): Promise<LeakCheck> {
  for (let left = 10; ; left -= 1) {
    const found = await check();
    if ([found, ...found.devices].every(({ verdict }) => verdict === "no-leak")) return found;
    if (left === 0)
      throw new Error(
        `Nothing is planted, and yet: ${JSON.stringify([found.gateway, ...found.devices.map((it) => it.findings)])}`,
      );
    await after(200);
  }
}

async function whoIs(name: string): Promise<PlantTarget> {
  const index = ["phone", "laptop", "tablet"].indexOf(name) + 1;
  return {
    v4: `10.0.0.${index + 1}`,
    v6: `fd00::${index + 1}`,
    mac: devices[name]!.mac,
    table: 7000 + egress[name]!,
    mark: `0x${(0x8000_0000 + egress[name]!).toString(16)}`,
  };
}

/** What the operator does himself, and perhaps has forgotten. */
const wished = [
  {
    name: "an exception",
    who: "phone",
    cause: "exposed-by-exception",
    plant: async () =>
      (
        (await daemon.ok("POST", "/exceptions", {
          type: "temporary-direct",
          device_id: "phone",
          duration_min: 10,
        })) as { id: string }
      ).id,
    uproot: (id: string) => daemon.ok("DELETE", `/exceptions/${id}`),
  },
  {
    name: "a policy that leads into the open",
    who: "laptop",
    cause: "exposed-by-policy",
    plant: () => openPolicy([]),
    uproot: withoutPolicy,
  },
  {
    name: "a policy whose hop is down and that lets go then",
    who: "laptop",
    cause: "direct-fallback",
    plant: () => openPolicy([{ type: "interface", target: "missing0" }]),
    uproot: withoutPolicy,
  },
] as const;

async function openPolicy(hops: readonly object[]): Promise<string> {
  const whose = { source_type: "device", source_value: "laptop" };
  const wish = { name: "open", priority: 1, ...whose, fail_policy: "fail-open", hops };
  const { id } = (await daemon.ok("POST", "/routing/policies", wish)) as { id: string };
  await daemon.ok("POST", "/routing/policies/apply");
  return id;
}

async function withoutPolicy(id: string): Promise<void> {
  await daemon.ok("DELETE", `/routing/policies/${id}`);
  await daemon.ok("POST", "/routing/policies/apply");
}

test.each(wished)("the check reports $name that lets a device out", async (it) => {
  expect(verdicts(await clean())).toEqual(allWithoutLeak);
  const id = await it.plant();
  const found = await check();
  await it.uproot(id);
  expect(verdicts(found)).toEqual({ ...allWithoutLeak, [it.who]: "direct" });
  expect([found.verdict, found.discarded]).toEqual(["no-leak", false]);
  const { findings, posture } = found.devices.find(({ name }) => name === it.who)!;
  expect(posture).toBe("exposed");
  expect(findings.map(({ cause, severity }) => [cause, severity])).toEqual([[it.cause, "intended"]]);
});

test("one device alone is checked by its name, and an attack leaves nothing behind", async () => {
  await clean();
  const aims = `table inet aims { counter arrived {}; chain c { type filter hook prerouting priority -400; ip daddr 198.18.0.0/15 counter name arrived; ip6 daddr 2001:2::/48 counter name arrived; }; }`;
  await topology.outside.run("nft", aims);
  const arrived = () => topology.outside.run("nft", "list", "counter", "inet", "aims", "arrived");
  const { devices: all } = await check({ device_id: "phone" });
  expect(all.map(({ name, verdict }) => [name, verdict])).toEqual([["phone", "no-leak"]]);
  const left = all[0]!.evidence.filter(({ what }) => what.startsWith("Probe")).map(({ found }) => found);
  expect(left).toEqual(["it left by t1", "it left by t1"]);
  // Not even by the tunnel: what was put in was dropped behind the last table. What the phone itself sends there arrives.
  expect(await arrived()).toContain("packets 0 ");
  await devices["phone"]!.run("bash", "-c", "ping -c 1 -W 1 198.18.0.9; true");
  expect(await arrived()).toContain("packets 1 ");
  expect(await topology.gateway.run("nft", "list", "tables")).not.toContain("portcullis_probe");
  expect(await topology.gateway.run("ip", "link")).not.toContain("pc-probe");
  expect(await topology.gateway.run("ip", "rule")).not.toContain("6990");
});

test("a check during a change is about the change, and reports no leak", async () => {
  await clean();
  const whose = { source_type: "device", source_value: "laptop" };
  const wish = { name: "moved", priority: 1, ...whose, hops: [{ type: "vpn", target: "t1" }] };
  const { id } = (await daemon.ok("POST", "/routing/policies", wish)) as { id: string };
  const revisionOf = async () => ((await daemon.ok("GET", "/render")) as { revision: number }).revision;
  const before = await revisionOf();
  nft.delay(5); // Long enough to ask for a check before it is over, also on a slow machine.
  const applied = daemon.ok("POST", "/routing/policies/apply");
  await until("it is compiled", async () => (await revisionOf()) > before, 5);
  const begun = performance.now();
  const found = await check({ device_id: "laptop" });
  const ms = performance.now() - begun;
  nft.work();
  await applied;
  await withoutPolicy(id);
  expect(ms).toBeGreaterThan(1000); // It waited; and so there was something to wait for.
  expect(found).toMatchObject({ verdict: "no-leak", discarded: false });
  const left = found.devices[0]!.evidence.filter(({ what }) => what.startsWith("Probe")).map((it) => it.found);
  expect(left).toEqual(["it left by t1", "it left by t1"]);
});

test("an egress that is down, without a replacement, is an outage and no leak", async () => {
  await clean();
  using _ = await pauseMonitors(topology.gateway, "monitor");
  await daemon.ok("POST", "/enforce/reconcile");
  const { table } = await whoIs("phone");
  await topology.gateway.run("ip", "route", "del", "default", "dev", "t1", "table", String(table), "metric", "10");
  const found = await check();
  const attacks = found.devices[0]!.evidence.filter(({ what }) => what.startsWith("Probe"));
  expect(attacks.map((it) => it.found)).toEqual(["it was blocked", "it left by t1"]);
  expect([found.verdict, found.discarded, verdicts(found)]).toEqual(["no-leak", false, allWithoutLeak]);
  // The check has had it put right.
  expect(await topology.gateway.run("ip", "route", "show", "table", String(table))).toContain("dev t1 metric 10");
});

test.each(plantedLeaks)("the check finds $name", async (it) => {
  const before = await clean();
  expect(verdicts(before)).toEqual(allWithoutLeak);
  const who = await whoIs(it.devices[0]!);
  const { found, ms } = await whilePlanted(it, who, async () => {
    const started = performance.now();
    return { found: await check(), ms: performance.now() - started };
  });
  process.stdout.write(
    `leak check: ${it.name}: ${JSON.stringify(verdicts(found))} in ${ms.toFixed(0)} ms; ${found.devices
      .flatMap(({ name, findings }) => findings.map(({ cause, severity }) => `${name} ${severity} ${cause}`))
      .join(", ")}\n`,
  );
  recordFigure({ name: "time of a check that finds a planted leak", value: ms / 1000, unit: "s" });
  if (process.env["SHOW"]) process.stdout.write(`${JSON.stringify(found, null, 1)}\n`);
  expect(found.discarded).toBe(false); // A discarded check reports nothing.
  const tight = allDevices.filter((name) => !it.devices.includes(name));
  expect(verdicts(found)).toEqual({
    ...Object.fromEntries(it.devices.map((name) => [name, it.verdict])),
    ...Object.fromEntries(tight.map((name) => [name, "no-leak"])),
  });
  for (const { name, findings } of found.devices.filter((device) => it.devices.includes(device.name))) {
    const causes = findings.map(({ cause }) => cause);
    expect({ name, causes }).toMatchObject({ causes: expect.arrayContaining([it.cause]) as unknown });
    expect(causes.includes("seen-outside")).toBe(it.seenOutside === true);
    expect(findings.every(({ evidence }) => evidence.length > 0)).toBe(true);
  }
});

async function whilePlanted<T>(it: PlantedLeak, who: PlantTarget, work: () => Promise<T>): Promise<T> {
  const { gateway } = topology;
  const there = it.elsewhere?.host === "outside" ? topology.outside : devices["laptop"]!;
  const isDeaf = it.isHealed === true;
  using _ = isDeaf ? await pauseMonitors(gateway, "monitor") : undefined;
  if (isDeaf) await daemon.ok("POST", "/enforce/reconcile"); // For the events it got before.
  if (it.elsewhere) await there.run("bash", "-c", it.elsewhere.plant);
  if (it.inject) await gateway.run("bash", "-c", it.inject(who));
  try {
    return await work();
  } finally {
    if (it.remove) await gateway.run("bash", "-c", it.remove(who));
    if (it.elsewhere?.uproot) await there.run("bash", "-c", it.elsewhere.uproot);
  }
}

test.each(plantedLeaks.filter(({ isHealed }) => isHealed))(
  "a program that repeats it is found, as often as it is repaired: $name",
  async (it) => {
    await clean();
    const command = it.inject!(await whoIs(it.devices[0]!));
    using events = await subscribeToEvents(topology.gateway);
    const hostile = topology.gateway.start("bash", "-c", `while :; do ${command}; sleep 0.05; done`);
    for (const stream of [hostile.stdout!, hostile.stderr!]) stream.resume();
    const isHealed = async () => events.some(({ event }) => event === "drift.detected");
    const found = await until("it is healed", isHealed, 10)
      .then(() => check())
      .finally(() => process.kill(-hostile.pid!, "SIGKILL"));
    await daemon.ok("POST", "/enforce/reconcile");
    // Whether a packet is seen outside depends on which of the two was the last before it.
    const suspects = found.devices.filter(({ verdict }) => verdict !== "no-leak");
    expect(found.discarded).toBe(false);
    expect(suspects.map(({ name }) => name).toSorted()).toEqual(it.devices.toSorted());
    for (const { findings } of suspects) expect(findings.map(({ cause }) => cause)).toContain(it.cause);
  },
);

test("a hundred devices are checked within the time that a person waits", async () => {
  await clean();
  for (let index = 3; index < 100; index++) {
    const mac = `02:00:00:00:01:${index.toString(16).padStart(2, "0")}`;
    await daemon.ok("POST", "/devices", { name: `device ${index}`, mac });
  }
  const source = { source_type: "interface", source_value: "lan0" };
  await daemon.ok("POST", "/routing/policies", { name: "all", ...source, hops: [{ type: "vpn", target: "t1" }] });
  await daemon.ok("POST", "/routing/policies/apply");
  const took = async (body?: object) => {
    const started = performance.now();
    const { devices: all, verdict } = await check(body);
    return { count: all.length, verdict, ms: Math.round(performance.now() - started) };
  };
  const [one, all] = [await took({ device_id: "phone" }), await took()];
  process.stdout.write(`leak check: ${JSON.stringify({ one, all })}\n`);
  expect([one, all]).toMatchObject([
    { count: 1, verdict: "no-leak" },
    { count: 100, verdict: "no-leak" },
  ]);
  expectWithin(20, { "a check of a hundred devices": all.ms / 1000 });
});
