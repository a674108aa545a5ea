import type { Decisions } from "../policy/decide.ts";
import { type Facts, hopKey, isInterface, isSplit } from "../input/facts.ts";
import type { Intent, IntentPolicy } from "../input/intent.ts";
import type { Outcome } from "../policy/outcome.ts";

/** Its number is allocated for this name. */
export interface Egress {
  readonly name: string;
  /** The preferred one first. Empty: only connections that are redirected to a proxy leave. */
  readonly interfaces: readonly string[];
}

/** Connections that are spread over several egresses. */
export interface Split {
  readonly name: string;
  readonly members: readonly { readonly name: string; readonly weight: number }[];
}

export interface Egresses {
  readonly egresses: readonly Egress[];
  readonly splits: readonly Split[];
}

/** No interface name contains a slash, so these differ from every other egress: a tunnel may be called "direct". */
export const directName = "/direct";
export const blockName = "/block";
export const localName = "/local";

/**
 * Every egress: the uplinks; each tunnel, even if no policy uses it (probes and packets from its address need one); outer
 * hops; and whatever else policies use.
 */
export function egressesOf(
  ranked: Decisions["ranked"],
  { network, tunnels }: Pick<Intent, "network" | "tunnels">,
  { hops }: Pick<Facts, "hops">,
): Egresses {
  const egresses = new Map<string, Egress>();
  const splits = new Map<string, Split>();
  const add = (name: string, failsOpen: boolean, isProxy: boolean) =>
    egresses.set(egressNameVia(name, failsOpen), {
      name: egressNameVia(name, failsOpen),
      interfaces: [...(isProxy ? [] : [name]), ...(failsOpen ? [network.wan] : [])],
    });
  egresses.set(directName, { name: directName, interfaces: [network.wan] });
  if (network.uplinks.length > 1) for (const name of network.uplinks) add(name, false, false);
  for (const tunnel of tunnels) if (tunnel.enabled) add(tunnel.interface, false, false);
  for (const { own } of hops)
    if (own?.outerHop && isInterface(own.outerHop.interface)) add(own.outerHop.interface, false, false);
  // Also egresses of hops that are down: what belongs to an egress, such as its resolver, must survive an outage.
  const lastHops = lastHopsIn(hops);
  for (const { policy } of ranked)
    for (const { name, failsOpen, isProxy } of lastHops(policy)) add(name, failsOpen, isProxy);
  for (const { outcome } of ranked) {
    if (outcome.kind === "egress") add(outcome.interface, outcome.failsOpen, outcome.isProxy);
    if (outcome.kind !== "split") continue;
    for (const { interface: name } of outcome.members) add(name, outcome.failsOpen, false);
    const name = egressName(outcome, network);
    const members = outcome.members.map((it) => ({
      name: egressNameVia(it.interface, outcome.failsOpen),
      weight: it.weight,
    }));
    splits.set(name, { name, members });
  }
  return { egresses: [...egresses.values()], splits: [...splits.values()] };
}

/** The last hop of a policy, up or down. */
interface LastHop {
  readonly name: string;
  readonly isProxy: boolean;
  readonly failsOpen: boolean;
}

export function lastHopsIn(hops: Facts["hops"]): (policy: IntentPolicy) => LastHop[] {
  const known = new Map(hops.map((hop) => [hopKey(hop), hop]));
  return (policy) => {
    const last = isSplit(policy) ? policy.hops : policy.hops.slice(-1);
    return last.flatMap((hop) => {
      const fact = known.get(hopKey(hop));
      const isProxy = fact?.own?.kind === "proxy";
      return fact ? [{ name: fact.interface, isProxy, failsOpen: policy.failPolicy === "fail-open" }] : [];
    });
  };
}

/** The egress of an outcome, by name. */
export function egressName(outcome: Outcome, { uplinks, wan }: Pick<Intent["network"], "uplinks" | "wan">): string {
  switch (outcome.kind) {
    case "block":
    case "pass":
      return blockName;
    case "direct":
      // With several uplinks a connection stays on its uplink, even if another becomes active.
      return uplinks.length > 1 ? wan : directName;
    case "local":
      return localName;
    case "egress":
      return egressNameVia(outcome.interface, outcome.failsOpen);
    case "split":
      return `split ${outcome.members
        .map((it) => `${egressNameVia(it.interface, outcome.failsOpen)}${it.weight === 1 ? "" : ` × ${it.weight}`}`)
        .join(", ")}`;
  }
}

/** The operator's name of a proxy comes last, so that two egresses never have the same name. */
export const egressNameVia = (name: string, failsOpen: boolean): string =>
  failsOpen ? `${directName} or ${name}` : name;
