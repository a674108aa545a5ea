import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../testing/deadline.ts";
import { faultyNft } from "../faulty.ts";
import { type HopServer, hopOf } from "../topology-hops.ts";
import type { Host, Lab } from "../namespaces.ts";
import { type Client, openDnsTopology, type DnsTopology } from "../topology-dns.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import {
  forwardedQueries,
  type Counts,
  type ProbeIdentity,
  probeIdentity,
  probeNames,
  type SenderReport,
  type Sender,
} from "./probes.ts";
import { startProbeServer, startSender } from "./probes.ts";
import { type Seen, type Sightings, startWireMonitor, merged, type WireMonitor } from "./wire-monitor.ts";

/**
 * Where leaks are looked for. A phone under protection leaves by a chain of two tunnels and by nothing else, and talks
 * without pause. Outside the gateway every wire is watched: those of both providers, and the one behind the first hop, where
 * only the second tunnel may be seen. Everything else may be changed, broken and killed.
 */
export interface LeakTopology extends AsyncDisposable {
  readonly dns: DnsTopology;
  readonly gateway: Host;
  readonly phone: Client;
  readonly identity: ProbeIdentity;
  readonly sender: Sender;
  /** First and second hop of the phone's chain, and an unused tunnel. */
  readonly hops: { readonly first: HopServer; readonly second: HopServer; readonly other: HopServer };
  /** An nft for the daemon whose loads can be made to fail. */
  readonly nft: ReturnType<typeof faultyNft>;
  readonly ok: <T = Made>(method: string, path: string, body?: object) => Promise<T>;
  /** Clears all counts; from now on everything counts. */
  begin(): Promise<void>;
  /** What was seen outside, and what the phone sent, since then. */
  seen(): Promise<Seen>;
  senderReport(): Promise<SenderReport>;
  /** Lets the phone out by the uplink until every probe was seen there; answers how often each was. */
  control(): Promise<Counts>;
  /** The same on the wires without clear traffic: each monitor by itself. */
  eachMonitor(): Promise<Readonly<Record<string, Counts>>>;
  /** Each call returns whether all probes of the phone were answered since the previous call. */
  answering(): Promise<() => Promise<boolean>>;
  /** Resolves once all probes of the phone are answered through its chain; returns after how many seconds. */
  works(limitSec: number): Promise<number>;
  /** The probe server ends all connections: one from outside a fault would continue during it. */
  closeConnections(): Promise<void>;
  /** To be called whenever the far ends of tunnels have changed. */
  tunnelsMoved(): Promise<void>;
}

interface Made {
  readonly id: string;
}

/**
 * Enough to see a hole that is open for some milliseconds. On a machine with two slow processors this load keeps the
 * gateway itself from its work for most of the time, although in reality all other hosts have processors of their own.
 */
const defaultPerSecond = Number(process.env["PROBES_PER_SECOND"] ?? 2000);

export async function openLeakTopology(lab: Lab, perSecond = defaultPerSecond): Promise<LeakTopology> {
  await using opened = new AsyncDisposableStack();
  const programs = opened.use(temporaryFolder());
  const nft = faultyNft(programs.path);
  const dns = opened.use(
    await openDnsTopology(lab, {
      programs: nft.path,
      settings: {
        // The harsher choice: a device that is no longer known as protected is let out.
        network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
        // Healing is not a matter of luck: what heals was noticed.
        reconcile: { interval_sec: 86_400 },
      },
    }),
  );
  const { topology: hopTopology } = dns;
  const { gateway, providers, core } = hopTopology.net;
  const ok: LeakTopology["ok"] = (method, path, body) => hopTopology.api.ok(method, path, body) as never;
  // Some answers are too big for the LAN. The phone knows; its own segments would vanish on the cable otherwise.
  await gateway.run("ip", "link", "set", "lan0", "mtu", "1300");
  const hops = {
    first: await hopTopology.wireguard("w1", true, true),
    second: await hopTopology.wireguard("w2", false, true),
    other: await hopTopology.wireguard("w3", true, true),
  };
  const phone = await dns.client("phone", [hops.first, hops.second]);
  await phone.device.run("ip", "link", "set", "eth0", "mtu", "1300");
  const identity = probeIdentity("phone", 0);
  await ok("PUT", `/devices/${phone.deviceId}`, { ips: identity.own.slice(0, 2) });
  // Whatever becomes of the phone's own policy: the second tunnel belongs inside the first one.
  await ok("POST", "/routing/policies", {
    name: "visitors' chain",
    source_type: "subnet",
    source_value: "10.0.0.64/26",
    hops: [hops.first, hops.second].map(hopOf),
    fail_policy: "fail-closed",
  });
  await hopTopology.apply();
  // Only now that it is known inside of what: before, its server would have been called in the open.
  await ok("POST", `/tunnels/${hops.second.id}/up`);
  const probeServer = await startProbeServer(hopTopology.net, [identity]);
  const options = {
    devices: [identity],
    health: ["1.1.1.1", "9.9.9.9"],
    resolvers: dns.resolvers.map(({ site }) => site.v4),
  };
  const uplinks: WireMonitor[] = [];
  for (const host of providers) uplinks.push(await startWireMonitor(host, { ...options, wires: ["from-gw"] }));
  // A client that reaches the first hop's server through another tunnel is answered by it, in the clear, as by any
  // server.
  const answering = [hops.second, hops.other].flatMap(({ site }) => [
    [hops.first.site.v4, site.v4] as const,
    [hops.first.site.v6, site.v6] as const,
  ]);
  const between = await startWireMonitor(core, { ...options, wires: ["to-w1"], answering });
  const watches = [...uplinks, between];
  const sender = await startSender(phone.device, phone.device.mac, identity, perSecond);
  let phase = 0;

  /** Lets the phone out; answers how it is undone. */
  const letOut = async () => {
    const { id } = await ok("POST", "/exceptions", { type: "temporary-direct", device_id: phone.deviceId });
    return async () => void (await ok("DELETE", `/exceptions/${id}`));
  };
  /** The same by a policy of its own, which has a lower rank than the others. */
  const routeBy = async (via: readonly object[]) => {
    const source = { source_type: "device", source_value: phone.deviceId };
    const { id } = await ok("POST", "/routing/policies", { name: "control", priority: 1, ...source, hops: via });
    await hopTopology.apply();
    return async () => {
      await ok("DELETE", `/routing/policies/${id}`);
      await hopTopology.apply();
    };
  };
  /** How often each probe is seen by these watches while something lets the phone out. */
  const shown = async (by: readonly WireMonitor[], open: () => Promise<() => Promise<void>>): Promise<Counts> => {
    const seen = async () => phoneIn(merged(await Promise.all(by.map((watch) => watch.seen()))));
    const close = await open();
    try {
      const before = await seen();
      let counts: Counts = {};
      const isSeen = async () => {
        counts = controlled(before, await seen());
        return probeNames.every((name) => counts[name]! > 2);
      };
      // A probe that is never seen is the reader's to judge. How long it takes depends on the machine alone.
      await until("every probe is seen", isSeen, 60).catch(() => undefined);
      return counts;
    } finally {
      await close();
      await probeServer.closeConnections();
    }
  };
  /** Each call returns which probes and names were not answered since the previous call. */
  const silence = async () => {
    let before = (await sender.report()).answered;
    return async (): Promise<readonly string[]> => {
      await wait(200);
      const now = (await sender.report()).answered;
      const silent = [...probeNames, ...names].filter((name) => (now[name] ?? 0) <= (before[name] ?? 0));
      before = now;
      return silent;
    };
  };
  const endsOf = (hop: HopServer) => hop.addresses().map((address) => [address, hop.port] as const);
  const topology: LeakTopology = {
    dns,
    gateway,
    phone,
    identity,
    sender,
    hops,
    nft,
    ok,
    begin: async () => {
      phase += 1;
      await sender.begin(phase);
      for (const watch of watches) await watch.begin(phase);
    },
    seen: async () => merged(await Promise.all(watches.map((watch) => watch.seen()))),
    senderReport: sender.report,
    control: () => shown(watches, letOut),
    eachMonitor: async () => ({
      "the second provider": await shown([uplinks[1]!], () => routeBy([{ type: "interface", target: "wan1" }])),
      "behind the first hop": await shown([between], () => routeBy([hopOf(hops.first)])),
    }),
    answering: async () => {
      const silent = await silence();
      return async () => (await silent()).length === 0;
    },
    works: async (limitSec) => {
      const silent = await silence();
      let last: readonly string[] = [];
      const isAnswered = async () => (last = await silent()).length === 0;
      return until("the phone is answered", isAnswered, limitSec).catch((error: unknown) => {
        throw new Error(`No answers to ${last.join(", ")}`, { cause: error });
      });
    },
    closeConnections: probeServer.closeConnections,
    tunnelsMoved: async () => {
      for (const watch of uplinks) await watch.tunnelsTo([...endsOf(hops.first), ...endsOf(hops.other)]);
      await between.tunnelsTo([...endsOf(hops.second), ...endsOf(hops.first)]);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
  await topology.tunnelsMoved();
  const all = opened.move();
  return topology;
}

/** Answers of the gateway's resolver. */
const names = ["names4", "names6"] as const;

const phoneIn = ({ devices }: Seen): Sightings => devices["phone"] ?? {};

/** How often each probe was seen meanwhile. Of DNS queries the smaller count of both destinations. */
function controlled(before: Sightings, now: Sightings): Counts {
  const more = (name: keyof Sightings) => (now[name] ?? 0) - (before[name] ?? 0);
  return Object.fromEntries(
    probeNames.map((name) => {
      const forwarded = forwardedQueries.find((it) => it === `by-the-gateway-${name}`);
      return [name, forwarded === undefined ? more(name) : Math.min(more(forwarded), more(name) - more(forwarded))];
    }),
  );
}
