import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { sentence } from "@portcullis/contract/reason";
import type { LinkState } from "../daemon/src/engines/link-state.ts";
import type { Drift } from "../daemon/src/engines/engine.ts";
import type { ProcessState } from "../daemon/src/engines/supervisor/supervisor.model.ts";
import { linux } from "../daemon/src/system/system.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { killSupervised } from "./leftovers.ts";
import type { Host } from "./namespaces.ts";

/** With the reason as a sentence. */
type ShownState = Omit<LinkState, "reason"> & { readonly reason: string };
const textOf = (reason: LinkState["reason"]): string => (reason === null ? "" : sentence(reason));

/** A process on a host that drives the tunnel engines. */
export interface TunnelEngines {
  want(wanted: object): Promise<void>;
  processes(): Promise<readonly ProcessState[]>;
  states(): Promise<Readonly<Record<string, ShownState>>>;
  /** What differs now, without doing anything about it. */
  drift(): Promise<readonly Drift[]>;
  /** Looks, and does what is to be done. */
  reconcile(): Promise<void>;
  renew(name: string): Promise<void>;
  /** SIGKILL, to this process and to no child of it. */
  kill(): Promise<void>;
}

/** Resolves once it listens. What it keeps running is in the folder. */
export async function startTunnelEngines(host: Host, folder: string): Promise<TunnelEngines> {
  const driver = host.start(process.execPath, resolve("lab/tunnel-engines-driver.ts"), folder);
  const complaints: string[] = [];
  driver.stderr!.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  driver.stdin!.on("error", () => {}); // The missing answer reports it.
  const ended = once(driver, "exit").then(() => {
    throw new Error(`The driver ended: ${complaints.join("")}`);
  });
  ended.catch(() => {}); // A failure only while a caller waits for an answer.
  const lines = createInterface({ input: driver.stdout! });
  const answer = async () => ((await Promise.race([once(lines, "line"), ended])) as [string])[0];
  await answer();
  async function request(line: string): Promise<unknown> {
    driver.stdin!.write(`${line}\n`);
    return JSON.parse(await answer()) as unknown;
  }
  return {
    want: async (wanted) => void (await request(`want ${JSON.stringify(wanted)}`)),
    processes: async () => (await request("children")) as readonly ProcessState[],
    states: async () => {
      const states = Object.entries((await request("states")) as Readonly<Record<string, LinkState>>);
      return Object.fromEntries(states.map(([name, { reason, ...it }]) => [name, { ...it, reason: textOf(reason) }]));
    },
    drift: async () => (await request("drift")) as readonly Drift[],
    reconcile: async () => void (await request("wake")),
    renew: async (name) => void (await request(`renew ${name}`)),
    kill: async () => {
      const exit = once(driver, "exit");
      driver.kill("SIGKILL");
      await exit;
    },
  };
}

/**
 * A folder for tunnel engines. Processes left running are killed with it, because they would outlive every lab. Open it
 * before the lab: a live daemon of the lab would restart what is killed here.
 */
export function enginesFolder(): { readonly path: string; [Symbol.dispose](): void } {
  const folder = temporaryFolder();
  return {
    path: folder.path,
    [Symbol.dispose]: () => {
      killSupervised(folder.path);
      folder[Symbol.dispose]();
    },
  };
}

export const supervisedIn = (folder: string) => linux.findProcesses(`PORTCULLIS_CHILD=${folder}/children/`);

/** Where any of these words can be read: a file in the folder, or the arguments and environment of any process. */
export function pathsContaining(words: readonly string[], folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => [`/proc/${name}/cmdline`, `/proc/${name}/environ`]);
  return [...files, ...processes].filter((path) => {
    const text = readOrNothing(path);
    return words.some((word) => text.includes(word));
  });
}

/** Processes end while one looks at them. */
function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
