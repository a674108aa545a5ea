import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Counts what is written to the disk that has a folder. */
export interface DiskCounter {
  /** Does some work, and counts what it writes under this name. */
  readonly counted: (name: string, work: () => void) => void;
  /** Bytes by name since the last call. */
  readonly taken: () => ReadonlyMap<string, number>;
  /** Bytes of all files. */
  readonly sizes: () => ReadonlyMap<string, number>;
  readonly close: () => void;
}

/**
 * The kernel counts a page when it becomes dirty, and writes dirty pages after 30 seconds. A simulated week is over within minutes, in which
 * a page that is changed every minute would count once. So each file is synchronised after the work of half a simulated minute: a page that
 * changes in two of them is written twice, as it would be.
 */
export function diskCounter(folder: string): DiskCounter {
  const open = new Map<string, number>();
  let written = new Map<string, number>();

  function synchronise(): void {
    // A file stays open until the end: closing one would release the locks that SQLite has on it.
    for (const name of readdirSync(folder))
      if (/\.db(-wal|-journal)?$/.test(name) && !open.has(name)) open.set(name, openSync(join(folder, name), "r"));
    for (const file of open.values()) fdatasyncSync(file);
  }

  return {
    counted: (name, work) => {
      const before = bytesWritten();
      work();
      synchronise();
      written.set(name, (written.get(name) ?? 0) + bytesWritten() - before);
    },
    taken: () => {
      const taken = written;
      written = new Map();
      return taken;
    },
    sizes: () => new Map(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size])),
    close: () => {
      for (const file of open.values()) closeSync(file);
    },
  };
}

/** By this process, without what was overwritten in memory before it was written. */
const bytesWritten = (): number => Number(/^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))![1]);
