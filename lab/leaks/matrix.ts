import { setTimeout as wait } from "node:timers/promises";
import { openLab } from "../namespaces.ts";
import { monotonicSec } from "../../testing/clock.ts";
import type { Fault } from "./fault.ts";
import { type Counts, type ProbeName, probeNames } from "./probes.ts";
import { openLeakTopology, type LeakTopology } from "./topology.ts";

/** What came of one fault. */
export interface Row {
  readonly fault: number;
  readonly name: string;
  readonly where: "lab" | "vm";
  readonly cells: readonly Cell[];
  /** For how long packets were counted. */
  readonly seconds: number;
  readonly cites: readonly string[];
  /** What showed that it happened. */
  readonly evidence?: string;
  /** Packets outside that are neither allowed nor a probe. */
  readonly findings?: Readonly<Record<string, number>>;
}

export interface Cell {
  readonly probe: ProbeName;
  /** Packets that the device sent, from before the fault until after it was mended. */
  readonly sent: number;
  /** Of these, seen outside. */
  readonly leaked: number;
  /** Seen outside just before, while the device was let out: the probe is alive, and so is the watch. */
  readonly control: number;
}

/** So long the fault stands, at least, before anything is mended by hand. */
const lastsMs = 1500;
/** A tunnel that has to find its server again needs its time. */
const mendedSec = 60;

/**
 * One fault, from a gateway that works to a gateway that works again. The device is let out first, until each probe was seen
 * outside; then it is protected, and from there on nothing may be.
 */
export async function run(topology: LeakTopology, fault: Fault, random: () => number): Promise<Row> {
  await topology.works(mendedSec);
  const control = await topology.control();
  await topology.works(mendedSec);
  await topology.begin();
  const started = monotonicSec();
  await wait(300);
  const evidence = await fault.strike(topology, random);
  await wait(lastsMs);
  await fault.heal?.(topology);
  await topology.works(mendedSec);
  const { devices, findings, samples } = await topology.seen();
  const { sent } = await topology.senderReport();
  const seconds = monotonicSec() - started;
  const leaked: Counts = devices["phone"] ?? {};
  return {
    fault: fault.number,
    name: fault.name,
    where: "lab",
    cells: probeNames.map((probe) => ({
      probe,
      sent: sent[probe] ?? 0,
      leaked: leaked[probe] ?? 0,
      control: control[probe] ?? 0,
    })),
    seconds: Math.round(10 * seconds) / 10,
    cites: fault.cites,
    evidence,
    findings: { ...findings, ...firstOf(leaked, samples) },
  };
}

/** How the first packet of each probe that leaked looked. */
const firstOf = (leaked: Counts, samples: Readonly<Record<string, string>>): Record<string, number> =>
  Object.fromEntries(
    probeNames
      .filter((probe) => leaked[probe] !== undefined)
      .map((probe) => [`${probe}, the first as ${samples[`phone ${probe}`]}`, leaked[probe]!]),
  );

/** What is wrong with a row, in words; nothing if it stands. */
export function complaints(row: Row): string[] {
  const { fault, name, cells, findings = {} } = row;
  const about = (what: string) => `fault ${fault} (${name}): ${what}`;
  const missing = probeNames.filter((probe) => !cells.some((cell) => cell.probe === probe));
  return [
    ...missing.map((probe) => about(`${probe} is missing`)),
    ...cells.filter(({ leaked }) => leaked !== 0).map((it) => about(`${it.probe} leaked ${it.leaked} of ${it.sent}`)),
    ...cells.filter(({ control }) => control <= 0).map(({ probe }) => about(`${probe} was not seen when let out`)),
    ...cells.filter(({ sent }) => sent <= 0).map(({ probe }) => about(`${probe} was not sent`)),
    ...Object.entries(findings).map(([what, count]) => about(`${count} × ${what}`)),
  ];
}

/** A topology in which one fault after the other is injected. */
export interface Session extends AsyncDisposable {
  readonly run: (fault: Fault) => Promise<Row>;
}

/** After a fault that failed the next one gets a new topology. */
export function openSession(random: () => number): Session {
  let current: { readonly topology: LeakTopology; close(): Promise<void> } | undefined;
  async function open() {
    const lab = openLab();
    try {
      const topology = await openLeakTopology(lab);
      current = {
        topology,
        close: async () => {
          await topology[Symbol.asyncDispose]();
          await lab[Symbol.asyncDispose]();
        },
      };
    } catch (error) {
      await lab[Symbol.asyncDispose]();
      throw error;
    }
    return current;
  }
  async function close(): Promise<void> {
    const left = current;
    current = undefined;
    await left?.close();
  }
  return {
    run: async (fault) => {
      const { topology } = current ?? (await open());
      try {
        return await Promise.race([run(topology, fault, random), tooLong()]);
      } catch (error) {
        // So that it leaves nothing behind on the machine.
        await fault.heal?.(topology).catch(() => undefined);
        await close();
        throw new Error(`Fault ${fault.number} (${fault.name}) did not come to its end`, { cause: error });
      }
    },
    [Symbol.asyncDispose]: close,
  };
}

/** A fault that never ends would keep all others from being done. */
async function tooLong(): Promise<never> {
  await wait(1000 * endsWithinSec, undefined, { ref: false });
  throw new Error(`It has not ended after ${endsWithinSec} s`);
}
const endsWithinSec = 800;

/** In an order that a seed decides. */
export const shuffled = <T>(all: readonly T[], random: () => number): T[] =>
  all
    .map((one) => ({ one, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ one }) => one);
