import { readFileSync } from "node:fs";

/** Seconds since the machine started, by the clock of Python's `time.monotonic`. */
export const monotonicSec = (): number => Number(process.hrtime.bigint()) / 1e9;

/**
 * The same by a clock that stands still while the host lends this machine's processors to others: on a rented machine that
 * may be a third of the time for minutes. It measures what may take so long at most; what must take so long at least is
 * measured by `monotonicSec`.
 */
export const ownSec = (): number => monotonicSec() - stolenSec();
export const ownMs = (): number => 1000 * ownSec();

/** How long the processors wanted to run and were lent to others, since the machine started; on average of all of them. */
export const stolenSec = (): number => stolenIn(readFileSync("/proc/stat", "utf8"));

export function stolenIn(stat: string): number {
  const [all = "", ...others] = stat.split("\n").filter((line) => line.startsWith("cpu"));
  const ticks = Number(all.split(/ +/)[8] ?? 0);
  return ticks / 100 / Math.max(1, others.length);
}
