import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { memoryFile, processes } from "./processes.ts";

/** A program whose output is read while it runs. It ends with the daemon, also if the daemon is killed. */
export interface Streamed {
  /** Read it to its end: the program waits while it is not read. */
  readonly output: AsyncIterable<Buffer>;
  /** Resolves after the end of the output. */
  readonly ended: Promise<StreamedEnd>;
  /** Ends all its processes: by SIGTERM, and after two seconds by SIGKILL. */
  readonly end: () => void;
}

export interface StreamedEnd {
  /** null: it was ended by a signal, or could not be started. */
  readonly code: number | null;
  /** The end of its error output. */
  readonly complaint: string;
}

/** Starts a program. `mark` is a variable of its environment, by which a later daemon finds it; `files` are open from descriptor 3 on. */
export function startStreamed(
  command: string,
  args: readonly string[],
  {
    mark,
    files = [],
    input = "",
  }: { readonly mark: string; readonly files?: readonly Uint8Array[]; readonly input?: string | Uint8Array },
): Streamed {
  const [standardInput, ...more] = [input, ...files].map(memoryFile);
  try {
    // The kernel sends the signal when the daemon ends. `env` and `setpriv` become the program, so its process id is known.
    const words = [mark, "setpriv", "--pdeathsig", "KILL", command, ...args];
    const child = spawn("env", words, { detached: true, stdio: [standardInput, "pipe", "pipe", ...more] });
    let complaint = "";
    let isOver = false;
    child.stderr!.on("data", (bytes: Buffer) => (complaint = (complaint + bytes.toString()).slice(-complaintLength)));
    const ended = new Promise<StreamedEnd>((resolve) => {
      child.on("error", (error) => resolve({ code: null, complaint: error.message }));
      child.on("exit", () => (isOver = true));
      child.on("close", (code) => resolve({ code, complaint: complaint.trim() }));
    });
    const signal = (name: "SIGTERM" | "SIGKILL") => {
      if (!isOver && child.pid !== undefined) processes.signal(-child.pid, name);
    };
    return {
      output: child.stdout!,
      ended,
      end: () => {
        signal("SIGTERM");
        const timer = setTimeout(signal, terminationMs, "SIGKILL" as const);
        void ended.then(() => clearTimeout(timer));
      },
    };
  } finally {
    for (const it of [standardInput!, ...more]) closeSync(it);
  }
}

interface Run extends StreamedEnd {
  /** The beginning of its output. */
  readonly output: string;
  readonly isLate: boolean;
}

/** Runs a program to its end, and ends it when it takes longer than the limit. */
export async function runStreamed(
  program: Streamed,
  { limitMs, keptBytes = 0 }: { readonly limitMs: number; readonly keptBytes?: number },
): Promise<Run> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    program.end();
  }, limitMs);
  const kept: Buffer[] = [];
  let left = keptBytes;
  for await (const chunk of program.output) {
    // A copy: a part of a chunk keeps the whole chunk in memory.
    if (left > 0) kept.push(Buffer.from(chunk.subarray(0, left)));
    left = Math.max(0, left - chunk.length);
  }
  const end = await program.ended;
  clearTimeout(timer);
  return { ...end, isLate, output: Buffer.concat(kept).toString() };
}

/** Ends what an earlier daemon left behind with this mark, or one that begins with it. */
export function endLeftovers(mark: string): void {
  for (const { processId } of processes.findProcesses(mark)) processes.signal(-processId, "SIGKILL");
}

const complaintLength = 2000;
const terminationMs = 2000;
