import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { basePath } from "@portcullis/contract/api";
import { onTestFinished } from "vitest";
import { bootstrapText, type Reply, type RequestOptions } from "./gateway.ts";

/** Whether the tests run the program people install, or the sources it is built from. */
export const isBuilt = process.env["PORTCULLIS_BUILT"] === "1";
const program = join(import.meta.dirname, "..", isBuilt ? "dist/portcullisd.mjs" : "daemon/src/main.ts");

/** A daemon in a process of its own, so that a test can do to it what it could not survive itself. */
export interface TestDaemon {
  readonly stateFolder: string;
  /** From the start of the process until it listened. */
  readonly startedInMs: number;
  /** `path` is relative to /api/v1. Fails when the daemon dies before its answer is here whole. */
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  /** SIGKILL: no handler runs, nothing is flushed. Settles when the process is gone. */
  kill9(): Promise<void>;
  /** SIGTERM, and the wait for an orderly end. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Options {
  /** Keys of the bootstrap file, by section. */
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Starts a daemon whose configuration and state lie in `folder`; the folder outlives it. */
export async function startDaemon(folder: string, { config = {} }: Options = {}): Promise<TestDaemon> {
  const file = join(folder, "portcullis.yaml");
  writeFileSync(file, bootstrapText(config));
  const startedAt = performance.now();
  const child = spawn(process.execPath, [program, "--config", file], { stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  onTestFinished(() => end("SIGKILL")); // Also after a timeout, when nobody disposes of anything.
  const origin = await listening(child);
  const startedInMs = performance.now() - startedAt;

  return {
    stateFolder: join(folder, "state"),
    startedInMs,
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

/** The address from the daemon's own log line; its last words when it ends without one. */
function listening(child: ChildProcess): Promise<string> {
  let complaints = "";
  child.stderr!.on("data", (text: Buffer) => void (complaints += text.toString()));
  return new Promise((resolve, reject) => {
    // Reading goes on for as long as the daemon lives: a full pipe would make it wait for us.
    createInterface(child.stdout!).on("line", (line) => {
      const { msg, address } = JSON.parse(line) as { msg: string; address: string };
      if (msg === "portcullisd is listening") resolve(address);
    });
    child.once("exit", () => reject(new Error(`The daemon ended before it listened: ${complaints}`)));
  });
}
