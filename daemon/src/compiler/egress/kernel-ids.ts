import { lastPlan } from "../../engines/nftables/marks.model.ts";
import { blockEgress, directEgress, localEgress } from "../../engines/nftables/nftables.model.ts";
import type { Decisions } from "../policy/decide.ts";
import type { Intent } from "../input/intent.ts";
import { directName, localName, type Egresses } from "./egresses.ts";

/**
 * Names of objects that the kernel knows by number. The ledger allocates the numbers and keeps them: a number that changed its
 * meaning would keep existing flows on the wrong path.
 */
export interface KernelIds {
  readonly plans: ReadonlyMap<string, number>;
  readonly egresses: ReadonlyMap<string, number>;
  readonly domains: ReadonlyMap<string, number>;
  /** Upstream proxy → port on the gateway that connections through it are redirected to. */
  readonly redirectors: ReadonlyMap<string, number>;
}

export interface NeededIds {
  readonly plans: readonly string[];
  readonly egresses: readonly string[];
  readonly domains: readonly string[];
  readonly redirectors: readonly string[];
}

/** The range of numbers for each kind of name. */
export const pools = {
  plans: { kind: "plan", first: 1, last: lastPlan },
  egresses: { kind: "egress", first: 0x02, last: 0xef },
  domains: { kind: "domain", first: 1, last: 0xffff },
  redirectors: { kind: "redirector", first: 17_000, last: 17_499 },
} as const;

interface Pool {
  readonly kind: string;
  readonly first: number;
  readonly last: number;
}

/** Allocates a number of a pool for each name. */
export type Take = (pool: Pool, names: readonly string[]) => ReadonlyMap<string, number>;

export const allocateIds = ({ plans, egresses, domains, redirectors }: NeededIds, take: Take): KernelIds => ({
  plans: take(pools.plans, plans),
  egresses: take(pools.egresses, egresses),
  domains: take(pools.domains, domains),
  redirectors: take(pools.redirectors, redirectors),
});

/** A plan is what a policy requests, whichever hops are up: a fail-over changes the egress of the plan, not the plan. */
export const planName = ({
  hops,
  failPolicy,
  splitting,
}: {
  hops: readonly { type: string; target: string }[];
  failPolicy: string;
  splitting: boolean;
}): string =>
  [
    ...hops.map(({ type, target }) => `${type}:${JSON.stringify(target)}`),
    failPolicy,
    ...(splitting ? ["split"] : []),
  ].join(" ");

export const specialPlans = ["local", "failover_exhausted", "tunnel_required", "unmatched"] as const;

export const neededIds = (
  ranked: Decisions["ranked"],
  { egresses, splits }: Egresses,
  proxies: Intent["proxies"],
): NeededIds => ({
  plans: [...new Set([...specialPlans, ...ranked.map(({ policy }) => planName(policy))])],
  egresses: [...egresses, ...splits].map(({ name }) => name).filter((name) => name !== directName),
  domains: ranked.filter(({ policy }) => policy.sourceType === "domain").map(({ policy }) => policy.id),
  redirectors: proxies.filter(({ kind }) => kind === "upstream").map(({ id }) => id),
});

export function egressNumber(name: string, { egresses }: KernelIds): number {
  if (name === directName) return directEgress;
  if (name === localName) return localEgress;
  return egresses.get(name) ?? blockEgress;
}
