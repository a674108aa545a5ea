import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { basePath } from "@portcullis/contract/api";
import type { Policy } from "@portcullis/contract/subsystems/routing";
import { parseBootstrap } from "../daemon/src/bootstrap.ts";
import { createGateway, kinds } from "../daemon/src/gateway.ts";
import { openLedger } from "../daemon/src/ledger/ledger.ts";
import { createLog } from "../daemon/src/log.ts";
import { newId } from "../daemon/src/subsystems/resources.ts";
import { linux } from "../daemon/src/system/system.ts";
import { sampleDevice, samplePolicySource } from "./sample.ts";

/*
 * Runs inside a network namespace of its own: the whole gateway with its dataplane, among 10,000 devices and 10,000
 * policies of all sorts in random order. Prints what the bench wants to know as one line of JSON.
 */
const count = 10_000;
const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

wire();
const { deviceIds, policyIds } = fill();
const gateway = await start();
const url = `${(await gateway.listen()).replace(/\/$/, "")}${basePath}`;
await settledAt((await ask("GET", "/status")) as Status);

const results = {
  idleCpuMs: await idleCycle(),
  deviceMs: await median(15, (round) => changeDevice(deviceIds[5000 + round]!, round)),
  ...(await everythingAnew()),
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

/** Writes everything in one change, and publishes it, before the daemon opens its ledger. */
function fill(): { deviceIds: string[]; policyIds: string[] } {
  const ledger = openLedger({
    path: join(folder, "portcullis.db"),
    kinds,
    now: () => new Date(),
    refuse: (it) => new Error(it),
    keepRevisions: 10,
  });
  const cause = { actor: "bench", action: "fill", resourceType: "device" };
  const groupIds = Array.from({ length: count / 20 }, newId);
  const deviceIds = Array.from({ length: count }, newId);
  const policyIds = Array.from({ length: count }, newId);
  const blank = { state: "known", trust_class: null, privacy_class: null, profile_id: null };
  ledger.change(cause, (draft) => {
    for (const [n, id] of groupIds.entries())
      draft.put("device_group", { id, name: `Group ${n}`, description: "" } as { id: string });
    for (const [n, id] of deviceIds.entries()) {
      const device = {
        ...blank,
        ...sampleDevice(n),
        id,
        group_ids: [groupIds[n % groupIds.length]!],
        first_seen: new Date(0),
      };
      draft.put("device", JSON.parse(JSON.stringify(device)) as { id: string });
    }
    for (const [n, id] of policyIds.entries()) {
      const policy: Policy = {
        ...samplePolicySource(n, deviceIds, groupIds),
        id,
        name: `Policy ${n}`,
        priority: 1 + Math.floor(Math.random() * 1000),
        enabled: true,
        hops: [{ type: "vpn", target: `t${1 + (n % 3)}` }],
        fail_policy: "fail-closed",
        splitting: false,
        profile_id: null,
      };
      draft.put("routing_policy", policy);
    }
  });
  ledger.releases.apply(cause);
  ledger.close();
  return { deviceIds, policyIds };
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

/** One policy comes first: every rank changes. Next to it, the bare `nft -f` of what stands then. */
async function everythingAnew(): Promise<{ applyMs: number; bareMs: number }> {
  const applies: number[] = [];
  const bares: number[] = [];
  for (let round = 0; round < 3; round++) {
    await ask("PUT", `/routing/policies/${policyIds[round]!}`, { priority: 0 });
    await ask("POST", "/enforce/reconcile"); // So many events drown the monitor; it has been seen since that all is well.
    const started = performance.now();
    const { enforced } = (await ask("POST", "/routing/policies/apply")) as { enforced: boolean };
    if (!enforced) throw new Error("The apply did not reach the kernel");
    applies.push(performance.now() - started);
    bares.push(bareLoad());
  }
  return { applyMs: middle(applies), bareMs: middle(bares) };
}

/** What nft alone takes for the same tables, in a namespace where nothing stands yet. */
function bareLoad(): number {
  const file = join(folder, "standing.nft");
  writeFileSync(file, execFileSync("nft", ["list", "table", "inet", "portcullis"], { maxBuffer: 64 << 20 }));
  const started = performance.now();
  execFileSync("unshare", ["--net", "nft", "-f", file]);
  return performance.now() - started;
}

async function median(rounds: number, measure: (round: number) => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) values.push(await measure(round));
  return middle(values);
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
