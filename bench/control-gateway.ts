import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { basePath } from "@portcullis/contract/api";
import { parseBootstrap } from "../daemon/src/bootstrap.ts";
import { desiredState, linuxEngines } from "../daemon/src/dataplane.ts";
import { watchCommits } from "../daemon/src/engines/nftables/commits.ts";
import { createGateway } from "../daemon/src/gateway.ts";
import { createLog } from "../daemon/src/log.ts";
import { readIp } from "../daemon/src/system/iplisting.ts";
import { linux } from "../daemon/src/system/system.ts";
import { bring } from "../lab/loader.ts";
import { ledgerIn } from "./ledger.ts";
import { median } from "./median.ts";

/*
 * Runs inside a network namespace of its own: the whole gateway with its dataplane, among 10,000 devices and 10,000
 * policies of all sorts in random order. Prints what the bench wants to know as one line of JSON.
 */
const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

wire();
const { deviceIds, lastPolicyIds } = fill();
const cold = await coldLoads();
const gateway = await start();
const url = `${(await gateway.listen()).replace(/\/$/, "")}${basePath}`;
await settledAt((await ask("GET", "/status")) as Status);

const results = {
  ...cold,
  idleCpuMs: await idleCycle(),
  deviceMs: quiet(await repeated(21, (round) => changeDevice(deviceIds[5000 + round]!, round))),
  applyMs: quiet(await repeated(5, everythingAnew)),
};
process.stdout.write(`${JSON.stringify(results)}\n`);
await gateway.close();
process.exit(0);

interface Status {
  readonly revision: number;
  readonly applied_revision: number;
}

/** Links as a small router has them. Their other ends lie in the same namespace: nothing is sent. */
function wire(): void {
  const ip = (...args: string[]) => execFileSync("ip", args);
  ip("link", "set", "lo", "up");
  for (const [place, name] of ["lan0", "wan0", "t1", "t2", "t3"].entries()) {
    ip("link", "add", name, "type", "veth", "peer", "name", `${name}-end`);
    ip("address", "add", `10.200.${place}.1/24`, "dev", name);
    ip("link", "set", name, "up");
    ip("link", "set", `${name}-end`, "up");
  }
}

function fill(): { deviceIds: string[]; lastPolicyIds: string[] } {
  execFileSync(process.execPath, [new URL("./control-fill.ts", import.meta.url).pathname, folder]);
  return JSON.parse(readFileSync(join(folder, "ids.json"), "utf8")) as { deviceIds: string[]; lastPolicyIds: string[] };
}

async function start() {
  const parsed = parseBootstrap(
    JSON.stringify({
      listen: { api_addr: "127.0.0.1:0" },
      paths: { state: folder, run: folder },
      network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
      dataplane: { enabled: true },
      limits: { requests_per_minute: 1_000_000 },
    }),
    join(folder, "portcullis.yaml"),
  );
  if (parsed.kind === "mistakes") throw new Error(JSON.stringify(parsed.mistakes));
  return createGateway({
    ...parsed,
    bootstrap: { ...parsed.bootstrap, reconcile: { interval_sec: 1 } }, // More often than a file may ask for.
    system: linux,
    log: createLog("error"),
    now: () => new Date(),
    webFolder: undefined,
    checkAnswers: false,
  });
}

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}

/** Waits until the kernel has what is published. */
async function settledAt({ revision }: Status): Promise<void> {
  for (let tries = 0; tries < 5000; tries++) {
    if (((await ask("GET", "/status")) as Status).applied_revision >= revision) return;
    await setTimeout(2);
  }
  throw new Error("The kernel never got it");
}

/** CPU of a cycle that finds nothing to do, as the clock starts one every second here; programs it runs are included. */
async function idleCycle(): Promise<number> {
  const seconds = 12;
  await setTimeout(3000); // The listeners are awake, and what they had missed has been looked at.
  const before = cpuMs();
  await setTimeout(seconds * 1000);
  return (cpuMs() - before) / seconds;
}

/** Ours, and that of every program that has come to its end. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const childTicks = Number(fields[13]) + Number(fields[14]);
  return (user + system) / 1000 + childTicks * 10;
}

/** A device gets another address: from the request until the kernel has it. */
async function changeDevice(id: string, round: number): Promise<number> {
  const started = performance.now();
  await ask("PUT", `/devices/${id}`, { mac: `02:ff:00:00:00:${round.toString(16).padStart(2, "0")}` });
  await settledAt({ revision: ((await ask("GET", "/status")) as Status).revision, applied_revision: 0 });
  return performance.now() - started;
}

/** The last policy becomes the first: every rank changes. From request to kernel, conflicts and ledger included. */
async function everythingAnew(round: number): Promise<number> {
  await ask("PUT", `/routing/policies/${lastPolicyIds[round]!}`, { priority: 0 });
  await setTimeout(2500); // So many events drown the monitor.
  await ask("POST", "/enforce/reconcile"); // It has been seen since that all is well.
  const started = performance.now();
  const { enforced } = (await ask("POST", "/routing/policies/apply")) as { enforced: boolean };
  if (!enforced) throw new Error("The apply did not reach the kernel");
  return performance.now() - started;
}

/** From what is published to what the kernel has, when it has nothing. Next to it, the bare `nft -f` of the same. */
async function coldLoads(): Promise<{ coldMs: number; coldRatio: number; bareMs: number }> {
  const ledger = ledgerIn(folder);
  const network = { lan: ["lan0"], wan: "wan0", defaultEgress: "direct" } as const;
  const listing = { read: () => readIp(linux), forget: () => {} };
  const rounds: { coldMs: number; bareMs: number }[] = [];
  for (let round = 0; round < 7; round++) {
    execFileSync("nft", ["flush", "ruleset"]);
    const engines = linuxEngines({ system: linux, commits: watchCommits(), listing, nowMs: Date.now });
    const started = performance.now();
    const { desired } = await desiredState({ ledger, network, exceptions: () => [], listing })();
    await bring(engines.guard, desired.guard);
    await bring(engines.iproute, desired.iproute);
    await bring(engines.steering, desired.steering);
    rounds.push({ coldMs: performance.now() - started, bareMs: bareLoad() });
  }
  ledger.close();
  return {
    coldMs: quiet(rounds.map(({ coldMs }) => coldMs)),
    coldRatio: median(rounds.map(({ coldMs, bareMs }) => coldMs / bareMs)),
    bareMs: quiet(rounds.map(({ bareMs }) => bareMs)),
  };
}

/** What nft alone takes for the same tables, in a namespace where nothing stands yet. */
function bareLoad(): number {
  const file = join(folder, "standing.nft");
  writeFileSync(file, execFileSync("nft", ["list", "table", "inet", "portcullis"], { maxBuffer: 64 << 20 }));
  const started = performance.now();
  execFileSync("unshare", ["--net", "nft", "-f", file]);
  return performance.now() - started;
}

async function repeated(rounds: number, measure: (round: number) => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) values.push(await measure(round));
  return values;
}

/** What it takes when the neighbours on the machine are quiet: they only ever add. */
function quiet(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)]!;
}
