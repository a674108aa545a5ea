export interface FrontendStatistics {
  readonly servers: readonly ServerStatistics[];
  readonly cache: { readonly entries: number; readonly hits: number; readonly misses: number };
}

export interface ServerStatistics {
  /** As configured; `unbound`, `auth` and `external` are ours. */
  readonly name: string;
  readonly isUp: boolean;
  /** Of about the last hundred answers. */
  readonly latencyMs: number;
  readonly queries: number;
  /** Queries without an answer. */
  readonly drops: number;
  readonly outstanding: number;
}

/** The script has everything but the number of queries; the table of `showServers` has that, in the same order. */
export function parseStatistics(json: string, table: string): FrontendStatistics {
  const { servers, cache } = JSON.parse(json) as {
    servers: readonly (Omit<ServerStatistics, "queries"> & { isLeaving: boolean })[];
    cache: FrontendStatistics["cache"];
  };
  const [header = "", ...rows] = table.split("\n");
  // Names are cut and versions have other columns, but numbers end where the word above them does.
  const end = header.indexOf(column) + column.length;
  const queries = rows.filter((row) => /^\d/.test(row)).map((row) => Number(/\d+$/.exec(row.slice(0, end))?.[0] ?? 0));
  return {
    servers: servers.flatMap(({ isLeaving, ...server }, index) =>
      isLeaving ? [] : [{ ...server, queries: queries[index] ?? 0 }],
    ),
    cache,
  };
}

const column = "Queries";

export interface CacheListing {
  /** How many there are, also beyond those that are listed. */
  readonly count: number;
  readonly entries: readonly CacheEntry[];
}

export interface CacheEntry {
  readonly name: string;
  readonly type: string;
  readonly ttlSec: number;
  readonly rcode: number;
}

export function parseCached(json: string): CacheListing {
  const { count, lines } = JSON.parse(json) as { count: number; lines: readonly string[] };
  return {
    count,
    entries: lines.flatMap((line) => {
      const [, name, ttl, type, rcode] = cachedLine.exec(line) ?? [];
      return name === undefined ? [] : [{ name, type: type!, ttlSec: Math.max(0, Number(ttl)), rcode: Number(rcode) }];
    }),
  };
}

/** Newer versions have the class before the type, and for whose network it is before the code. */
const cachedLine = /^(\S+)\. (-?\d+) (?:IN )?(\S+) +;(?: ecs [^,]*,)? rcode (\d+),/;
