import type { DnsLogEntry } from "@portcullis/contract/subsystems/dns-log";

/** A domain that a device queried, with its last verdict. */
export interface QueriedDomain {
  readonly name: string;
  readonly count: number;
  readonly last: string;
  readonly verdict: DnsLogEntry["verdict"];
  readonly cause: string | null;
}

type Entry = Pick<DnsLogEntry, "name" | "timestamp" | "verdict" | "cause">;

/** Each domain once, by its last query. The log is newest first. */
export function queriedDomains(log: readonly Entry[]): QueriedDomain[] {
  const counts = new Map<string, number>();
  for (const { name } of log) counts.set(name, (counts.get(name) ?? 0) + 1);
  const named = new Set<string>();
  return log.flatMap(({ name, timestamp, verdict, cause }) => {
    if (named.has(name)) return [];
    named.add(name);
    return [{ name, count: counts.get(name)!, last: timestamp, verdict, cause: cause?.name ?? null }];
  });
}

/** The most queried domains; of two with equal counts, the later one. */
export const topDomains = (names: readonly QueriedDomain[], max: number): QueriedDomain[] =>
  names.toSorted((a, b) => b.count - a.count || (a.last < b.last ? 1 : -1)).slice(0, max);

export const isStopped = (verdict: DnsLogEntry["verdict"]): boolean =>
  verdict === "block" || verdict === "cname" || verdict === "rebind";
