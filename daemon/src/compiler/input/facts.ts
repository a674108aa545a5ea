import type { Hop } from "@portcullis/contract/subsystems/routing";
import { isInterfaceName } from "@portcullis/contract/values";
import { type Intent, type IntentPolicy, type IntentProxy, type IntentTunnel, outsideOf } from "./intent.ts";
import { inOrder } from "./policy-order.ts";

/** What the world looks like, as far as it matters for where packets go. Plain data, so that a case can be written down. */
export interface Facts extends ObservedState {
  /** Hop → where it leads and whether it carries packets now. A hop that is not listed leads nowhere. */
  readonly hops: readonly HopFact[];
}

/** What was seen, asked and looked up. */
export interface ObservedState {
  readonly links: readonly Link[];
  /** Of tunnels, proxies and uplinks, by id or interface. Who is not here has not been asked. */
  readonly conditions?: Readonly<Record<string, Condition>>;
  /** Names of servers → addresses. */
  readonly addresses?: Readonly<Record<string, string>>;
  /** Addresses that names had before: what was begun with them may not have ended yet. */
  readonly former?: Readonly<Record<string, readonly string[]>>;
  /** What was sealed, opened. It never leaves the memory of the daemon. */
  readonly secrets?: Readonly<Record<string, string>>;
}

export interface Condition {
  readonly isUp: boolean;
  readonly reason: string;
}

export interface Link {
  readonly name: string;
  readonly up: boolean;
  /** false: the kernel takes no route of IPv6 by it. */
  readonly ipv6?: boolean;
  readonly mtu?: number;
  /** Number of a VLAN interface. */
  readonly vlan?: number;
  /** Where its default route leads, by family; a tunnel needs none. */
  readonly gateways?: { readonly v4?: string; readonly v6?: string };
  /** The gateway's own addresses on it. */
  readonly addresses?: readonly string[];
  /** Networks that are reached through it without a gateway. */
  readonly networks?: readonly string[];
}

export interface HopFact {
  readonly type: string;
  readonly target: string;
  readonly interface: string;
  readonly up: boolean;
  /** Why it is not up. */
  readonly reason?: string;
  /** How many of the connections that are split it gets, beside those of the others. */
  readonly weight?: number;
  /** A hop of our own making: it can be put behind another one. Somebody else's interface is where it is. */
  readonly own?: OwnHop;
}

export interface OwnHop {
  readonly kind: "tunnel" | "proxy";
  readonly id: string;
  /** The hop its own packets travel inside of; null: they leave by the uplink. Each has one place only. */
  readonly outerHop: { readonly interface: string } | null;
  /** The policy that wants it there: the first that needs it. */
  readonly policyId: string;
}

export type FactsInput = Pick<Intent, "policies" | "disabledPolicies" | "tunnels" | "proxies" | "network" | "uplinks">;

/**
 * What every hop leads to: the tunnel or proxy of that id or name, or else the interface of that name, which somebody
 * else has made. `assumed` overrides what is known of a target.
 */
export function factsFor(
  intent: FactsInput,
  world: ObservedState,
  assumed: Readonly<Record<string, boolean>> = {},
): Facts {
  const known = knownHops(intent, world, assumed);
  // A policy that is switched off for a while must not make its last hop's server be called in the open.
  const places = nestingOf([...inOrder(intent.policies), ...inOrder(intent.disabledPolicies)], known);
  const distinct = new Map<string, Hop>();
  for (const { hops } of [...intent.policies, ...intent.disabledPolicies])
    for (const hop of hops) distinct.set(hopKey(hop), hop);
  const hops = [...distinct.values()].flatMap((hop) => {
    const found = known(hop);
    if (!found) return [];
    const { own, ...fact } = found;
    return [{ ...fact, ...(own && { own: { ...own, ...places.get(own.id)! } }) }];
  });
  return { ...world, hops };
}

export const hopKey = ({ type, target }: { readonly type: string; readonly target: string }): string =>
  `${type} ${target}`;

/** A proxy has no interface; packets that go to it are known by this name. */
export const proxyInterface = ({ name }: Pick<IntentProxy, "name">): string => `proxy ${name}`;

/** The other names, of proxies and of hops nobody knows, have a space in them, as no interface has. */
export const isInterface = (name: string): boolean => !name.includes(" ");

type Nesting = Pick<OwnHop, "outerHop" | "policyId">;

type Known = (hop: Hop) => (Omit<HopFact, "own"> & { readonly own?: Omit<OwnHop, keyof Nesting> }) | undefined;

function knownHops(
  { tunnels, proxies, network, uplinks }: FactsInput,
  world: ObservedState,
  assumed: Readonly<Record<string, boolean>>,
): Known {
  const links = new Map(world.links.map((link) => [link.name, link]));
  const reserved = new Set([...network.lan, ...outsideOf(network), ...uplinks.list.map((it) => it.interface)]);
  const tunnelOf = finder(tunnels);
  // By its interface it is the same tunnel: taken for somebody else's, it could come to be inside of itself.
  const tunnelOn = new Map(tunnels.map((it) => [it.interface, it]));
  const proxyOf = finder(proxies.filter(({ kind }) => kind === "upstream"));
  const state = (own: IntentTunnel | IntentProxy): { up: boolean; reason: string } => {
    if (!own.enabled) return { up: false, reason: "switched off" };
    const condition = world.conditions?.[own.id];
    return { up: condition?.isUp === true, reason: condition?.reason ?? "not known yet" };
  };
  return (hop) => {
    const { type, target } = hop;
    const named = type === "vpn" ? tunnelOf(target) : undefined;
    const tunnel = named ?? (type === "vpn" || type === "interface" ? tunnelOn.get(target) : undefined);
    const proxy = type === "proxy" ? proxyOf(target) : undefined;
    const link = tunnel ?? proxy;
    if (link) {
      const { up, reason } = state(link);
      const isUp = assumed[target] ?? assumed[link.name] ?? up;
      return {
        type,
        target,
        interface: tunnel ? tunnel.interface : proxyInterface(link),
        up: isUp,
        ...(!isUp && { reason }),
        ...(tunnel && { weight: tunnel.weight }),
        own: { kind: tunnel ? "tunnel" : "proxy", id: link.id },
      };
    }
    // Whoever names an uplink as a tunnel, or a LAN, has mistyped: packets would be in the clear.
    if (type === "vpn" ? reserved.has(target) : type !== "interface") return undefined;
    // Stored before such names were refused. In a rule it would end its quotes.
    if (!isInterfaceName(target)) return undefined;
    const up = assumed[target] ?? links.get(target)?.up;
    return up === undefined ? undefined : { type, target, interface: target, up };
  };
}

function finder<T extends { readonly id: string; readonly name: string }>(
  all: readonly T[],
): (word: string) => T | undefined {
  const byWord = new Map([...all.map((it) => [it.name, it] as const), ...all.map((it) => [it.id, it] as const)]);
  return (word) => byWord.get(word);
}

/** A tunnel's keys are known to its server once: it cannot be in two places. The first policy that needs it says where. */
function nestingOf(policies: readonly IntentPolicy[], known: Known): Map<string, Nesting> {
  const places = new Map<string, Nesting>();
  for (const { id: policyId, hops, splitting } of policies)
    for (const [position, hop] of hops.entries()) {
      const own = known(hop)?.own;
      if (!own || places.has(own.id)) continue;
      const before = position === 0 || isSplit({ hops, splitting }) ? undefined : hops[position - 1]!;
      // Behind a hop that nobody knows, or that is gone, is not by the uplink: its server would see who we are.
      places.set(own.id, {
        outerHop: before ? { interface: known(before)?.interface ?? hopKey(before) } : null,
        policyId,
      });
    }
  return places;
}

/** Splitting needs several vpn hops; anything else is a chain. */
export const isSplit = ({ hops, splitting }: Pick<IntentPolicy, "hops" | "splitting">): boolean =>
  splitting && hops.length > 1 && hops.every(({ type }) => type === "vpn");
