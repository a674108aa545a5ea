import { readdirSync, readFileSync } from "node:fs";

/**
 * CPU nanoseconds of packets so far: of the sending and receiving processes, in whose time the kernel mostly forwards, and of
 * the ksoftirqd threads, which take over under load. The processes must be idle.
 */
export const packetNanos = (pids: readonly number[]): number =>
  [...pids, ...softirqThreads].reduce((sum, pid) => sum + onCpuNanos(pid), countsApart ? softirqNanos() : 0);

/** Of all threads of a process. A thread that ends meanwhile counts as 0. */
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
 * Kernels with CONFIG_IRQ_TIME_ACCOUNTING subtract the time of interrupts from the interrupted process; it is added here. Only
 * they report irq time: other kernels sample at timer ticks, which are interrupts themselves.
 */
const countsApart = machineTicks().irq > 0;
const softirqNanos = (): number => machineTicks().softirq * 1e7;

function machineTicks(): { irq: number; softirq: number } {
  const [, , , , , , irq, softirq] = readFileSync("/proc/stat", "utf8").split("\n")[0]!.split(/ +/).map(Number);
  return { irq: irq!, softirq: softirq! };
}

/** CPU milliseconds of a process and its child processes, ended ones included. */
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
    return 0; // It ended meanwhile.
  }
}
