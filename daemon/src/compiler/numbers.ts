import { lastPlan } from "../engines/nftables/marks.model.ts";
import { blockEgress, directEgress, localEgress } from "../engines/nftables/nftables.model.ts";
import type { Decisions } from "./decide.ts";
import type { Outcome } from "./outcome.ts";

/**
 * Names of things the kernel knows by number. Numbers are handed out by the ledger and kept: one that meant another
 * thing yesterday would keep yesterday's flows on the wrong path.
 */
export interface Numbers {
  readonly plans: ReadonlyMap<string, number>;
  readonly egresses: ReadonlyMap<string, number>;
  readonly domains: ReadonlyMap<string, number>;
}

export interface Wanted {
  readonly plans: readonly string[];
  readonly egresses: readonly string[];
  readonly domains: readonly string[];
}

/** Which numbers there are for which kind of name. */
export const pools = {
  plans: { kind: "plan", first: 1, last: lastPlan },
  egresses: { kind: "egress", first: 0x02, last: 0xef },
  domains: { kind: "domain", first: 1, last: 0xffff },
} as const;

type Pool = (typeof pools)[keyof typeof pools];

/** Each name with its number, from wherever numbers come. */
export const numbered = (
  { plans, egresses, domains }: Wanted,
  take: (pool: Pool, names: readonly string[]) => ReadonlyMap<string, number>,
): Numbers => ({
  plans: take(pools.plans, plans),
  egresses: take(pools.egresses, egresses),
  domains: take(pools.domains, domains),
});

/** An egress and the interface that carries it; a split is carried by its members. */
export type Egress =
  | { readonly kind: "way"; readonly name: string; readonly interface: string; readonly failsOpen: boolean }
  | { readonly kind: "split"; readonly name: string; readonly members: readonly string[] };

export const directName = "direct";
export const blockName = "block";
export const localName = "local";

/** The egress of an outcome, by name. */
export function egressName(outcome: Outcome): string {
  switch (outcome.kind) {
    case "block":
    case "pass":
      return blockName;
    case "direct":
      return directName;
    case "local":
      return localName;
    case "egress":
      return wayName(outcome.interface, outcome.failsOpen);
    case "split":
      return `split ${outcome.interfaces.map((name) => wayName(name, outcome.failsOpen)).join(", ")}`;
  }
}

const wayName = (name: string, failsOpen: boolean): string => (failsOpen ? `${name} or direct` : name);

/** Every egress some policy uses now, members of splits included. */
export function egressesOf({ ranked }: Pick<Decisions, "ranked">): Egress[] {
  const all = new Map<string, Egress>();
  const way = (name: string, failsOpen: boolean) =>
    all.set(wayName(name, failsOpen), { kind: "way", name: wayName(name, failsOpen), interface: name, failsOpen });
  for (const { outcome } of ranked) {
    if (outcome.kind === "egress") way(outcome.interface, outcome.failsOpen);
    if (outcome.kind !== "split") continue;
    for (const name of outcome.interfaces) way(name, outcome.failsOpen);
    const name = egressName(outcome);
    all.set(name, { kind: "split", name, members: outcome.interfaces.map((it) => wayName(it, outcome.failsOpen)) });
  }
  return [...all.values()];
}

/** A plan is what a policy wants, whatever carries it now: a fail-over changes where the plan leads, not which plan it is. */
export const planName = ({
  hops,
  failPolicy,
  splitting,
}: {
  hops: readonly { type: string; target: string }[];
  failPolicy: string;
  splitting: boolean;
}): string =>
  [...hops.map(({ type, target }) => `${type}:${target}`), failPolicy, ...(splitting ? ["split"] : [])].join(" ");

export const specialPlans = ["local", "exhausted", "demanded", "unmatched"] as const;

export const wanted = (decisions: Pick<Decisions, "ranked">): Wanted => ({
  plans: [...new Set([...specialPlans, ...decisions.ranked.map(({ policy }) => planName(policy))])],
  egresses: egressesOf(decisions).map(({ name }) => name),
  domains: decisions.ranked.filter(({ policy }) => policy.sourceType === "domain").map(({ policy }) => policy.id),
});

export function egressNumber(name: string, { egresses }: Numbers): number {
  if (name === directName) return directEgress;
  if (name === localName) return localEgress;
  return egresses.get(name) ?? blockEgress;
}
