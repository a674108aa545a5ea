import type { ProtectedSources } from "../../engines/nftables/sources/sources.model.ts";
import { type RangesByFamily, rangeKey } from "../policy/address-ranges.ts";
import { type Decisions, effectiveRank, unmatched } from "../policy/decide.ts";
import type { Facts } from "../input/facts.ts";
import { type Network, outsideOf } from "../input/intent.ts";
import { lastHopsIn } from "./egresses.ts";

/**
 * Senders of whom no packet may leave by an uplink, whatever its destination. A policy by destination or domain that leaves
 * by an uplink and decides before the sender's own policy takes the sender out: the guard does not know destinations.
 * Exceptions are not considered here; their packets have marks of their own.
 */
export function protectedSources(
  { ranked, byMac, bySource }: Pick<Decisions, "ranked" | "byMac" | "bySource">,
  network: Network,
  { hops }: Pick<Facts, "hops">,
): ProtectedSources {
  const open = openRanks(ranked, network, hops);
  const byTarget = ranked.filter(({ policy }) => policy.sourceType === "destination" || policy.sourceType === "domain");
  const firstTarget = lowest(byTarget.map(effectiveRank).filter((rank) => open.has(rank)));
  const isProtected = (rank: number, before: number): boolean => !open.has(rank) && rank < before;

  const all = [...bySource].flatMap(([name, { v4, v6 }]) => [...rows(name, v4, 4), ...rows(name, v6, 6)]);
  const firstSource = lowest(all.map(({ rank }) => rank).filter((rank) => open.has(rank)));
  const ranges = all.filter(({ rank }) => isProtected(rank, firstTarget));
  const last = ranges.reduce((highest, { rank }) => Math.max(highest, rank), 0);

  const senders = [...byMac];
  return {
    macs: senders.filter(([, rank]) => isProtected(rank, Math.min(firstTarget, firstSource))).map(([mac]) => mac),
    exempt: senders.filter(([, rank]) => open.has(rank) && rank < last).map(([mac]) => mac),
    v4: ranges.filter(({ family }) => family === 4).map(({ key }) => key),
    v6: ranges.filter(({ family }) => family === 6).map(({ key }) => key),
  };
}

/** Ranks by which packets leave by an uplink, or would if hops were down. */
function openRanks(ranked: Decisions["ranked"], network: Network, hops: Facts["hops"]): Set<number> {
  const outside = new Set(outsideOf(network));
  const lastHops = lastHopsIn(hops);
  const isOpen = ({ policy }: Decisions["ranked"][number]): boolean =>
    policy.failPolicy === "fail-open" || lastHops(policy).some(({ name }) => outside.has(name));
  return new Set([
    ...ranked.filter(isOpen).map(({ rank }) => rank),
    ...(network.defaultEgress === "direct" ? [unmatched] : []),
  ]);
}

const lowest = (ranks: readonly number[]): number => ranks.reduce((least, rank) => Math.min(least, rank), Infinity);

const rows = (name: string, cells: RangesByFamily["v4"], family: 4 | 6) =>
  cells.map(({ first, last, rank }) => ({ family, rank, key: `"${name}" . ${rangeKey(first, last, family)}` }));
