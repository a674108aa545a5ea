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
import { uplinkStatus } from "./uplinks.status.ts";

interface Needs {
  readonly system: System;
  readonly links: LinksPlane;
  /** What the kernel has counted of each proxy. */
  readonly traffic: () => Promise<readonly ProxyTraffic[]>;
  readonly now: () => Date;
}

/** What was last looked at. */
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

/** A hundred tunnels take a hundred programs to look at: whoever asks all the time must not keep the machine busy with it. */
const freshForMs = (tookMs: number): number => Math.max(500, 10 * tookMs);

/** Carriers in the words of the pages that ask for them. */
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
    const { redsocks, dante, bridge } = compiled.links;
    snapshot = { ...snapshot, redirecting: engines.redsocks.states(redsocks) }; // No program has to be asked for that.
    if (startedMs < snapshot.freshUntilMs) return;
    // Whoever asks how the tunnels are gets an answer also while ip or nft has none: what was seen last.
    const [counted, bridges, listening] = await Promise.all([
      traffic().then(
        (read) => ({ traffic: read, countedAt: now().toISOString() }),
        () => ({ traffic: snapshot.traffic, countedAt: snapshot.countedAt }),
      ),
      engines.bridge.states(bridge).catch(() => snapshot.bridges),
      engines.dante.states(dante).catch(() => snapshot.listening),
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
    return it ? tunnelCondition(it, health.condition(id), states[it.config.kind]().get(it.interface)) : beginning;
  }

  function proxy(id: string): ProxyCondition {
    const compiled = latest();
    const it = compiled?.intent.proxies.find((one) => one.id === id);
    return compiled && it
      ? proxyCondition(it, compiled, snapshot, health.condition(id))
      : { ...inactiveLinkStatus.proxy(id), reason: beginning.reason };
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
    cover: (id) => {
      const stream = engines.cover.states().find(({ name }) => name === id);
      if (!stream) return inactiveLinkStatus.cover(id);
      return { packets: stream.packetsSent, bytes: stream.bytesSent, answered: stream.packetsAnswered };
    },
    wan: uplinkStatus({ uplinks: links.uplinks, health, links: () => latest()?.facts.links ?? [] }),
    refresh,
  };
}

/** Whoever shows a page asks of each tunnel on it in one go; how all of them are is looked at once for that, and not kept. */
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

const resting = inactiveLinkStatus.tunnel("");
/** Of one that was asked for just now, so that nothing was compiled of it yet. */
const beginning = { ...resting, reason: "it is about to begin" };

type State = ReturnType<ReturnType<LinksPlane["engines"]["wireguard"]["states"]>["get"]>;

function tunnelCondition({ enabled }: IntentTunnel, condition: Condition | undefined, state: State): TunnelCondition {
  if (!enabled || !condition) return enabled ? beginning : { ...resting, reason: "it is switched off" };
  // What its own program says of its trouble tells more than that nobody answers.
  const reason = state && state.kind !== "ready" && state.reason !== "" ? state.reason : condition.reason;
  return {
    status: condition.status,
    healthy: condition.healthy,
    reason,
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
    // As a device sees it: what it sends is received here, and sent on.
    tx: counted?.received.bytes ?? 0,
    rx: counted?.sent.bytes ?? 0,
    counters_at: counted ? countedAt : null,
  };
  if (!enabled) return { status: "down", healthy: false, reason: "it is switched off", ...counters };
  if (kind === "upstream" && !facts.hops.some(({ own }) => own?.id === id))
    return { status: "down", healthy: false, reason: "no policy leads through it", ...counters };
  if (kind === "local" && tunnelId === null && username === null)
    return { status: "failed", healthy: false, reason: openToAll, ...counters };
  const program = [...redirecting, ...listening].find(({ name }) => name === id);
  if (program?.kind !== "running")
    return {
      status: program?.kind === "broken" ? "failed" : "down",
      healthy: false,
      reason: program?.problem || "its program is about to begin",
      ...counters,
    };
  if (kind === "local") return { status: "up", healthy: true, reason: "it listens", ...counters };
  const isUp = condition?.status === "up" || condition?.status === "degraded";
  return {
    status: isUp ? "up" : "failed",
    healthy: isUp,
    reason: condition?.reason ?? "its server was not asked yet",
    ...counters,
  };
}

const openToAll = "every device could leave in the clear by it: give it a tunnel, or a username and a password";

type NotProxied = TproxyStatus["udp"];

/** What becomes of packets that were steered to a proxy and that it cannot carry, by each way that leads there. */
export const notProxied = (proxy: { readonly name: string }, { egresses }: Egresses): NotProxied[] =>
  egresses.flatMap(({ name }) => {
    if (name === egressNameVia(proxyInterface(proxy), false)) return ["blocked"];
    return name === egressNameVia(proxyInterface(proxy), true) ? ["direct"] : [];
  });

/** Where nothing leads, nothing gets through. */
export function together(all: readonly NotProxied[]): NotProxied {
  const [first = "blocked", ...others] = new Set(all);
  return others.length > 0 ? "mixed" : first;
}

/** The hops before a proxy, the first one first. */
function chainOf(id: string, name: string, { facts, intent }: Pick<Compiled, "facts" | "intent">): string[] {
  const before = outerHopOf(id, facts);
  if (before === undefined) return [name];
  const tunnel = intent.tunnels.find((it) => it.interface === before);
  return [...(tunnel ? chainOf(tunnel.id, tunnel.name, { facts, intent }) : [before]), name];
}
