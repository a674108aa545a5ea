import type { FileSystem, System } from "../system/system.ts";
import type { Measured, Reading, ResourceKind } from "./resources.machine.ts";

type Reads = Pick<System, "readText" | "list" | "fileSystem">;

interface Needs {
  readonly system: Reads;
  /** The first one exists; those of the others that exist are read. Folders of one file system are one resource. */
  readonly folders: readonly string[];
  /** Without the dataplane the kernel tracks no connection for the gateway. */
  readonly withConntrack: boolean;
}

/** Reads all resources at once. What does not exist, or has no limit, is left out. */
export function resourceReader({ system, folders, withConntrack }: Needs): () => readonly Reading[] {
  const readHandles = handleReader(system);
  return () => [
    ...disks(system, folders),
    ...attempt("memory", () => memory(system)),
    ...attempt("memory-limit", () => memoryLimit(system)),
    ...attempt("files", readHandles),
    ...attempt("machine-files", () => machineHandles(system)),
    ...(withConntrack ? attempt("conntrack", () => conntrack(system)) : []),
  ];
}

type Amount = Pick<Measured, "total" | "left">;

function attempt(kind: ResourceKind, read: () => Amount | undefined): readonly Reading[] {
  try {
    const amount = read();
    return amount ? [{ kind, folder: "", ...amount }] : [];
  } catch (error) {
    return [{ kind, folder: "", failure: (error as Error).message }];
  }
}

function disks(system: Reads, folders: readonly string[]): readonly Reading[] {
  const seen = new Set<number>();
  return folders.flatMap((folder, index): readonly Reading[] => {
    try {
      const { device, bytes, inodes } = system.fileSystem(folder);
      if (seen.has(device)) return [];
      seen.add(device);
      // Some file systems make inodes as they need them, and report none.
      const counted = inodes.used + inodes.free > 0 ? [{ kind: "inodes" as const, folder, ...amountOf(inodes) }] : [];
      return [{ kind: "disk", folder, ...amountOf(bytes) }, ...counted];
    } catch (error) {
      if (index > 0 && codeOf(error) === "ENOENT") return [];
      return [{ kind: "disk", folder, failure: (error as Error).message }];
    }
  });
}

const amountOf = ({ used, free }: FileSystem["bytes"]): Amount => ({ total: used + free, left: free });

function memory(system: Reads): Amount {
  const text = needed(system, "/proc/meminfo");
  return {
    total: numberIn(text, /^MemTotal:\s+(\d+) kB/m) * 1024,
    left: numberIn(text, /^MemAvailable:\s+(\d+) kB/m) * 1024,
  };
}

/** The narrowest limit of the daemon's control group and those around it. Version 1 has another hierarchy, and is not read. */
function memoryLimit(system: Reads): Amount | undefined {
  const path = /^0::(\/.*)$/m.exec(system.readText("/proc/self/cgroup") ?? "")?.[1];
  if (path === undefined) return undefined;
  const parts = path.split("/").filter((part) => part !== "");
  const amounts = [...parts, ""].flatMap((_, index) => {
    const folder = ["/sys/fs/cgroup", ...parts.slice(0, parts.length - index)].join("/");
    const max = system.readText(`${folder}/memory.max`)?.trim();
    if (max === undefined || max === "max") return [];
    const stat = needed(system, `${folder}/memory.stat`);
    // The kernel takes back what is cached of files before it refuses memory.
    const cached = numberIn(stat, /^active_file (\d+)$/m) + numberIn(stat, /^inactive_file (\d+)$/m);
    const used = Math.max(0, numberIn(needed(system, `${folder}/memory.current`), /^(\d+)/) - cached);
    return [{ total: Number(max), left: Math.max(0, Number(max) - used) }];
  });
  return amounts.toSorted((a, b) => a.left - b.left)[0];
}

/** Without a free handle nothing can be opened: such a failure is the answer. */
function handleReader(system: Reads): () => Amount | undefined {
  let last: Amount = { total: 0, left: 0 };
  return () => {
    try {
      const limit = /^Max open files\s+(\S+)/m.exec(needed(system, "/proc/self/limits"))?.[1];
      if (limit === undefined) throw new Error("/proc/self/limits has no open files");
      if (limit === "unlimited") return undefined;
      // The folder itself is open while it is read.
      const open = system.list("/proc/self/fd").length - 1;
      last = { total: Number(limit), left: Math.max(0, Number(limit) - open) };
      return last;
    } catch (error) {
      if (codeOf(error) !== "EMFILE") throw error;
      return { total: last.total, left: 0 };
    }
  };
}

function machineHandles(system: Reads): Amount {
  const [, used = "", , total = ""] = /^(\d+)\s+(\d+)\s+(\d+)/.exec(needed(system, "/proc/sys/fs/file-nr")) ?? [];
  if (total === "") throw new Error("/proc/sys/fs/file-nr is not understood");
  return { total: Number(total), left: Math.max(0, Number(total) - Number(used)) };
}

function conntrack(system: Reads): Amount | undefined {
  const folder = "/proc/sys/net/netfilter";
  const [max, count] = [system.readText(`${folder}/nf_conntrack_max`), system.readText(`${folder}/nf_conntrack_count`)];
  if (max === undefined || count === undefined) return undefined;
  const total = numberIn(max, /^(\d+)/);
  return total === 0 ? undefined : { total, left: Math.max(0, total - numberIn(count, /^(\d+)/)) };
}

function needed(system: Reads, path: string): string {
  const text = system.readText(path);
  if (text === undefined) throw new Error(`There is no ${path}`);
  return text;
}

function numberIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`A number is missing (${pattern.source})`);
  return Number(found);
}

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code;
