import type { Decisions } from "../policy/decide.ts";
import { type Facts, hopKey, isInterface, isSplit } from "../input/facts.ts";
import type { Intent, IntentPolicy } from "../input/intent.ts";
import type { Outcome } from "../policy/outcome.ts";

/** A way out, by the name its number is kept under. */
export interface Egress {
  readonly name: string;
  /** What carries it, the preferred one first. None: nothing leaves by it but what is handed to a proxy. */
  readonly interfaces: readonly string[];
}

/** Connections spread over several ways. */
export interface Split {
  readonly name: string;
  readonly members: readonly { readonly name: string; readonly weight: number }[];
}

export interface Egresses {
  readonly egresses: readonly Egress[];
  readonly splits: readonly Split[];
}

/** No interface has a slash in its name, and no other way begins like this: a tunnel may well be called "direct". */
export const directName = "/direct";
export const blockName = "/block";
export const localName = "/local";

/**
 * Every way there is: the uplinks, each tunnel, whether a policy uses it now or not (it is probed, and what it says
 * itself must have a way), whatever a hop runs inside of, and what else policies lead to.
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
  // Also where a policy would lead if its hops were up: what belongs to a way, its resolver first of all, outlives its outages.
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

/** What a policy leads to in the end, whether that carries packets now or not. */
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
      // With several uplinks a connection keeps the one it began by, also when another is preferred meanwhile.
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

/** What people call their proxies comes last: whatever they choose, two ways never have one name. */
export const egressNameVia = (name: string, failsOpen: boolean): string =>
  failsOpen ? `${directName} or ${name}` : name;
