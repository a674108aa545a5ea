import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { basePath } from "@portcullis/contract/api";
import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { parseBootstrap } from "../daemon/src/config/bootstrap.ts";
import { createGateway } from "../daemon/src/app/gateway.ts";
import { createLog } from "../daemon/src/app/log.ts";
import { linux } from "../daemon/src/system/system.ts";
import { ownMs } from "../testing/clock.ts";
import { lowerQuartile } from "./statistics.ts";

/*
 * Inside a network namespace: the complete gateway with its dataplane, on a ledger with 10,000 devices and 10,000
 * policies. Prints its measurements as one line of JSON.
 */
const folder = process.argv[2]!;
const { deviceIds, lastPolicyIds } = JSON.parse(readFileSync(join(folder, "ids.json"), "utf8")) as {
  deviceIds: string[];
  lastPolicyIds: string[];
};
const gateway = await start();
const url = `${(await gateway.listen()).replace(/\/$/, "")}${basePath}`;
// A start triggers a leak check, which is measured separately.
await request("PUT", "/privacy/leak-monitor", { enabled: false });
await reached((await request("GET", "/status")) as Status);

const results = {
  idleCpuMs: await idleCycle(),
  deviceMs: lowerQuartile(await repeated(21, (round) => changeDevice(deviceIds[5000 + round]!, round))),
  applyMs: lowerQuartile(await repeated(5, reorderPolicies)),
  leakCheckMs: await leakCheck(),
};
process.stdout.write(`${JSON.stringify(results)}\n`);
await gateway.close();
process.exit(0);

interface Status {
  readonly revision: number;
  readonly applied_revision: number;
}

async function start() {
  const parsed = parseBootstrap(
    JSON.stringify({
      listen: { api_addr: "127.0.0.1:0" },
      paths: { state: folder, run: folder },
      network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
      dataplane: { enabled: true, confirm_first_sec: 0 },
      dns: { enabled: false },
      limits: { requests_per_minute: 1_000_000 },
    }),
    join(folder, "portcullis.yaml"),
  );
  if (parsed.kind === "mistakes") throw new Error(JSON.stringify(parsed.mistakes));
  return createGateway({
    ...parsed,
    bootstrap: { ...parsed.bootstrap, reconcile: { interval_sec: 1 } }, // Below the minimum of the bootstrap file.
    system: linux,
    log: createLog("error"),
    now: () => new Date(),
    webFolder: undefined,
    checkAnswers: false,
  });
}

async function request(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}

/** Waits until the kernel has what is published. */
async function reached({ revision }: Status): Promise<void> {
  for (const giveUpAt = performance.now() + 300_000; performance.now() < giveUpAt; ) {
    if (((await request("GET", "/status")) as Status).applied_revision >= revision) return;
    await setTimeout(2);
  }
  throw new Error("The kernel does not have the published revision after 300 s");
}

/** CPU of a reconcile cycle without changes, of which one per second runs here; child processes included. */
async function idleCycle(): Promise<number> {
  const seconds = 4; // Each cycle checks half of the engines: two checks of each.
  await setTimeout(3000); // Until the monitors run and have read what happened before.
  return lowerQuartile(
    await repeated(7, async () => {
      const before = cpuMs();
      await setTimeout(seconds * 1000);
      return (cpuMs() - before) / seconds;
    }),
  );
}

/** Of this process and of its child processes that have ended. */
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
  const started = ownMs();
  await request("PUT", `/devices/${id}`, { mac: `02:ff:00:00:00:${round.toString(16).padStart(2, "0")}` });
  await reached({ revision: ((await request("GET", "/status")) as Status).revision, applied_revision: 0 });
  return ownMs() - started;
}

/** The last policy becomes the first: every rank changes. From request to kernel, conflicts and ledger included. */
async function reorderPolicies(round: number): Promise<number> {
  await request("PUT", `/routing/policies/${lastPolicyIds[round]!}`, { priority: 0 });
  await setTimeout(2500); // So many events overflow the monitor.
  await request("POST", "/enforce/reconcile"); // The state is verified again.
  const started = ownMs();
  const { enforced } = (await request("POST", "/routing/policies/apply")) as { enforced: boolean };
  if (!enforced) throw new Error("The apply did not reach the kernel");
  return ownMs() - started;
}

/** Probes in the name of 256 devices, the maximum of one check. */
async function leakCheck(): Promise<number> {
  const started = ownMs();
  const { devices, discarded } = (await request("POST", "/privacy/leak-check")) as LeakCheck;
  if (discarded || devices.length !== 256) throw new Error(`${devices.length} devices were checked`);
  const unprobed = devices.filter(({ evidence }) => evidence.some(({ found }) => found.startsWith("not made")));
  if (unprobed.length > 0) throw new Error(`${unprobed.length} of them were not probed`);
  return ownMs() - started;
}

async function repeated(rounds: number, measure: (round: number) => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) values.push(await measure(round));
  return values;
}
