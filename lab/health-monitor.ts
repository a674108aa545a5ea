import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Condition, MonitoredLink } from "../daemon/src/health/health.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { type Host, type Lab, openLab } from "./namespaces.ts";

/** One line that the monitor prints. */
export interface MonitorMessage {
  readonly kind: "change" | "flap" | "failing" | "state" | "cost" | "burst";
  readonly atMs: number;
  /** Of a change, by the clock of the machine. */
  readonly sinceMs: number;
  readonly key: string;
  readonly status: string;
  readonly reason: string;
}

export interface HealthMonitor {
  readonly news: readonly MonitorMessage[];
  /** The next change to this status that was not returned before. */
  next(status: string, key?: string): Promise<MonitorMessage>;
  conditions(): Promise<Record<string, Condition>>;
  costMs(): Promise<number>;
  /** How many bursts were reported before the last answer. */
  bursts(): number;
  kill(): Promise<void>;
}

interface TestLink extends AsyncDisposable {
  readonly near: Host;
  readonly far: Host;
  startMonitor(links: readonly MonitoredLink[]): Promise<HealthMonitor>;
  freeze(): Promise<void>;
  heal(): Promise<void>;
  /** So many of a hundred packets, in each direction. */
  lose(percent: number): Promise<void>;
  plug(): Promise<void>;
}

/** Two hosts and the link between them, whose health is monitored from one of them. */
export async function openMonitoredLink(): Promise<TestLink> {
  const lab = openLab();
  const folder = temporaryFolder();
  try {
    const [near, far] = [await lab.host("near"), await lab.host("far")];
    await plug(lab, near, far);
    return {
      near,
      far,
      plug: () => plug(lab, near, far),
      startMonitor: (links) => startMonitor(near, join(folder.path, "kept.json"), links),
      freeze: async () => void (await far.run("nft", dropping("input", ""))),
      heal: async () => void (await far.run("nft", "delete table inet trouble")),
      lose: async (percent) => {
        const some = `numgen random mod 100 < ${percent}`;
        await far.run("nft", `${dropping("input", some)}; ${dropping("output", some)}`);
      },
      [Symbol.asyncDispose]: async () => {
        await lab[Symbol.asyncDispose]();
        folder[Symbol.dispose]();
      },
    };
  } catch (error) {
    await lab[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
    throw error;
  }
}

const plug = (lab: Lab, near: Host, far: Host): Promise<void> =>
  lab.cable(
    { host: near, device: "link0", addresses: ["10.9.0.1/24", "fd09::1/64"] },
    { host: far, device: "link0", addresses: ["10.9.0.2/24", "fd09::2/64"] },
  );

const dropping = (hook: string, which: string): string =>
  `add table inet trouble; add chain inet trouble ${hook} { type filter hook ${hook} priority 0; }; ` +
  `add rule inet trouble ${hook} meta l4proto { icmp, ipv6-icmp } ${which} drop`;

async function startMonitor(host: Host, file: string, links: readonly MonitoredLink[]): Promise<HealthMonitor> {
  const child = host.start(process.execPath, resolve("lab/health-driver.ts"), file);
  child.stderr!.pipe(process.stderr);
  const lines = createInterface({ input: child.stdout! });
  const news: MonitorMessage[] = [];
  const waited = new Set<MonitorMessage>();
  let bursts = 0;
  lines.on("line", (line) => {
    const message = JSON.parse(line) as MonitorMessage;
    if (message.kind === "burst") bursts += 1;
    else if (message.kind !== "state" && message.kind !== "cost") news.push(message);
  });
  const answer = async <T>(line: string, kind: string): Promise<T> => {
    child.stdin!.write(`${line}\n`);
    return messageMatching(lines, child, (message) => (message as { kind: string }).kind === kind) as Promise<T>;
  };
  const configured = JSON.stringify(links);
  await answer(configured, "state");
  return {
    news,
    next: async (status, key = "link") => {
      const isIt = (it: MonitorMessage) =>
        it.kind === "change" && it.status === status && it.key === key && !waited.has(it);
      if (!news.some(isIt)) await messageMatching(lines, child, () => news.some(isIt));
      const change = news.find(isIt)!;
      waited.add(change);
      return change;
    },
    conditions: async () => (await answer<{ conditions: Record<string, Condition> }>(configured, "state")).conditions,
    costMs: async () => {
      const { user, system } = await answer<{ user: number; system: number }>("cost", "cost");
      return (user + system) / 1000;
    },
    bursts: () => bursts,
    kill: async () => {
      process.kill(child.pid!, "SIGKILL");
      await once(child, "exit");
    },
  };
}

/** Resolves with the first message that matches; the time limit only ends a hang. */
function messageMatching(
  lines: ReturnType<typeof createInterface>,
  child: ChildProcess,
  fits: (message: unknown) => boolean,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => end(() => reject(new Error("The health driver sent no such message"))), 120_000);
    const listen = (line: string) => {
      const message = JSON.parse(line) as unknown;
      if (fits(message)) end(() => resolve(message));
    };
    const ended = () => end(() => reject(new Error("The health driver ended")));
    function end(finish: () => void): void {
      clearTimeout(late);
      lines.off("line", listen);
      child.off("exit", ended);
      finish();
    }
    lines.on("line", listen);
    child.on("exit", ended);
  });
}

/** Process ids of the probes that run on a host. */
export async function pingsOn(host: Host): Promise<string[]> {
  const pids = (await host.run("ip", "netns", "pids", host.namespace)).trim().split("\n");
  return pids.filter((pid) => textOf(`/proc/${pid}/comm`) === "ping\n");
}

/** The scheduler counts in nanoseconds; CPU times in ticks are too coarse for a program that does so little. */
export async function pingCostMs(host: Host): Promise<number> {
  const spent = (await pingsOn(host)).map((pid) => Number(textOf(`/proc/${pid}/schedstat`).split(" ")[0]));
  return spent.reduce((sum, ns) => sum + ns / 1e6, 0);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // It ended while we looked.
  }
}
