import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createConnection } from "node:net";
import { createInterface } from "node:readline";

/** Programs that outlive the daemon, and the communication with them. */
export interface Processes {
  /**
   * Starts a program that runs independently of the daemon: it has its own session, reads `stdin` to its end,
   * and appends its output to a file. `files` are open from descriptor 3 on, in memory like `stdin`. Returns
   * its process id; `onExit` is called only while the daemon runs.
   */
  launch(
    command: string,
    args: readonly string[],
    options: {
      readonly stdin: string;
      readonly files?: readonly Uint8Array[];
      readonly output: string;
      readonly onExit: (how: string) => void;
    },
  ): number;
  /**
   * Text as an unnamed file in memory, for programs that take a file name. It is
   * gone afterwards.
   */
  inMemory<T>(text: string, use: (path: string) => Promise<T>): Promise<T>;
  /** The start of a process, as a text that is unique to it; undefined once it has ended. */
  processStart(processId: number): string | undefined;
  /** Session leaders with an argument or an environment variable that begins like this. */
  findProcesses(beginning: string): readonly { readonly processId: number; readonly word: string }[];
  /** To one process, or with a negative number to its whole group. One that has just ended is no failure. */
  signal(processId: number, name: "SIGTERM" | "SIGKILL" | "SIGUSR1" | "SIGHUP"): void;
  /** Truncates a file to which another process appends, once it is larger than that. */
  emptyAbove(path: string, bytes: number): void;
  digest(text: string): string;
  /** A line-based connection to a Unix socket. `onEnd` is called once, also if the connection fails. */
  connectUnix(path: string, onLine: (line: string) => void, onEnd: () => void): Line;
}

export interface Line {
  write(line: string): void;
  close(): void;
}

export const processes: Processes = {
  launch: (command, args, { stdin, files = [], output, onExit }) => {
    // Not a pipe: it can be opened by name, and it is whole also if we end in this moment.
    const [input, ...more] = [stdin, ...files].map(memoryFile);
    const file = openSync(output, "a", 0o600);
    try {
      const child = spawn(command, args, { detached: true, stdio: [input, file, file, ...more] });
      child.on("error", ignore); // A program that cannot be started has no process id.
      if (child.pid === undefined) throw new Error(`${command} cannot be started`);
      child.on("exit", (code, signal) => onExit(signal ?? `exit code ${code}`));
      child.unref();
      return child.pid;
    } finally {
      for (const it of [file, input!, ...more]) closeSync(it);
    }
  },
  inMemory: async (text, use) => {
    const file = memoryFile(text);
    try {
      return await use(`/proc/${process.pid}/fd/${file}`);
    } finally {
      closeSync(file);
    }
  },
  processStart: (processId) => {
    const stat = readStat(processId);
    return stat && isAlive(stat) ? `${stat.startTicks}@${bootId()}` : undefined;
  },
  findProcesses: (beginning) =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .flatMap((processId) => {
        const word = wordsOf(processId).find((it) => it.startsWith(beginning));
        return word !== undefined && leadsSession(processId) ? [{ processId, word }] : [];
      }),
  signal: (processId, name) => {
    try {
      process.kill(processId, name);
    } catch (error) {
      if ((error as { code?: string }).code !== "ESRCH") throw error;
    }
  },
  emptyAbove: (path, bytes) => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > bytes) truncateSync(path, 0);
  },
  digest: (text) => createHash("sha256").update(text).digest("hex"),
  connectUnix: (path, onLine, onEnd) => {
    const socket = createConnection(path);
    createInterface({ input: socket }).on("line", onLine).on("error", ignore);
    socket.on("error", ignore); // The close event follows.
    socket.on("close", onEnd);
    return {
      write: (line) => void socket.write(`${line}\n`),
      close: () => void socket.destroy(),
    };
  },
};

const ignore = (): void => {};

/** A file of a file system that is memory, never linked to any name; open for reading, from its beginning. */
export function memoryFile(text: string | Uint8Array): number {
  if (statfsSync(memoryFolder).type !== tmpfsMagic) throw new Error(`${memoryFolder} is not in memory`);
  const draft = openSync(memoryFolder, unnamed | constants.O_RDWR, 0o600);
  try {
    writeFileSync(draft, text);
    return openSync(`/proc/self/fd/${draft}`, "r");
  } finally {
    closeSync(draft);
  }
}

const memoryFolder = "/dev/shm";
const tmpfsMagic = 0x0102_1994;
/** O_TMPFILE, which Node does not name: a bit of its own, and the machine's O_DIRECTORY. */
const unnamed = 0o20_000_000 | constants.O_DIRECTORY;

/** The first thread of a process may have ended while others still hold what is the process's. */
const isAlive = ({ state, threads }: Stat): boolean => !/^[ZX]/.test(state) || threads > 1;

interface Stat {
  readonly state: string;
  readonly threads: number;
  readonly session: number;
  readonly startTicks: string;
}

/** The name of a program may hold anything, also brackets and blanks: what follows its last bracket is counted. */
function readStat(processId: number): Stat | undefined {
  const text = readProc(`${processId}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", , , session = ""] = fields;
  return text === ""
    ? undefined
    : { state, threads: Number(fields[17]), session: Number(session), startTicks: fields[19] ?? "" };
}

const leadsSession = (processId: number): boolean => readStat(processId)?.session === processId;

const wordsOf = (processId: number): string[] =>
  [readProc(`${processId}/cmdline`), readProc(`${processId}/environ`)].flatMap((text) => text.split("\0"));

/** Processes end while /proc is read, and some are not readable: both are skipped. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return "";
  }
}

/** Ticks count from the boot, so after another boot the same number of ticks is another moment. */
const bootId = (): string => readProc("sys/kernel/random/boot_id").trim();
