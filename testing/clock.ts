import { readFileSync } from "node:fs";

/** Seconds since the machine started, by the clock of Python's `time.monotonic`. */
export const monotonicSec = (): number => Number(process.hrtime.bigint()) / 1e9;

/**
 * The same without steal time, in which the hypervisor runs other guests on this machine's processors: on a shared host that
 * may be a third of the time for minutes. For upper limits of durations; lower limits use `monotonicSec`.
 */
export const ownSec = (): number => monotonicSec() - stolenSec();
export const ownMs = (): number => 1000 * ownSec();

/** Steal time since boot, averaged over all processors. */
export const stolenSec = (): number => stolenIn(readFileSync("/proc/stat", "utf8"));

export function stolenIn(stat: string): number {
  const [all = "", ...others] = stat.split("\n").filter((line) => line.startsWith("cpu"));
  const ticks = Number(all.split(/ +/)[8] ?? 0);
  return ticks / 100 / Math.max(1, others.length);
}
