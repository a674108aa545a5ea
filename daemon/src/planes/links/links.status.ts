import { because, explained, type Reason } from "@portcullis/contract/reason";
import type { ProxyCondition, TproxyStatus } from "@portcullis/contract/subsystems/proxies";
import type { TunnelCondition } from "@portcullis/contract/subsystems/tunnels";
import type { LinksPlane } from "./links.plane.ts";
import type { Compiled } from "../inputs.ts";
import { outerHopOf } from "../../compiler/links/links.ts";
import { proxyInterface } from "../../compiler/input/facts.ts";
import type { IntentProxy, IntentTunnel } from "../../compiler/input/intent.ts";
import { type Egresses, egressNameVia } from "../../compiler/egress/egresses.ts";
import { bridgeReports } from "./bridges.status.ts";
import type { ProgramState } from "../../engines/sandbox/program-state.model.ts";
import type { ProxyTraffic } from "../../engines/nftables/redirect/redirect.engine.ts";
import { connections } from "../../engines/sockets/sockets.ts";
import type { BridgeState } from "../../engines/bridge/bridge.diff.ts";
import type { Condition } from "../../health/health.ts";
import { type LinkStatus, inactiveLinkStatus } from "./inactive.status.ts";
import type { System } from "../../system/system.ts";
import { advertisementStatus } from "./advertisements.status.ts";
import { dhcpStatus } from "./dhcp.status.ts";
import { uplinkStatus } from "./uplinks.status.ts";
import { vlanReports } from "./vlans.status.ts";

interface Needs {
  readonly system: System;
  readonly links: LinksPlane;
  /** The kernel's counters of each proxy. */
  readonly traffic: () => Promise<readonly ProxyTraffic[]>;
  readonly now: () => Date;
}

/** What was last read. */
interface Snapshot {
  readonly freshUntilMs: number;
  readonly traffic: readonly ProxyTraffic[];
  /** When the traffic was counted. */
  readonly countedAt: string | null;
  readonly listening: readonly ProgramState[];
  readonly redirecting: readonly ProgramState[];
  readonly bridges: readonly BridgeState[];
  readonly connections: (port: number) => number;
}

/** Reading a hundred tunnels runs a hundred programs: a client that polls must not keep the machine busy. */
const freshForMs = (tookMs: number): number => Math.max(500, 10 * tookMs);

/** The state of links, in the types of the API. */
export function openLinkStatus({ system, links, traffic, now }: Needs): LinkStatus {
  const { engines, health, latest } = links;
  let snapshot: Snapshot = {
    freshUntilMs: -Infinity,
    traffic: [],
    countedAt: null,
    listening: [],
    redirecting: [],
    bridges: [],
    connections: () => 0,
  };

  async function refresh(): Promise<void> {
    const compiled = latest();
    const startedMs = performance.now();
    if (!compiled) return;
    const { redsocks, socksListener, bridge } = compiled.links;
    snapshot = { ...snapshot, redirecting: engines.redsocks.states(redsocks) }; // Needs no program.
    if (startedMs < snapshot.freshUntilMs) return;
    // If ip or nft fails, the previous values are reported.
    const [counted, bridges, listening] = await Promise.all([
      traffic().then(
        (read) => ({ traffic: read, countedAt: now().toISOString() }),
        () => ({ traffic: snapshot.traffic, countedAt: snapshot.countedAt }),
      ),
      engines.bridge.states(bridge).catch(() => snapshot.bridges),
      engines.socksListener.states(socksListener).catch(() => snapshot.listening),
      compiled.links.wireguard.length > 0 && engines.wireguard.observe().catch(() => {}),
    ]);
    snapshot = {
      ...snapshot,
      freshUntilMs: performance.now() + freshForMs(performance.now() - startedMs),
      ...counted,
      listening,
      bridges,
      connections: connections(system),
    };
  }

  const states = {
    wireguard: onceATurn(() => engines.wireguard.states()),
    openvpn: onceATurn(() => engines.openvpn.states()),
  };

  function tunnel(id: string): TunnelCondition {
    const it = latest()?.intent.tunnels.find((one) => one.id === id);
    return it ? tunnelCondition(it, health.condition(id), states[it.config.kind]().get(it.interface)) : starting;
  }

  function proxy(id: string): ProxyCondition {
    const compiled = latest();
    const it = compiled?.intent.proxies.find((one) => one.id === id);
    return compiled && it
      ? proxyCondition(it, compiled, snapshot, health.condition(id))
      : { ...inactiveLinkStatus.proxy(id), ...explained(because("link_starting")) };
  }

  function tproxy(): TproxyStatus {
    const compiled = latest();
    const redirectors = compiled?.links.redsocks.map(({ name: id, port }) => {
      const { status, connections, tx, rx, counters_at } = proxy(id);
      const { name } = compiled.intent.proxies.find((one) => one.id === id)!;
      const chain = chainOf(id, name, compiled);
      const udp = together(notProxied({ name }, compiled.egresses));
      return { proxy_id: id, name, chain, port, status, connections, tx, rx, counters_at, udp };
    });
    return {
      running: (redirectors ?? []).every(({ status }) => status === "up"),
      redirectors: redirectors ?? [],
      udp: together((redirectors ?? []).map((it) => it.udp)),
    };
  }

  return {
    tunnel,
    proxy,
    tproxy,
    bridges: bridgeReports({ system, seen: () => snapshot.bridges, refresh }),
    vlans: vlanReports(links),
    cover: (id) => {
      const stream = engines.cover.states().find(({ name }) => name === id);
      if (!stream) return inactiveLinkStatus.cover(id);
      return { packets: stream.packetsSent, bytes: stream.bytesSent, answered: stream.packetsAnswered };
    },
    wan: uplinkStatus({ uplinks: links.uplinks, health, links: () => latest()?.facts.links ?? [] }),
    dhcp: dhcpStatus(links, () => now().getTime()),
    advertisement: advertisementStatus(links),
    refresh,
  };
}

/** A request reads the state of each tunnel in one event loop turn; all states are read once for that, and not kept. */
function onceATurn<T>(look: () => T): () => T {
  let seen: { readonly answer: T } | undefined;
  return () => {
    if (!seen) {
      seen = { answer: look() };
      queueMicrotask(() => (seen = undefined));
    }
    return seen.answer;
  };
}

const inactive = inactiveLinkStatus.tunnel("");
/** Of a tunnel that is not compiled yet. */
const starting = { ...inactive, ...explained(because("link_starting")) };

type State = ReturnType<ReturnType<LinksPlane["engines"]["wireguard"]["states"]>["get"]>;

function tunnelCondition({ enabled }: IntentTunnel, condition: Condition | undefined, state: State): TunnelCondition {
  if (!enabled) return { ...inactive, ...explained(because("link_disabled")) };
  if (!condition) return starting;
  // The error of the tunnel's program is more specific than that no probe was answered.
  const reason = (state?.kind === "ready" ? null : state?.reason) ?? condition.reason;
  return {
    status: condition.status,
    healthy: condition.healthy,
    ...explained(reason),
    since: new Date(condition.sinceMs).toISOString(),
    rtt_ms: condition.rttMs ?? null,
    loss: condition.loss,
    last_handshake: state?.lastHandshakeMs ? new Date(state.lastHandshakeMs).toISOString() : null,
    tx_bytes: state?.txBytes ?? 0,
    rx_bytes: state?.rxBytes ?? 0,
    counters_at: state?.countedAtMs ? new Date(state.countedAtMs).toISOString() : null,
    endpoint: state?.endpoint ?? null,
  };
}

function proxyCondition(
  { id, kind, enabled, at, tunnelId, username }: IntentProxy,
  { links, facts }: Compiled,
  { redirecting, listening, traffic, countedAt, connections: openOn }: Snapshot,
  condition: Condition | undefined,
): ProxyCondition {
  const counted = traffic.find(({ name }) => name === id);
  const port = kind === "local" ? at.port : links.redsocks.find(({ name }) => name === id)?.port;
  const counters = {
    connections: port === undefined ? 0 : openOn(port),
    // From the view of a device: what it sends is received here.
    tx: counted?.received.bytes ?? 0,
    rx: counted?.sent.bytes ?? 0,
    counters_at: counted ? countedAt : null,
  };
  const unusable = (status: "down" | "failed", reason: Reason): ProxyCondition => ({
    status,
    healthy: false,
    ...explained(reason),
    ...counters,
  });
  if (!enabled) return unusable("down", because("link_disabled"));
  if (kind === "upstream" && !facts.hops.some(({ own }) => own?.id === id))
    return unusable("down", because("proxy_unused"));
  if (kind === "local" && tunnelId === null && username === null) return unusable("failed", because("proxy_open"));
  const program = [...redirecting, ...listening].find(({ name }) => name === id);
  if (program?.kind !== "running")
    return unusable(
      program?.kind === "broken" ? "failed" : "down",
      program?.problem ?? because("proxy_program_starting"),
    );
  if (kind === "local") return { status: "up", healthy: true, ...explained(because("proxy_listens")), ...counters };
  const isUp = condition?.status === "up" || condition?.status === "degraded";
  return {
    status: isUp ? "up" : "failed",
    healthy: isUp,
    ...explained(condition?.reason ?? because("proxy_unprobed")),
    ...counters,
  };
}

type NotProxied = TproxyStatus["udp"];

/** Whether packets that a proxy cannot forward are blocked or direct, for each egress of the proxy. */
export const notProxied = (proxy: { readonly name: string }, { egresses }: Egresses): NotProxied[] =>
  egresses.flatMap(({ name }) => {
    if (name === egressNameVia(proxyInterface(proxy), false)) return ["blocked"];
    return name === egressNameVia(proxyInterface(proxy), true) ? ["direct"] : [];
  });

/** Without an egress, they are blocked. */
export function together(all: readonly NotProxied[]): NotProxied {
  const [first = "blocked", ...others] = new Set(all);
  return others.length > 0 ? "mixed" : first;
}

/** A proxy with its outer hops, the first hop first. */
function chainOf(id: string, name: string, { facts, intent }: Pick<Compiled, "facts" | "intent">): string[] {
  const before = outerHopOf(id, facts);
  if (before === undefined) return [name];
  const tunnel = intent.tunnels.find((it) => it.interface === before);
  return [...(tunnel ? chainOf(tunnel.id, tunnel.name, { facts, intent }) : [before]), name];
}
