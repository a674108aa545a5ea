import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { ownMs } from "../testing/clock.ts";
import { cpuMs, startInside } from "./inside-gateway.ts";
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
const gateway = await startInside(folder, { intervalSec: 1 });
// A start triggers a leak check, which is measured separately.
await gateway.request("PUT", "/privacy/leak-monitor", { enabled: false });
await gateway.reached();

const results = {
  idleCpuMs: await idleCycle(),
  deviceMs: lowerQuartile(await repeated(21, (round) => changeDevice(deviceIds[5000 + round]!, round))),
  applyMs: lowerQuartile(await repeated(5, reorderPolicies)),
  leakCheck: await leakCheck(),
};
process.stdout.write(`${JSON.stringify(results)}\n`);
await gateway.close();
process.exit(0);

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

/** A device gets another address: from the request until the kernel has it. */
async function changeDevice(id: string, round: number): Promise<number> {
  const started = ownMs();
  await gateway.request("PUT", `/devices/${id}`, { mac: `02:ff:00:00:00:${round.toString(16).padStart(2, "0")}` });
  await gateway.reached();
  return ownMs() - started;
}

/** The last policy becomes the first: every rank changes. From request to kernel, conflicts and ledger included. */
async function reorderPolicies(round: number): Promise<number> {
  await gateway.request("PUT", `/routing/policies/${lastPolicyIds[round]!}`, { priority: 0 });
  await setTimeout(2500); // So many events overflow the monitor.
  await gateway.request("POST", "/enforce/reconcile"); // The state is verified again.
  const started = ownMs();
  const { enforced } = (await gateway.request("POST", "/routing/policies/apply")) as { enforced: boolean };
  if (!enforced) throw new Error("The apply did not reach the kernel");
  return ownMs() - started;
}

/** Probes in the name of every device. The memory includes that of the answer, which this process parses. */
async function leakCheck(): Promise<{ readonly ms: number; readonly megabytes: number }> {
  gc!();
  const before = process.memoryUsage().rss;
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  const started = ownMs();
  const {
    devices,
    discarded,
    unchecked,
    gateway: found,
  } = (await gateway.request("POST", "/privacy/leak-check")) as LeakCheck;
  const ms = ownMs() - started;
  clearInterval(sampling);
  if (discarded || unchecked > 0 || devices.length !== deviceIds.length)
    throw new Error(`${devices.length} devices were checked, ${unchecked} were not`);
  const unprobed = found.filter(({ message }) => message.includes("could not be sent"));
  if (unprobed.length > 0) throw new Error(JSON.stringify(unprobed[0]));
  return { ms, megabytes: (most - before) / 1e6 };
}

async function repeated(rounds: number, measure: (round: number) => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) values.push(await measure(round));
  return values;
}
