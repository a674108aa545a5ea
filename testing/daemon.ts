import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { basePath } from "@portcullis/contract/api";
import { onTestFinished } from "vitest";
import { bootstrapText, type Reply, type RequestOptions } from "./gateway.ts";
import { daemonProgram } from "./programs.ts";

/** A daemon in a separate process, which a test can kill. */
export interface TestDaemon {
  readonly stateFolder: string;
  /** From the start of the process until it listened. */
  readonly startedInMs: number;
  /** CPU time it has used so far. */
  cpuMs(): number;
  /** `path` is relative to /api/v1. Rejects if the daemon exits before the response is complete. */
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  /** SIGKILL: no handler runs, nothing is flushed. Resolves when the process has exited. */
  kill9(): Promise<void>;
  /** SIGTERM. Resolves when the process has exited. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Options {
  /** Keys of the bootstrap file, by section. */
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Starts a daemon with configuration and state in `folder`, which is kept afterwards. */
export async function startDaemon(folder: string, options: Options = {}): Promise<TestDaemon> {
  const startedAt = performance.now();
  const { child, end } = launch(folder, options);
  const origin = await listening(child);
  const startedInMs = performance.now() - startedAt;

  return {
    stateFolder: join(folder, "state"),
    startedInMs,
    cpuMs: () => cpuMs(child.pid!),
    request: async (method, path, { body, headers = {} } = {}) => {
      const response = await fetch(`${origin}${basePath}${path}`, {
        method,
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
    },
    kill9: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    [Symbol.asyncDispose]: () => end("SIGKILL"),
  };
}

/** Kills the process at the given moment, whether it listens yet or not. */
export async function killWhileStarting(folder: string, moment: () => Promise<void>): Promise<void> {
  const { end } = launch(folder, {});
  await moment();
  await end("SIGKILL");
}

function launch(folder: string, { config = {} }: Options) {
  const file = join(folder, "portcullis.yaml");
  writeFileSync(file, bootstrapText(config));
  const child = spawn(process.execPath, [daemonProgram, "--config", file], { stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  onTestFinished(() => end("SIGKILL")); // Also after a timeout, when the test does not dispose of it.
  return { child, end };
}

/** User and system time from proc_pid_stat(5), in ticks of 10 ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resolves to the address in the daemon's log; rejects with its stderr if it exits before. */
function listening(child: ChildProcess): Promise<string> {
  let errors = "";
  child.stderr!.on("data", (text: Buffer) => void (errors += text.toString()));
  return new Promise((resolve, reject) => {
    // Read until the daemon exits: it would block on a full pipe.
    createInterface(child.stdout!).on("line", (line) => {
      const { msg, address } = JSON.parse(line) as { msg: string; address: string };
      if (msg === "portcullisd is listening") resolve(address);
    });
    child.once("exit", () => reject(new Error(`The daemon exited before it listened: ${errors}`)));
  });
}
