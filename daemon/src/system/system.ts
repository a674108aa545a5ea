import { type ChildProcess, type ExecFileException, execFile, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type Bytes, bytes } from "./bytes.ts";
import { type Processes, processes } from "./processes.ts";

/** The only access to the operating system. Arguments are lists; there is no shell. */
export interface System extends Processes, Bytes {
  /** Runs a program to its end and resolves to its standard output. */
  run(
    command: string,
    args: readonly string[],
    options?: { stdin?: string; timeoutMs?: number; onStart?: (processId: number) => void },
  ): Promise<string>;
  /**
   * Starts a program that prints lines continuously, and restarts it when it ends. Each line is passed on; `onGap`
   * is called whenever it starts or ends, because lines may have been missed.
   */
  follow(
    command: string,
    args: readonly string[],
    onLine: (line: string) => void,
    onGap?: () => void,
  ): { stop(): void };
  /** Nothing when there is no such file. */
  readText(path: string): string | undefined;
  /** The whole text or none of it, also across a power cut. */
  writeAtomically(path: string, text: string, mode: number): void;
  /** Names in a folder; none when there is no such folder. */
  list(path: string): string[];
  remove(path: string): void;
  /** Sets the mode of a file again, in case it was changed. */
  restrict(path: string, mode: number): void;
  /** Whatever the umask is. A folder that exists keeps its mode. */
  makeFolder(path: string, mode: number): void;
  diskSpace(path: string): { totalBytes: number; freeBytes: number };
  fileSystem(path: string): FileSystem;
  /** Size of the files directly inside a folder. */
  folderBytes(path: string): number;
}

/** The file system that a folder is on. */
export interface FileSystem {
  /** Which one it is. */
  readonly device: number;
  readonly bytes: { readonly used: number; readonly free: number };
  /** Both are 0 where there is no limit. */
  readonly inodes: { readonly used: number; readonly free: number };
}

export const linux: System = {
  ...processes,
  ...bytes,
  run: (command, args, { stdin = "", timeoutMs = 30_000, onStart } = {}) =>
    new Promise((resolve, reject) => {
      const child = execFile(command, args, { timeout: timeoutMs, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
        error ? reject(new Error(complaint(command, error, stderr), { cause: error })) : resolve(stdout),
      );
      if (child.pid !== undefined) onStart?.(child.pid);
      child.stdin?.on("error", () => {}); // A child that stops reading reports itself by its exit code.
      child.stdin?.end(stdin);
    }),
  follow: (command, args, onLine, onGap) => {
    let child: ChildProcess | undefined;
    let again: NodeJS.Timeout | undefined;
    let stopped = false;
    function start(): void {
      child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
      createInterface({ input: child.stdout! }).on("line", onLine);
      onGap?.();
      const startedAt = performance.now();
      child.on("error", () => {}); // A program that is not there ends like one that stopped.
      child.on("close", () => {
        if (stopped) return;
        onGap?.();
        const ranMs = performance.now() - startedAt;
        again = setTimeout(start, ranMs > restartMs.slow ? restartMs.quick : restartMs.slow);
      });
    }
    start();
    return {
      stop: () => {
        stopped = true;
        clearTimeout(again);
        child?.kill();
      },
    };
  },
  readText: (path) => {
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return undefined;
      throw error;
    }
  },
  writeAtomically: (path, text, mode) => {
    const draft = draftOf(path);
    rmSync(draft, { force: true });
    try {
      const file = openSync(draft, "wx", 0o600);
      try {
        // On a disk that is nearly full the kernel takes a part and calls that success; this writes the rest, or fails.
        writeFileSync(file, text);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      chmodSync(draft, mode);
      renameSync(draft, path);
    } catch (error) {
      rmSync(draft, { force: true }); // Half a file would only take space.
      throw error;
    }
    syncFolder(dirname(path));
  },
  list: (path) => (existsSync(path) ? readdirSync(path) : []),
  remove: (path) => {
    rmSync(path, { force: true });
    rmSync(draftOf(path), { force: true }); // An interrupted write leaves its draft.
  },
  restrict: (path, mode) => {
    if (existsSync(path)) chmodSync(path, mode);
  },
  makeFolder: (path, mode) => {
    // The umask would take rights away: that of the unit lets no other user read.
    if (mkdirSync(path, { recursive: true, mode }) !== undefined) chmodSync(path, mode);
  },
  diskSpace: (path) => {
    const { blocks, bavail, bsize } = statfsSync(path);
    return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
  },
  fileSystem: (path) => {
    const { blocks, bfree, bavail, bsize, files, ffree } = statfsSync(path);
    return {
      device: statSync(path).dev,
      // As `df` reports it: what is reserved for root is neither used nor free.
      bytes: { used: (blocks - bfree) * bsize, free: bavail * bsize },
      inodes: { used: files - ffree, free: ffree },
    };
  },
  folderBytes: (path) =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { name }) => sum + (statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0), 0),
};

/** A program that ran for long is restarted at once; one that crashes early, later. */
const restartMs = { quick: 50, slow: 1000 };

const draftOf = (path: string): string => `${path}.new`;

/** A rename is on disk only once its folder is. */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const complaint = (command: string, { code, message }: ExecFileException, said: string): string =>
  code === "ENOENT" ? `${command} is not installed` : `${command}: ${said.trim() || message}`;
