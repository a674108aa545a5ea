import { parseAddress } from "../../daemon/src/net/addresses.ts";
import { expect, test } from "vitest";
import { decide } from "../../daemon/src/compiler/policy/decide.ts";
import { evaluate, type Verdict } from "../../daemon/src/compiler/policy/evaluate.ts";
import type { Facts } from "../../daemon/src/compiler/input/facts.ts";
import { type Intent, noLinks } from "../../daemon/src/compiler/input/intent.ts";
import type { Outcome } from "../../daemon/src/compiler/policy/outcome.ts";
import { recordFigure } from "../../testing/figure.ts";
import { announceSeed, randomFrom } from "../../testing/seed.ts";
import { links, openEgressTopology, type Probe } from "../topology-egresses.ts";
import { openLab } from "../namespaces.ts";
import { randomScenario } from "../scenarios.ts";

/** `SETS=2000 npm run test:lab` is the full size. */
const sets = Number(process.env["SETS"] ?? 100);

test("every packet leaves, or is blocked, as the evaluator says (T-protected-5)", async () => {
  const random = randomFrom(announceSeed("evaluator"));
  await using lab = openLab();
  const crossroads = await openEgressTopology(lab);
  const outcomes = new Map<string, number>();
  const lies: unknown[] = [];
  let excepted = 0;
  for (let set = 0; set < sets; set++) {
    const { intent, facts, probes } = randomScenario(random);
    await crossroads.load(intent, facts);
    await crossroads.gateway.run("conntrack", "-F"); // Each set is judged by itself; flows across sets have a journey of their own.
    const seen = await crossroads.send(probes);
    for (const probe of probes) {
      const { outcome, exception } = evaluated(probe, intent, facts);
      if (exception) excepted += 1;
      outcomes.set(outcome.kind, (outcomes.get(outcome.kind) ?? 0) + 1);
      const left = seen.get(probe.port) ?? [];
      if (!agrees(outcome, left)) lies.push({ set, probe, outcome, left });
    }
  }
  process.stdout.write(
    `evaluator: ${sets} sets, ${sets * 24} packets, ${excepted} by exception, ${JSON.stringify(Object.fromEntries(outcomes))}\n`,
  );
  recordFigure({ name: "packets compared with the evaluator", value: sets * 24, unit: "packets" });
  recordFigure({ name: "packets that differ from the evaluator", value: lies.length, unit: "packets", most: 0 });
  expect(lies).toEqual([]);
  expect(excepted).toBeGreaterThan(0);
  // The probes would have been seen: every kind of egress was used, and every kind of refusal happened.
  expect([...outcomes.keys()].toSorted()).toEqual(["block", "direct", "egress", "local", "split"]);
}, 1_800_000);

function evaluated(probe: Probe, intent: Intent, facts: Facts): Verdict {
  const packet = {
    interface: probe.interface,
    mac: probe.mac,
    source: parseAddress(probe.source),
    destination: parseAddress(probe.destination),
  };
  return evaluate(packet, decide(intent, facts), intent, facts);
}

function agrees(outcome: Outcome, left: readonly string[]): boolean {
  switch (outcome.kind) {
    case "block":
    case "pass":
      return left.length === 0;
    case "local":
      return left.length === 1 && left[0]!.startsWith("lan");
    case "direct":
      return left.length === 1 && left[0] === "wan0";
    case "egress":
      return left.length === 1 && left[0] === outcome.interface;
    case "split":
      return left.length === 1 && outcome.members.some((it) => it.interface === left[0]);
  }
}

test("a packet no policy protects is seen outside at once, and not at all once a policy blocks it (T-blocked-1)", async () => {
  await using lab = openLab();
  const crossroads = await openEgressTopology(lab);
  const probe = {
    interface: "lan0",
    mac: "02:00:00:00:00:01",
    source: "10.0.0.2",
    destination: "203.0.113.5",
    port: 1000,
  };
  const intent: Intent = {
    network: { lan: ["lan0", "lan1"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" },
    devices: [],
    groups: [],
    policies: [],
    exceptions: [],
    ...noLinks,
  };
  await crossroads.load(intent, { links, hops: [] });
  expect(await crossroads.send([probe])).toEqual(new Map([[1000, ["wan0"]]]));

  const block = {
    id: "block",
    priority: 1,
    sourceType: "subnet",
    sourceValue: "10.0.0.0/24",
    hops: [],
    failPolicy: "fail-closed",
    splitting: false,
  } as const;
  await crossroads.load({ ...intent, policies: [block] }, { links, hops: [] });
  expect(await crossroads.send([probe])).toEqual(new Map());
});
