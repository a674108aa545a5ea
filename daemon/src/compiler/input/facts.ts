import { because, type Reason } from "@portcullis/contract/reason";
import type { Hop } from "@portcullis/contract/subsystems/routing";
import { isInterfaceName } from "@portcullis/contract/values";
import { type Intent, type IntentPolicy, type IntentProxy, type IntentTunnel, outsideOf } from "./intent.ts";
import { inOrder } from "./policy-order.ts";

/** The observed state with the state of each hop. Plain data, so that a test can write it down. */
export interface Facts extends ObservedState {
  /** The interface of each hop, and whether it is up. A hop that is not listed has no egress. */
  readonly hops: readonly HopFact[];
}

/** What the monitors, the health checks and the hostname lookups have found. */
export interface ObservedState {
  readonly links: readonly Link[];
  /** Of tunnels, proxies and uplinks, by id or interface. A link that is missing here was not probed yet. */
  readonly conditions?: Readonly<Record<string, Condition>>;
  /** Hostnames of servers → addresses. */
  readonly addresses?: Readonly<Record<string, string>>;
  /** Previous addresses of hostnames: connections to them may still exist. */
  readonly former?: Readonly<Record<string, readonly string[]>>;
  /** Decrypted. They never leave the memory of the daemon. */
  readonly secrets?: Readonly<Record<string, string>>;
}

export interface Condition {
  readonly isUp: boolean;
  readonly reason: Reason;
}

export interface Link {
  readonly name: string;
  /** An interface that is created again has another one. */
  readonly index?: number;
  readonly up: boolean;
  /** false: the kernel accepts no IPv6 route through it. */
  readonly ipv6?: boolean;
  readonly mtu?: number;
  /** The interface below it, of a VLAN. */
  readonly lower?: string;
  /** The id of a VLAN interface. */
  readonly vlan?: number;
  /** Of its default route, by family; a tunnel needs none. */
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
  readonly reason?: Reason;
  /** Its share of split connections, relative to the other members. */
  readonly weight?: number;
  /** Of a tunnel or proxy of the gateway, which can be nested in another hop. A foreign interface cannot. */
  readonly own?: OwnHop;
}

export interface OwnHop {
  readonly kind: "tunnel" | "proxy";
  readonly id: string;
  /** The hop through which its own packets leave; null: by the uplink. There is only one. */
  readonly outerHop: { readonly interface: string } | null;
  /** The policy that decides this: the first that uses the hop. */
  readonly policyId: string;
}

export type FactsInput = Pick<
  Intent,
  "policies" | "waiting" | "disabledPolicies" | "tunnels" | "proxies" | "network" | "uplinks"
>;

/**
 * Resolves every hop: to the tunnel or proxy of that id or name, or else to the interface of that name, which another
 * program has created. `assumed` overrides the state of a target.
 */
export function factsFor(
  intent: FactsInput,
  observed: ObservedState,
  assumed: Readonly<Record<string, boolean>> = {},
): Facts {
  const known = knownHops(intent, observed, assumed);
  // Disabled policies count too: disabling one must not make the server of its last hop be contacted by the uplink. Those that
  // wait for their schedule count as those in force: no tunnel moves because a schedule begins or ends.
  const enabled = [...intent.policies, ...(intent.waiting ?? [])];
  const nesting = nestingOf([...inOrder(enabled), ...inOrder(intent.disabledPolicies)], known);
  const distinct = new Map<string, Hop>();
  for (const { hops } of [...enabled, ...intent.disabledPolicies])
    for (const hop of hops) distinct.set(hopKey(hop), hop);
  const hops = [...distinct.values()].flatMap((hop) => {
    const found = known(hop);
    if (!found) return [];
    const { own, ...fact } = found;
    return [{ ...fact, ...(own && { own: { ...own, ...nesting.get(own.id)! } }) }];
  });
  return { ...observed, hops };
}

export const hopKey = ({ type, target }: { readonly type: string; readonly target: string }): string =>
  `${type} ${target}`;

/** A proxy has no interface; this name stands for it. */
export const proxyInterface = ({ name }: Pick<IntentProxy, "name">): string => `proxy ${name}`;

/** Names of proxies and of unknown hops contain a space, which no interface name does. */
export const isInterface = (name: string): boolean => !name.includes(" ");

type Nesting = Pick<OwnHop, "outerHop" | "policyId">;

type Known = (hop: Hop) => (Omit<HopFact, "own"> & { readonly own?: Omit<OwnHop, keyof Nesting> }) | undefined;

function knownHops(
  { tunnels, proxies, network, uplinks }: FactsInput,
  observed: ObservedState,
  assumed: Readonly<Record<string, boolean>>,
): Known {
  const links = new Map(observed.links.map((link) => [link.name, link]));
  const reserved = new Set([...network.lan, ...outsideOf(network), ...uplinks.list.map((it) => it.interface)]);
  const tunnelOf = finder(tunnels);
  // A hop that names a tunnel's interface is that tunnel: as a foreign interface, it could be nested in itself.
  const tunnelOn = new Map(tunnels.map((it) => [it.interface, it]));
  const proxyOf = finder(proxies.filter(({ kind }) => kind === "upstream"));
  const state = (own: IntentTunnel | IntentProxy): { up: boolean; reason: Reason } => {
    if (!own.enabled) return { up: false, reason: because("link_disabled") };
    const condition = observed.conditions?.[own.id];
    return { up: condition?.isUp === true, reason: condition?.reason ?? because("link_unknown") };
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
    // An uplink or LAN as a vpn hop is a mistake of the operator: packets would leave in the clear.
    if (type === "vpn" ? reserved.has(target) : type !== "interface") return undefined;
    // Stored before such names were rejected. In an nft rule it would end the quotes.
    if (!isInterfaceName(target)) return undefined;
    const up = assumed[target] ?? links.get(target)?.up;
    return up === undefined ? undefined : { type, target, interface: target, up };
  };
}

function finder<T extends { readonly id: string; readonly name: string }>(
  all: readonly T[],
): (nameOrId: string) => T | undefined {
  const byNameOrId = new Map([...all.map((it) => [it.name, it] as const), ...all.map((it) => [it.id, it] as const)]);
  return (nameOrId) => byNameOrId.get(nameOrId);
}

/** A server knows the keys of a tunnel once, so it cannot be nested in two hops. The first policy that uses it decides. */
function nestingOf(policies: readonly IntentPolicy[], known: Known): Map<string, Nesting> {
  const nesting = new Map<string, Nesting>();
  for (const { id: policyId, hops, splitting } of policies)
    for (const [position, hop] of hops.entries()) {
      const own = known(hop)?.own;
      if (!own || nesting.has(own.id)) continue;
      const before = position === 0 || isSplit({ hops, splitting }) ? undefined : hops[position - 1]!;
      // An unknown or removed outer hop does not mean the uplink: the server would see the gateway's own address.
      nesting.set(own.id, {
        outerHop: before ? { interface: known(before)?.interface ?? hopKey(before) } : null,
        policyId,
      });
    }
  return nesting;
}

/** Splitting needs several vpn hops; anything else is a chain. */
export const isSplit = ({ hops, splitting }: Pick<IntentPolicy, "hops" | "splitting">): boolean =>
  splitting && hops.length > 1 && hops.every(({ type }) => type === "vpn");
