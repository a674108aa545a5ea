import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { basePath } from "@portcullis/contract/api";
import { parseBootstrap } from "../daemon/src/config/bootstrap.ts";
import { createGateway } from "../daemon/src/app/gateway.ts";
import { createLog } from "../daemon/src/app/log.ts";
import { linux } from "../daemon/src/system/system.ts";

/** The complete gateway with its dataplane, in this process and in the network namespace of this process. */
export interface InsideGateway {
  request(method: string, path: string, body?: object): Promise<unknown>;
  /** Waits until the kernel has what is published. */
  reached(revision?: number): Promise<void>;
  close(): Promise<void>;
}

/** `intervalSec` may be below the minimum of the bootstrap file. */
export async function startInside(
  folder: string,
  { intervalSec }: { readonly intervalSec: number },
): Promise<InsideGateway> {
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
  const gateway = await createGateway({
    ...parsed,
    bootstrap: { ...parsed.bootstrap, reconcile: { interval_sec: intervalSec } },
    system: linux,
    log: createLog("error"),
    now: () => new Date(),
    webFolder: undefined,
    checkAnswers: false,
  });
  const url = `${(await gateway.listen()).replace(/\/$/, "")}${basePath}`;

  async function request(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer;
  }
  // Not GET /status: it also counts how many devices are protected, which takes longer than what is measured here.
  const published = async () => Number(((await request("GET", "/changes")) as { applied: { id: string } }).applied.id);
  const applied = async () => ((await request("GET", "/reconcile")) as { applied_revision: number }).applied_revision;

  return {
    request,
    reached: async (revision) => {
      const wanted = revision ?? (await published());
      for (const giveUpAt = performance.now() + 300_000; performance.now() < giveUpAt; await setTimeout(2))
        if ((await applied()) >= wanted) return;
      throw new Error("The kernel does not have the published revision after 300 s");
    },
    close: () => gateway.close(),
  };
}

/** CPU of this process and of its child processes that have ended. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const childTicks = Number(fields[13]) + Number(fields[14]);
  return (user + system) / 1000 + childTicks * 10;
}
