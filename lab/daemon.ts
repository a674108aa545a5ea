import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { linux } from "../daemon/src/system/system.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { killSupervised } from "./leftovers.ts";
import type { Host } from "./namespaces.ts";
import { startJsonScript } from "./json-script.ts";

/**
 * Where a daemon keeps its files. What it kept running ends with the folder. Dispose of it after the lab: as long as a
 * daemon lives, it would start again what is ended here.
 */
export function daemonFolder(): { readonly path: string; [Symbol.dispose](): void } {
  const folder = temporaryFolder();
  return {
    path: folder.path,
    [Symbol.dispose]: () => {
      killSupervised(`${folder.path}/run`);
      folder[Symbol.dispose]();
    },
  };
}

/** Programs that a daemon has started and that outlive it. */
export const supervisedBy = ({ path }: { readonly path: string }) =>
  linux.findProcesses(`PORTCULLIS_CHILD=${path}/run/children/`);

/** The built daemon inside a host of the lab, as it would run on a router. */
export interface LabDaemon {
  readonly processId: number;
  /** Sends an API request from the host itself. */
  request(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }>;
  /** The same, where anything but success is a failure of the test. */
  ok(method: string, path: string, body?: object): Promise<unknown>;
  /**
   * Runs `act` while the daemon and its short-lived children are stopped: changes in the kernel are not repaired
   * meanwhile.
   */
  whilePaused<Result>(act: () => Promise<Result>): Promise<Result>;
  /** SIGKILL, and nothing else. */
  kill(): Promise<void>;
  /** SIGTERM, as systemd does it. */
  stop(): Promise<void>;
  [Symbol.dispose](): void;
}

/**
 * Resolves once it listens. A folder that is handed in is used, so that a daemon can come back to its state; programs in
 * `programs` are found before the system's, which may be others than here.
 */
export async function startDaemon(
  host: Host,
  config: object,
  folder = temporaryFolder(),
  programs?: string,
  systemPrograms = process.env["PATH"],
): Promise<LabDaemon> {
  const child = launchDaemon(host, config, folder, programs, systemPrograms);
  const complaints: string[] = [];
  child.stderr?.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  // Keeps reading: a daemon whose output is not read would block.
  const lines = createInterface({ input: child.stdout! });
  await new Promise<void>((listening, failed) => {
    lines.on("line", (line) => line.includes("is listening") && listening());
    child.once("exit", () => failed(new Error(`The daemon ended before it listened: ${complaints.join("")}`)));
  });
  return daemonOn(host, child, folder, config);
}

/** The process alone, which may or may not come to listen. */
function launchDaemon(
  host: Host,
  config: object,
  folder: { readonly path: string },
  programs?: string,
  systemPrograms = process.env["PATH"],
): ChildProcess {
  const file = join(folder.path, "portcullis.yaml");
  writeFileSync(
    file,
    // Most tests are about gateways at work, on which the first enforcement was confirmed long ago.
    JSON.stringify({
      paths: { state: "./state", run: "./run" },
      dns: { enabled: false },
      dataplane: { confirm_first_sec: 0 },
      ...config,
    }),
  );
  const path = [programs, systemPrograms].filter((it) => it !== undefined).join(":");
  const daemon = [process.execPath, resolve("dist/portcullisd.mjs"), "--config", file];
  // The umask of the packaged unit: what other users must read does not depend on it.
  return host.start("sh", "-c", 'umask 0077; exec "$@"', "sh", "env", `PATH=${path}`, ...daemon);
}

/** A daemon that is killed so long after its start, wherever that finds it. */
export async function startAndKill(
  host: Host,
  config: object,
  folder: { readonly path: string },
  afterMs: number,
): Promise<void> {
  const child = launchDaemon(host, config, folder);
  child.stdout!.resume();
  child.stderr!.resume();
  await wait(afterMs);
  if (child.exitCode !== null) throw new Error("The daemon ended before it was killed");
  await end(child);
}

/** With what it has started itself, but for those that are to outlive it. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid!, "SIGKILL");
  await once(child, "exit");
}

/** The first API key, which the lab uses itself. */
const keyOf = ({ auth }: { readonly auth?: { readonly api_keys?: readonly { readonly key: string }[] } }) =>
  auth?.api_keys?.[0]?.key;

/** Beyond loopback the API uses TLS, with a self-signed certificate. */
const usesTls = ({ listen }: { readonly listen?: { readonly api_addr?: string } }): boolean =>
  !(listen?.api_addr ?? "127.0.0.1").startsWith("127.");

function daemonOn(host: Host, child: ChildProcess, folder: { [Symbol.dispose](): void }, config: object): LabDaemon {
  const key = keyOf(config);
  const scheme = usesTls(config) ? "https" : "http";
  const request: LabDaemon["request"] = async (method, path, body) => {
    const sent = body ? ["--header", "Content-Type: application/json", "--data", JSON.stringify(body)] : [];
    const url = `${scheme}://127.0.0.1:8080/api/v1${path}`;
    const flags = ["--silent", "--insecure", "--max-time", "300", "--request", method, "--write-out", "\n%{http_code}"];
    const credential = key === undefined ? [] : ["--header", `Authorization: Bearer ${key}`];
    const text = await host.run("curl", ...flags, ...credential, ...sent, url);
    const [, answer = "", status = "0"] = /^([\s\S]*)\n(\d+)$/.exec(text) ?? [];
    return { status: Number(status), body: answer === "" ? undefined : (JSON.parse(answer) as unknown) };
  };
  return {
    processId: child.pid!,
    request,
    ok: orFail(request),
    whilePaused: async (act) => {
      process.kill(-child.pid!, "SIGSTOP");
      try {
        return await act();
      } finally {
        process.kill(-child.pid!, "SIGCONT");
      }
    },
    kill: () => end(child),
    stop: async () => {
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      await exit;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const orFail =
  (request: LabDaemon["request"]): LabDaemon["ok"] =>
  async (method, path, body) => {
    const answer = await request(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  };

/** One client process on the host for hundreds of API requests. It talks to one daemon and ends with the lab. */
export async function startApiClient(host: Host, config: object = {}): Promise<Pick<LabDaemon, "request" | "ok">> {
  const script = await startJsonScript(host, "api-client.py", usesTls(config) ? "https" : "http", keyOf(config) ?? "");
  const request: LabDaemon["request"] = async (method, path, body) =>
    (await script.request(JSON.stringify({ method, path, body }))) as { status: number; body: unknown };
  return { request, ok: orFail(request) };
}
