import type { Row } from "./database.ts";
import type { LogFile } from "./dns-log-file.ts";

/** The criteria of a search in the log. */
export interface LogSearch {
  /** Ids of clients; an empty list finds nothing. */
  readonly clients?: readonly number[] | undefined;
  /** Part of a name; with a leading dot, the domain and its subdomains. Lower case. */
  readonly name?: string | undefined;
  readonly type?: number | undefined;
  readonly verdict?: number | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** Only rows older than this id, newest first, */
  readonly before?: number | undefined;
  /** or only newer rows, oldest first, so that a client that follows the log misses none. */
  readonly after?: number | undefined;
  readonly limit: number;
}

export interface Span {
  readonly first: number;
  last: number;
  minMs: number;
  maxMs: number;
}

export const spanRows = 8192;

interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** The ranges that can contain matches, in the order of the search. */
export function rangesOf(spans: readonly Span[], search: Omit<LogSearch, "limit">): readonly RowRange[] {
  const { sinceMs = -Infinity, untilMs = Infinity, before = Infinity, after = 0 } = search;
  const found = spans
    .filter(({ minMs, maxMs }) => maxMs >= sinceMs && minMs < untilMs)
    .map(({ first, last }) => ({ first: Math.max(first, after + 1), last: Math.min(last, before - 1) }))
    .filter(({ first, last }) => first <= last);
  return search.after === undefined ? found.toReversed() : found;
}

/** A search of one range takes about a millisecond. */
export function findIn(file: LogFile, { first, last }: RowRange, search: LogSearch, left: number): readonly Row[] {
  const { conditions, values } = conditionsOf(search);
  const order = search.after === undefined ? "DESC" : "ASC";
  const where = ["id BETWEEN ? AND ?", ...conditions].join(" AND ");
  return file.all(`SELECT * FROM answer WHERE ${where} ORDER BY id ${order} LIMIT ?`, first, last, ...values, left);
}

/** Cheap conditions come first. */
function conditionsOf({ clients, name, type, verdict, sinceMs, untilMs }: LogSearch): {
  readonly conditions: readonly string[];
  readonly values: readonly (string | number)[];
} {
  const all: [string, ...(string | number)[]][] = [];
  if (sinceMs !== undefined) all.push(["at_ms >= ?", sinceMs]);
  if (untilMs !== undefined) all.push(["at_ms < ?", untilMs]);
  if (clients?.length === 1) all.push(["client = ?", clients[0]!]);
  else if (clients) all.push(["client IN (SELECT value FROM json_each(?))", JSON.stringify(clients)]);
  if (verdict !== undefined) all.push(["verdict = ?", verdict]);
  if (type !== undefined) all.push(["type = ?", type]);
  if (name !== undefined) all.push(["instr(name, ?) > 0", name.replace(/^\./, "")]);
  if (name?.startsWith(".")) all.push(["(name = ? OR substr(name, ?) = ?)", name.slice(1), -name.length, name]);
  return { conditions: all.map(([sql]) => sql), values: all.flatMap(([, ...values]) => values) };
}
