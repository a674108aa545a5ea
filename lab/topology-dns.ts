import { type DnsLoadReport, type DnsLoad, type DnsLoadOptions, queryOnce, startDnsLoad } from "./dns-load.ts";
import { type DnsSniffer, type SniffedQuery, startDnsSniffer } from "./sniffer.ts";
import { type HopServer, type HopTopology, hopOf, openHopTopology } from "./topology-hops.ts";
import { type Internet, uplinks } from "./internet.ts";
import type { Lab } from "./namespaces.ts";
import { type Resolver, routeManyToWeb, startResolver } from "./resolvers.ts";
import type { Device } from "./topology-devices.ts";
import { openDnsTree, type DnsTree } from "./dns-tree.ts";

/** A hop topology whose gateway resolves DNS, with resolvers on the Internet, and sniffers on every wire. */
export interface DnsTopology extends AsyncDisposable {
  readonly topology: HopTopology;
  readonly world: DnsTree;
  readonly resolvers: readonly Resolver[];
  /** A device with its own policy. It queries names below its own domain. */
  client(name: string, egress: "direct" | readonly HopServer[], policy?: object): Promise<Client>;
  /** Queries on the wires of both providers and of the core, since the previous call. */
  sniffed(): Promise<readonly SniffedQuery[]>;
}

export interface Client {
  readonly name: string;
  readonly device: Device;
  readonly deviceId: string;
  readonly policyId: string;
  /** Any name below it resolves, and no other client queries one. */
  readonly domain: string;
  /** Sends queries to the gateway, by default to its IPv4 address. */
  readonly startLoad: (options: Omit<DnsLoadOptions, "server"> & { readonly server?: string }) => Promise<DnsLoad>;
  readonly query: (name: string, type?: string, ...flags: string[]) => ReturnType<typeof queryOnce>;
}

export const gatewayAddress = { v4: "10.0.0.1", v6: "fd00::1" } as const;

interface Options {
  readonly resolvers?: readonly string[];
  readonly mode?: "plain" | "dot" | "doh";
  /** How many names have an address of their own. */
  readonly many?: number;
  /** Names of `alias.lab` and their targets. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** By how many days the dates of all signatures are ahead of our clock. */
  readonly daysAhead?: number;
  readonly settings?: object;
  /** A folder with programs that the daemon finds before the system's. */
  readonly programs?: string;
}

export async function openDnsTopology(
  lab: Lab,
  {
    resolvers: names = ["r1", "r2"],
    mode = "plain",
    many = 100,
    aliases = {},
    daysAhead = 0,
    settings = {},
    programs,
  }: Options = {},
): Promise<DnsTopology> {
  const world = openDnsTree({ many, aliases });
  if (daysAhead !== 0) world.sign(daysAhead);
  const resolvers: Resolver[] = [];
  const settled = async (net: Internet) => {
    for (const name of names) resolvers.push(await startResolver(net, world, name));
    await routeManyToWeb(net);
    const upstream_servers = resolvers.map(({ site }) => site.v4);
    const trusted = { ca_file: world.caFile, trust_anchors: [world.anchor] };
    return { dns: { upstream_servers, upstream_mode: mode, ...trusted }, ...settings };
  };
  const topology = await openHopTopology(lab, settled, programs);
  // The measured clients exceed the default rate limit.
  await topology.api.ok("PUT", "/dns/options", { rate_limit_qps: 0 });
  const wires: DnsSniffer[] = [];
  for (const host of [...topology.net.providers, topology.net.core]) wires.push(await startDnsSniffer(host));
  let devices = 0;
  return {
    topology,
    world,
    resolvers,
    client: async (name, egress, policy = {}) => {
      const device = await topology.net.device(name, (devices += 1));
      const { id: deviceId } = (await topology.api.ok("POST", "/devices", { name, mac: device.mac })) as Made;
      const { id: policyId } = (await topology.api.ok("POST", "/routing/policies", {
        name,
        source_type: "device",
        source_value: deviceId,
        hops: egress === "direct" ? [{ type: "interface", target: uplinks[0] }] : egress.map(hopOf),
        fail_policy: "fail-closed",
        ...policy,
      })) as Made;
      return {
        name,
        device,
        deviceId,
        policyId,
        domain: `${name}.fresh.lab`,
        startLoad: (options) => startDnsLoad(device, { server: gatewayAddress.v4, ...options }),
        query: (queried, type, ...flags) => queryOnce(device, gatewayAddress.v4, queried, type, ...flags),
      };
    },
    sniffed: async () => (await Promise.all(wires.map((it) => it.sniffed()))).flat(),
    [Symbol.asyncDispose]: async () => {
      await topology[Symbol.asyncDispose]();
      for (const it of [...resolvers, world]) it[Symbol.dispose]();
    },
  };
}

/** GET /dns/status, the fields that journeys use. */
export interface Status {
  readonly status: string;
  readonly rotation: string;
  readonly backend: string;
  readonly egresses: readonly {
    readonly egress: string;
    readonly number: number;
    readonly status: string;
    readonly cache: { readonly hits: number; readonly entries: number };
    readonly upstreams: readonly {
      readonly name: string;
      readonly address: string;
      readonly protocol: string;
      readonly status: string;
      readonly rtt_ms: number | null;
      readonly reason: string;
      readonly queries: number;
    }[];
  }[];
}

interface Made {
  readonly id: string;
}

/** What a run with changes lost more than one without. A machine that is busy with others loses in both. */
export const extraLoss = (changed: DnsLoadReport, quiet: DnsLoadReport): number =>
  Math.max(0, changed.lost - Math.ceil((quiet.lost * changed.sent) / quiet.sent));

/** For the line that a journey prints. */
export const figures = ({ sent, lost, latencyMs, longestSilenceMs, lagMs }: DnsLoadReport): string =>
  `${sent} sent, ${lost} lost, p50 ${latencyMs.p50} ms, p99 ${latencyMs.p99} ms, at worst ${latencyMs.max} ms, ` +
  `${longestSilenceMs} ms between two answers (the sender was late by up to ${lagMs} ms)`;
