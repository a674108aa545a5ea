import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { createConnection } from "node:net";
import { createInterface } from "node:readline";

/** Programs that outlive us, and how to speak with them. */
export interface Processes {
  /**
   * Starts a program that goes on whether we live or not: it has a session of its own, reads what it is handed and then
   * nothing more, and adds what it says to a file. Answers its process id; `onExit` is heard only while we live.
   */
  launch(
    command: string,
    args: readonly string[],
    options: { readonly stdin: string; readonly output: string; readonly onExit: (how: string) => void },
  ): number;
  /** When a process began, as a word that no other process ever has; nothing once it has ended. */
  processStart(processId: number): string | undefined;
  /** Processes with a session of their own with a word that begins so, among their arguments or in their environment. */
  findProcesses(beginning: string): readonly { readonly processId: number; readonly word: string }[];
  /** To one process, or with a negative number to its whole group. One that has just ended is no failure. */
  signal(processId: number, name: "SIGTERM" | "SIGKILL" | "SIGUSR1"): void;
  /** Empties a file that somebody else adds to, once it is larger than that. */
  emptyAbove(path: string, bytes: number): void;
  digest(text: string): string;
  /** Speaks line by line with whoever listens there. `onEnd` is called once, also if nobody listens. */
  connectUnix(path: string, onLine: (line: string) => void, onEnd: () => void): Line;
}

export interface Line {
  write(line: string): void;
  close(): void;
}

export const processes: Processes = {
  launch: (command, args, { stdin, output, onExit }) => {
    const file = openSync(output, "a", 0o600);
    try {
      const child = spawn(command, args, { detached: true, stdio: ["pipe", file, file] });
      child.on("error", () => {}); // One that cannot be started has no process id, and that is told below.
      child.stdin!.on("error", () => {}); // A child that does not read reports itself by its exit code.
      if (child.pid === undefined) throw new Error(`${command} cannot be started`);
      child.on("exit", (code, signal) => onExit(signal ?? `exit code ${code}`));
      child.stdin!.end(stdin);
      child.unref();
      return child.pid;
    } finally {
      closeSync(file);
    }
  },
  processStart: (processId) => {
    const stat = readStat(processId);
    return stat && !/^[ZX]/.test(stat.state) ? `${stat.startTicks}@${bootId()}` : undefined;
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
    socket.on("error", ignore); // Told by the end that follows.
    socket.on("close", onEnd);
    return {
      write: (line) => void socket.write(`${line}\n`),
      close: () => void socket.destroy(),
    };
  },
};

const ignore = (): void => {};

interface Stat {
  readonly state: string;
  readonly session: number;
  readonly startTicks: string;
}

/** The name of a program may hold anything, also brackets and blanks: what follows its last bracket is counted. */
function readStat(processId: number): Stat | undefined {
  const text = readProc(`${processId}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", , , session = ""] = fields;
  return text === "" ? undefined : { state, session: Number(session), startTicks: fields[19] ?? "" };
}

const leadsSession = (processId: number): boolean => readStat(processId)?.session === processId;

const wordsOf = (processId: number): string[] =>
  [readProc(`${processId}/cmdline`), readProc(`${processId}/environ`)].flatMap((text) => text.split("\0"));

/** Processes come and go while one reads, and some are not for our eyes: both have nothing to say. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return "";
  }
}

/** Ticks count from the boot, so after another boot the same number of ticks is another moment. */
const bootId = (): string => readProc("sys/kernel/random/boot_id").trim();
