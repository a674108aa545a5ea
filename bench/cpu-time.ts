import { readdirSync, readFileSync } from "node:fs";

/**
 * CPU nanoseconds that packets have cost so far: of the processes that send and take them, in whose time the kernel
 * mostly forwards, and of its own threads that step in when there is too much at once. The processes must be at rest.
 */
export const packetNanos = (pids: readonly number[]): number =>
  [...pids, ...softirqThreads].reduce((sum, pid) => sum + onCpuNanos(pid), countsApart ? softirqNanos() : 0);

/** Of all its threads. One that ends while they are read counts as nothing. */
export const onCpuNanos = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) => Number(readIfThere(`/proc/${pid}/task/${task}/schedstat`).split(" ")[0]))
    .reduce((sum, nanos) => sum + nanos, 0);

const softirqThreads = readdirSync("/proc")
  .filter((name) => /^\d+$/.test(name) && readIfThere(`/proc/${name}/comm`).startsWith("ksoftirqd/"))
  .map(Number);

/** Empty for a process or thread that has ended. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * Some kernels take the time of interrupts out of the time of the process they interrupt; it is to be added then. They
 * are those that have any to show: the others look only when the clock ticks, which is itself an interrupt.
 */
const countsApart = machineTicks().irq > 0;
const softirqNanos = (): number => machineTicks().softirq * 1e7;

function machineTicks(): { irq: number; softirq: number } {
  const [, , , , , , irq, softirq] = readFileSync("/proc/stat", "utf8").split("\n")[0]!.split(/ +/).map(Number);
  return { irq: irq!, softirq: softirq! };
}

/** Milliseconds of a process, of what it has started, and of what of that has come to its end. */
export function familyMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .filter((it) => it !== "");
  const endedTicks = Number(fields[13]) + Number(fields[14]);
  return [pid, ...children.map(Number)].reduce((sum, it) => sum + msOf(it), endedTicks * 10);
}

function msOf(pid: number): number {
  try {
    return onCpuNanos(pid) / 1e6;
  } catch {
    return 0; // It ended while we were looking.
  }
}
