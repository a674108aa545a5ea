import type { System } from "../system/system.ts";

/** Resources of this process. */
export function ownProcess(system: Pick<System, "list">) {
  const { user, system: kernel } = process.cpuUsage();
  return {
    cpuSec: (user + kernel) / 1_000_000,
    memoryBytes: process.memoryUsage.rss(),
    openFiles: system.list("/proc/self/fd").length,
  };
}
