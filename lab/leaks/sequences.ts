import { setTimeout as wait } from "node:timers/promises";
import { monotonicSec } from "../../testing/clock.ts";
import { until } from "../../testing/deadline.ts";
import { type Fault, Leak } from "./fault.ts";
import { type Counts, probeNames } from "./probes.ts";
import type { LeakTopology } from "./topology.ts";

/** What came of one sequence. */
export interface Run {
  readonly seed: number;
  /** Faults that happened, in their order. One that stood on another's ground may not have: what it takes away was gone. */
  readonly struck: readonly number[];
  readonly missed: readonly number[];
  readonly sent: number;
  readonly leaked: Counts;
  /** Packets outside that are neither allowed nor a probe. */
  readonly findings: Readonly<Record<string, number>>;
  /** After the last fault was over, until all probes of the phone were answered. */
  readonly healedSec: number;
  readonly seconds: number;
}

/** Of them that happen. */
const minFaults = 5;
export const maxFaults = 20;
/** So long after the last fault is over, the gateway works again by itself. */
const maxHealedSec = 60;

/** How many are to happen, and which one is next. */
export interface Sequence {
  readonly length: number;
  readonly next: () => Fault;
}

/** Five to twenty of the faults in any order, some twice, some while others are still active; at most `longest`. */
export const sequenceOf = (faults: readonly Fault[], random: () => number, longest = maxFaults): Sequence => ({
  length: minFaults + Math.floor(random() * (longest - minFaults + 1)),
  next: () => faults[Math.floor(random() * faults.length)]!,
});

/**
 * The phone sends from before the first fault until the gateway works again. Only what is not the gateway's is repaired
 * by hand, such as a server that was frozen, and a dead daemon is started again, as its unit would.
 */
export async function runSequence(
  topology: LeakTopology,
  { length, next }: Sequence,
  seed: number,
  random: () => number,
): Promise<Run> {
  const started = monotonicSec();
  const [struck, missed, active]: [number[], number[], Set<Fault>] = [[], [], new Set()];
  const healAll = async () => {
    // The last first: what came later may stand on what was before. What is to be undone may be gone already; whether enough
    // was undone shows in the end, when the gateway has to work.
    for (const fault of [...active].toReversed()) await fault.heal?.(topology).catch(() => undefined);
    active.clear();
  };
  await topology.works(maxHealedSec);
  await topology.begin();
  while (struck.length < length) {
    const fault = next();
    if (fault.needsDaemon || active.has(fault) || random() < 0.5) await healAll();
    if (fault.needsDaemon) await untilApiAnswers(topology);
    try {
      await fault.strike(topology, random);
      struck.push(fault.number);
    } catch (error) {
      if (error instanceof Leak || error instanceof TypeError || error instanceof ReferenceError) throw error;
      missed.push(fault.number);
      if (missed.length > 2 * maxFaults) throw error; // It would go on for ever.
    }
    active.add(fault);
    await wait(random() * 800);
  }
  await healAll();
  const healedSec = await topology.works(maxHealedSec);
  const { devices, findings, samples } = await topology.seen();
  const { sent } = await topology.senderReport();
  return {
    seed,
    struck,
    missed,
    sent: probeNames.reduce((sum, probe) => sum + (sent[probe] ?? 0), 0),
    leaked: devices["phone"] ?? {},
    findings: { ...findings, ...firstOf(samples) },
    healedSec,
    seconds: monotonicSec() - started,
  };
}

/** The first packet of each probe that was seen. A portal is opened on purpose, and nothing beside it. */
const firstOf = (samples: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(samples).flatMap(([whose, packet]) => (whose.includes("portal") ? [] : [[packet, 1]])),
  );

/** A daemon that has just come back may not answer yet. */
async function untilApiAnswers({ dns: { topology } }: LeakTopology): Promise<void> {
  const isWell = async () => (await topology.api.request("GET", "/health").catch(() => ({ status: 0 }))).status === 200;
  await until("the daemon answers", isWell, 60);
}

/** What is wrong with it, in words; nothing if it stands. */
export const faultsOf = ({ seed, struck, leaked, findings }: Run): string[] =>
  [
    ...probeNames.filter((probe) => (leaked[probe] ?? 0) > 0).map((probe) => `${probe} leaked ${leaked[probe]}`),
    ...Object.entries(findings).map(([what, count]) => `${count} × ${what}`),
  ].map((what) => `sequence ${seed} (${struck.join(", ")}): ${what}`);
