import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

export interface Command {
  readonly words: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Everything it prints is shown, and appended here. */
  readonly log: string;
  readonly signal: AbortSignal;
}

/** Time for a lab to remove its namespaces after SIGTERM. */
const killAfterMs = 20_000;

/** Resolves when the command has ended, with its exit code, and everything it printed. */
export async function runCommand(
  command: Command,
): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const { words, cwd, env, log, signal } = command;
  const [program, ...rest] = words;
  if (signal.aborted) return { exitCode: null, output: "" };
  // A separate process group: an interruption also ends the workers of the test runner.
  const child = spawn(program, rest, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      printed.push(chunk);
      process.stdout.write(chunk);
      appendFileSync(log, chunk);
    });
  }
  const end = (): void => {
    sendSignal(child.pid, "SIGTERM");
    setTimeout(() => sendSignal(child.pid, "SIGKILL"), killAfterMs).unref();
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    const [exitCode] = (await once(child, "close")) as [number | null];
    // Colours would hide the beginnings of lines.
    return { exitCode, output: stripVTControlCharacters(printed.join("")) };
  } finally {
    signal.removeEventListener("abort", end);
  }
}

function sendSignal(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}
