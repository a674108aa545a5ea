import type { DnsLogEntry } from "@portcullis/contract/subsystems/dns-log";

/** A name a device asked for, with what became of it the last time. */
export interface AskedName {
  readonly name: string;
  readonly count: number;
  readonly last: string;
  readonly verdict: DnsLogEntry["verdict"];
  readonly cause: string | null;
}

type Entry = Pick<DnsLogEntry, "name" | "timestamp" | "verdict" | "cause">;

/** Each name once, in the order of its last question. The log is newest first. */
export function askedNames(log: readonly Entry[]): AskedName[] {
  const counts = new Map<string, number>();
  for (const { name } of log) counts.set(name, (counts.get(name) ?? 0) + 1);
  const named = new Set<string>();
  return log.flatMap(({ name, timestamp, verdict, cause }) => {
    if (named.has(name)) return [];
    named.add(name);
    return [{ name, count: counts.get(name)!, last: timestamp, verdict, cause: cause?.name ?? null }];
  });
}

/** What it asks for most; of two that are asked for equally often, the one asked for later. */
export const topNames = (names: readonly AskedName[], most: number): AskedName[] =>
  names.toSorted((a, b) => b.count - a.count || (a.last < b.last ? 1 : -1)).slice(0, most);

export const isStopped = (verdict: DnsLogEntry["verdict"]): boolean =>
  verdict === "block" || verdict === "cname" || verdict === "rebind";
