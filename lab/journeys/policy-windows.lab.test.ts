import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAddress } from "../../daemon/src/net/addresses.ts";
import { decide } from "../../daemon/src/compiler/policy/decide.ts";
import { evaluate, matches } from "../../daemon/src/compiler/policy/evaluate.ts";
import type { Facts } from "../../daemon/src/compiler/input/facts.ts";
import type { Intent, IntentPolicy, IntentWindow } from "../../daemon/src/compiler/input/intent.ts";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { intentWith, policy as policyOf, vpn } from "../../testing/intent.ts";
import { announceSeed, randomFrom } from "../../testing/seed.ts";
import { startJsonScript } from "../json-script.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { randomScenario } from "../scenarios.ts";
import { type EgressTopology, gatewayMac, links, openEgressTopology, type Probe } from "../topology-egresses.ts";

/* The rules of the kernel without a daemon: what was loaded for one period, while that lasts and afterwards. */
const sets = Number(process.env["WINDOW_SETS"] ?? 1);
let lab: Lab;
let topology: EgressTopology;

beforeAll(async () => {
  lab = openLab();
  topology = await openEgressTopology(lab);
});
afterAll(() => lab[Symbol.asyncDispose]());

const nowSec = () => Math.floor(Date.now() / 1000);
const weekSec = 7 * 86_400;
const windowOf = (policies: readonly IntentPolicy[], fromSec: number, untilSec: number): IntentWindow => ({
  scheduleId: policies[0]?.scheduleId ?? "none",
  fromMs: fromSec * 1000,
  untilMs: untilSec * 1000,
  untilUptimeSec: 0,
  policies,
});

/** Why a period is over without a daemon. */
const ends = {
  "the end has come": () => [nowSec() - 600, nowSec() - 20] as const,
  "the clock was set back": () => [nowSec() + 600, nowSec() + 1200] as const,
  // The timeout alone: the wall clock is still before the end.
  "the clock was set back and the time has passed": () => [nowSec() - 600, nowSec() + 600] as const,
};

test("outside of its period what a policy with a schedule matches is blocked, and all other packets are treated as before (T-protected-7)", async () => {
  const random = randomFrom(announceSeed("policy windows"));
  const found = { blocked: 0, asBefore: 0, inTime: 0 };
  const lies: unknown[] = [];
  for (let set = 0; set < sets || (found.blocked === 0 && set < sets + 20); set++)
    for (const [why, times] of Object.entries(ends)) {
      const { intent: whole, facts, probes } = randomScenario(random);
      const policies = whole.policies.map((it) =>
        it.sourceType !== "domain" && random() < 0.5 ? { ...it, scheduleId: random() < 0.7 ? "a" : "b" } : it,
      );
      const ofSchedule = (id: string) => policies.filter(({ scheduleId }) => scheduleId === id);
      const waiting = policies.filter(({ scheduleId }) => scheduleId !== undefined && random() < 0.5);
      const inForce = policies.filter((it) => !waiting.includes(it));
      const load = (a: readonly [number, number]) => {
        const windows = [
          windowOf(ofSchedule("a"), ...a),
          windowOf(ofSchedule("b"), nowSec() - weekSec, nowSec() + weekSec),
        ];
        const intent = { ...whole, policies: inForce, waiting, windows };
        return topology.load(intent, facts).then(() => intent);
      };
      const intent = await load([nowSec() - 600, nowSec() + 600]);
      await check(probes, intent, facts, []);
      await load(times());
      if (why === "the clock was set back and the time has passed")
        await topology.gateway.run("nft", "flush", "set", "inet", "portcullis", "window_1");
      await check(probes, intent, facts, ofSchedule("a"), why);
    }
  process.stdout.write(`policy windows: ${JSON.stringify(found)}\n`);
  recordFigure({ name: "packets that leave outside of their period", value: lies.length, unit: "packets", most: 0 });
  expect(lies).toEqual([]);
  expect(Math.min(...Object.values(found))).toBeGreaterThan(0);

  async function check(
    probes: readonly Probe[],
    intent: Intent,
    facts: Facts,
    over: readonly IntentPolicy[],
    why?: string,
  ): Promise<void> {
    await topology.gateway.run("conntrack", "-F");
    const seen = await topology.send(probes);
    for (const probe of probes) {
      const packet = {
        interface: probe.interface,
        mac: probe.mac,
        source: parseAddress(probe.source),
        destination: parseAddress(probe.destination),
      };
      const { outcome, exception } = evaluate(packet, decide(intent, facts), intent, facts);
      const isOver = over.some((it) => matches({ policy: it }, packet, intent, facts));
      const isDecidedBefore = exception !== undefined || outcome.kind === "local";
      const left = seen.get(probe.port) ?? [];
      if (isOver && !isDecidedBefore) {
        found.blocked += 1;
        if (left.length > 0) lies.push({ why, probe, left });
        continue;
      }
      if (why !== undefined) found.asBefore += 1;
      else found.inTime += 1;
      const leaves = outcome.kind !== "block" && outcome.kind !== "pass";
      if (leaves ? left.length !== 1 : left.length > 0) lies.push({ why, probe, outcome, left });
    }
  }
});

const [phone, laptop] = ["02:00:00:00:00:01", "02:00:00:00:00:02"] as const;
const device = (id: string, mac: string) => ({ id, mac, ips: [], groupIds: [], requiresTunnel: false });
const facts: Facts = { links, hops: [{ type: "vpn", target: "t1", interface: "t1", up: true }] };
const of = (id: string, over: Partial<IntentPolicy>) =>
  policyOf(id, { sourceType: "device", sourceValue: "phone", priority: 2, ...over });
const always = of("always", { hops: vpn("t1") });
const everyone = policyOf("rest", { sourceType: "all", hops: [], failPolicy: "fail-open", priority: 9 });
const intentAt = (
  inForce: readonly IntentPolicy[],
  waiting: readonly IntentPolicy[],
  times: readonly [number, number],
) =>
  intentWith({
    network: { lan: ["lan0", "lan1"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" },
    devices: [device("phone", phone), device("laptop", laptop)],
    policies: [...inForce, everyone],
    waiting,
    windows: [
      windowOf(
        [...inForce, ...waiting].filter((it) => it.scheduleId),
        ...times,
      ),
    ],
  });

/** A flood of new and of running connections, across the end of a period. */
async function acrossTheEnd(load: (untilSec: number) => Promise<void>, before: "wan0" | "t1") {
  await load(nowSec() + 600);
  const flood = await startJsonScript(topology.clients, "flood.py", gatewayMac, "to-lan0", phone, "2", "1500");
  let first = (await topology.counted())[before];
  await until("the flood leaves", async () => (await topology.counted())[before] - first > 100);
  // On a busy machine the rules may come into force only after the end for which they are.
  let untilSec = 0;
  for (let seconds = 2; untilSec * 1000 - Date.now() < 500; seconds *= 2) await load((untilSec = nowSec() + seconds));
  first = (await topology.counted())[before];
  await sleep(untilSec * 1000 + 100 - Date.now());
  const atEnd = await topology.counted();
  await sleep(1000);
  const afterwards = await topology.counted();
  const after = Object.fromEntries(
    Object.entries(afterwards).map(([name, count]) => [name, count - atEnd[name as "t1"]]),
  );
  const [other] = [...(await topology.send([probeOf(laptop, 3)])).values()];
  return { during: atEnd[before] - first, after, other, stop: () => flood.request("stop") };
}
let port = 5000;
const probeOf = (mac: string, host: number): Probe => ({
  interface: "lan0",
  mac,
  source: `10.0.0.${host}`,
  destination: "203.0.113.5",
  port: (port += 1),
});
const nothing = { wan0: 0, t1: 0, t2: 0, t3: 0 };

test("a direct policy ends in the kernel: no packet of new or running connections leaves until the next rules are loaded", async () => {
  const direct = of("direct", { priority: 1, failPolicy: "fail-open", scheduleId: "s" });
  const end = await acrossTheEnd(
    (untilSec) => topology.load(intentAt([direct, always], [], [nowSec() - 60, untilSec]), facts),
    "wan0",
  );
  expect(end).toMatchObject({ after: nothing, other: ["wan0"] });
  expect(end.during).toBeGreaterThan(0);
  // What follows: the policy that remains, for running connections too.
  await topology.load(intentAt([always], [direct], [nowSec() - 60, nowSec() + 600]), facts);
  const first = await topology.counted();
  await until("the flood leaves by the tunnel", async () => (await topology.counted()).t1 - first.t1 > 100);
  expect((await topology.counted()).wan0 - first.wan0).toBe(0);
  await end.stop();
});

test("a protecting policy begins in the kernel: from that moment nothing leaves in the clear, whether a daemon is there or not", async () => {
  const tunnel = of("tunnel", { priority: 1, hops: vpn("t1"), scheduleId: "s" });
  const end = await acrossTheEnd(
    (untilSec) => topology.load(intentAt([], [tunnel], [nowSec() - 60, untilSec]), facts),
    "wan0",
  );
  expect(end).toMatchObject({ after: nothing, other: ["wan0"] });
  expect(end.during).toBeGreaterThan(0);
  await end.stop();
});
