import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Policy } from "@portcullis/contract/subsystems/routing";
import { ledgerIn } from "../testing/ledger-file.ts";
import { sampleDevice, samplePolicySource } from "../bench/sample.ts";
import { newId } from "../daemon/src/subsystems/resources.ts";
import type { Device } from "../lab/topology-devices.ts";
import { type LabBrowser, openBrowser } from "./browser.ts";
import { until } from "../testing/deadline.ts";
import { gatewayOrigin, type Testbed, openTestbed, trusting } from "./testbed.ts";

/** A gateway at the upper limit: devices, policies, and a query log that grows continuously. */
export interface LargeTestbed extends AsyncDisposable {
  readonly testbed: Testbed;
  /** Without animations, and with raised priority: neither animation nor other processes shall count as latency. */
  readonly browser: LabBrowser;
  /** Rows per second that the log gained between two requests. */
  logRate(): Promise<number>;
}

export const sizes = { devices: 10_000, policies: 1000, queriesPerSec: 1000 } as const;
/** Host numbers of the LAN that send DNS queries. */
const clients = [50, 51, 52, 53, 54, 55, 56, 57] as const;

export async function openLargeTestbed(): Promise<LargeTestbed> {
  const testbed = await openTestbed({ names: true });
  try {
    const { topology } = testbed;
    const tunnels = [await topology.wireguard("Amsterdam"), await topology.wireguard("Oslo")];
    await topology.api.ok("POST", "/dns/block", { domains: ["ads.example", "tracker.example"] });
    await topology.stop();
    fill(
      topology.folders.state,
      tunnels.map(({ name }) => name),
    );
    await topology.restart();
    await until("the kernel has all of it", async () => isApplied(testbed), 60);
    await sendQueries(await topology.net.device("dns-clients", 1), topology.folders.state);
    const browser = await openBrowser(testbed.laptop, gatewayOrigin, {
      args: ["--disable-smooth-scrolling", ...trusting(topology)],
      before: "nice -n -15",
    });
    return {
      testbed,
      browser,
      logRate: () => logRate(testbed),
      [Symbol.asyncDispose]: async () => {
        await browser[Symbol.asyncDispose]();
        await testbed[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await testbed[Symbol.asyncDispose]();
    throw error;
  }
}

/** Written directly into the ledger while no daemon has it open: through the API it would take minutes. */
function fill(folder: string, tunnels: readonly string[]): void {
  const ledger = ledgerIn(folder);
  const cause = { actor: "lab", action: "fill", resourceType: "device" };
  const groupIds = Array.from({ length: sizes.devices / 20 }, newId);
  const deviceIds = Array.from({ length: sizes.devices }, newId);
  ledger.change(cause, (draft) => {
    for (const [n, id] of groupIds.entries())
      draft.put("device_group", { id, name: `Group ${n}`, description: "" } as { id: string });
    for (const [n, id] of deviceIds.entries()) {
      const hostNumber = clients[n];
      const device = {
        ...sampleDevice(n + 256), // Outside the LAN's own range, where real hosts are.
        name: `Device ${n}`,
        ...(hostNumber !== undefined && { mac: null, ips: [`10.0.0.${hostNumber}`] }),
        state: n >= sizes.devices - 5 ? "new" : "known",
        trust_class: null,
        privacy_class: null,
        profile_id: null,
        id,
        group_ids: [groupIds[n % groupIds.length]!],
        first_seen: new Date(0).toISOString(),
      };
      draft.put("device", device as { id: string });
    }
    for (let n = 0; n < sizes.policies; n += 1) {
      const policy: Policy = {
        ...samplePolicySource(n, deviceIds, groupIds),
        id: newId(),
        name: `Policy ${n}`,
        priority: 10 * (n + 1),
        enabled: true,
        hops: [
          n < clients.length
            ? { type: "interface", target: "wan0" }
            : { type: "vpn", target: tunnels[n % tunnels.length]! },
        ],
        fail_policy: "fail-closed",
        splitting: false,
        profile_id: null,
      };
      draft.put("routing_policy", policy);
    }
  });
  ledger.releases.apply(cause);
  ledger.close();
}

async function isApplied({ topology }: Testbed): Promise<boolean> {
  const { revision, applied_revision } = (await topology.api.ok("GET", "/status")) as Record<string, number>;
  return applied_revision! >= revision!;
}

/** Real DNS queries from several addresses for as long as the lab runs. */
async function sendQueries(clientHost: Device, folder: string): Promise<void> {
  const file = join(folder, "..", "queries.txt");
  const names = Array.from({ length: 500 }, (_, n) => [
    `news-${n}.fresh.lab A`,
    `n${n % 100}.many.lab ${n % 2 ? "A" : "AAAA"}`,
    n % 3 ? `video-${n}.fresh.lab AAAA` : "ads.example A",
  ]);
  writeFileSync(file, `${names.flat().join("\n")}\n`);
  const server = new URL(gatewayOrigin).hostname;
  for (const client of clients) {
    await clientHost.run("ip", "address", "add", `10.0.0.${client}/24`, "dev", "eth0");
    const rate = String(sizes.queriesPerSec / clients.length);
    const child = clientHost.start(
      "dnsperf",
      "-s",
      server,
      "-a",
      `10.0.0.${client}`,
      "-d",
      file,
      "-Q",
      rate,
      "-l",
      "86400",
    );
    child.stdout!.resume();
    child.stderr!.resume();
  }
}

async function logRate({ topology }: Testbed): Promise<number> {
  const newest = async () => {
    const [row] = (await topology.api.ok("GET", "/dns/log?limit=1")) as readonly { readonly id: number }[];
    return { id: row?.id ?? 0, at: performance.now() };
  };
  const before = await newest();
  let now = before;
  await until("5 s have passed", async () => (now = await newest()).at - before.at > 5000);
  return ((now.id - before.id) / (now.at - before.at)) * 1000;
}
