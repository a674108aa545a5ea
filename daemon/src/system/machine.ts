import { availableParallelism, cpus, hostname, loadavg, machine, release, totalmem, uptime } from "node:os";
import type { System } from "./system.ts";

/** The machine we run on, in numbers. */
export interface Machine {
  readonly hostname: string;
  readonly os: string;
  readonly kernel: string;
  readonly architecture: string;
  readonly runtime: string;
  readonly cpu: { readonly model: string; readonly cores: number; readonly load: readonly [number, number, number] };
  readonly memory: { readonly totalBytes: number; readonly availableBytes: number; readonly daemonBytes: number };
  readonly uptimeSec: number;
}

export function readMachine(system: System): Machine {
  const [one = 0, five = 0, fifteen = 0] = loadavg();
  return {
    hostname: hostname(),
    os: /^PRETTY_NAME="?([^"\n]+)/m.exec(system.readText("/etc/os-release") ?? "")?.[1] ?? "Linux",
    kernel: release(),
    architecture: machine(),
    runtime: `node ${process.versions.node}`,
    cpu: { model: cpus()[0]?.model ?? "unknown", cores: availableParallelism(), load: [one, five, fifteen] },
    memory: { totalBytes: totalmem(), availableBytes: availableMemory(system), daemonBytes: process.memoryUsage.rss() },
    uptimeSec: Math.floor(uptime()),
  };
}

function availableMemory(system: System): number {
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(system.readText("/proc/meminfo") ?? "")?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

export const hostName = hostname;
