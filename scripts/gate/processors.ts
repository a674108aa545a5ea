import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Processor time in seconds since some earlier moment: of the whole machine, and of this process with the children it has waited for. */
export interface ProcessorTime {
  readonly busySec: number;
  readonly ownSec: number;
  readonly elapsedSec: number;
}

/** The kernel reports processor time in hundredths of a second on every architecture. */
const ticksPerSec = 100;

export const processorTime = (): ProcessorTime => ({
  busySec: busyTicks(readFileSync("/proc/stat", "utf8")) / ticksPerSec,
  ownSec: ownTicks(readFileSync("/proc/self/stat", "utf8")) / ticksPerSec,
  elapsedSec: performance.now() / 1000,
});

/**
 * The share of all processors that other processes used meanwhile. Daemons whose parent has ended count as others:
 * no process waited for them.
 */
export function shareOfOthers(
  before: ProcessorTime,
  after: ProcessorTime,
  processors = availableParallelism(),
): number {
  const others = after.busySec - before.busySec - (after.ownSec - before.ownSec);
  return Math.max(0, others) / ((after.elapsedSec - before.elapsedSec) * processors);
}

/** user, nice, system, irq, softirq and steal of the first line; idle and iowait are not busy, guest is a part of user. */
export function busyTicks(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = stat
    .slice(0, stat.indexOf("\n"))
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return user + nice + system + irq + softirq + steal;
}

/** utime, stime, cutime and cstime; the program's name before them may contain spaces and parentheses. */
export function ownTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}
