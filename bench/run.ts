import { control } from "./control.ts";
import { dns } from "./dns.ts";
import { dnsLog } from "./dns-log.ts";
import { forwarding } from "./forwarding.ts";
import { frontDoor } from "./front-door.ts";
import { lists } from "./lists.ts";
import { start } from "./start.ts";
import { tunnel } from "./tunnel.ts";
import { verdicts } from "./verdicts.ts";

/** One measurement: what we are, as a ratio to the bare engine in the same run where there is one, and its mark. */
export interface Measurement {
  readonly name: string;
  readonly ratio: number;
  /** What the figure is, when it is no ratio. */
  readonly unit?: string;
  /** For costs. */
  readonly most?: number;
  /** For work done. */
  readonly least?: number;
  /**
   * For marks by the clock: how many times longer the bare engine takes in this run than where the mark was set. A slower
   * machine is given as much more; a faster one is given no less.
   */
  readonly pace?: number;
  readonly note: string;
}

/** `npm run bench`: prints every figure as soon as it is known; fails when one is past its mark. */
const measurements: Measurement[] = [];
for (const part of [start, frontDoor, control, forwarding, tunnel, lists, verdicts, dns, dnsLog]) {
  const found = await part();
  measurements.push(...found);
  for (const measurement of found) {
    const { name, ratio, unit = "× bare", note } = measurement;
    console.log(`${name}\t${ratio.toFixed(2)} ${unit}\t(${marksOf(measurement) || "no mark"})\t${note}`);
  }
}
const past = measurements.filter((it) => it.ratio > limits(it).most || it.ratio < limits(it).least);
console.log(`bench: ${measurements.length - past.length} passed, ${past.length} failed`);
process.exitCode = past.length === 0 ? 0 : 1;

function limits({ most = Infinity, least = 0, pace = 1 }: Measurement): {
  readonly most: number;
  readonly least: number;
} {
  const slower = Math.max(1, pace);
  return { most: most * slower, least: least / slower };
}

function marksOf(it: Measurement): string {
  const { most, least } = limits(it);
  const isSlower = (it.pace ?? 1) > 1;
  return [
    ...(it.most === undefined ? [] : [`at most ${it.most}`, ...(isSlower ? [`here ${most.toFixed(2)}`] : [])]),
    ...(it.least === undefined ? [] : [`at least ${it.least}`, ...(isSlower ? [`here ${least.toFixed(0)}`] : [])]),
  ].join(", ");
}
