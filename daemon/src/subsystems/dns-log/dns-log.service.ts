import { parseAddress, formatAddress } from "../../net/addresses.ts";
import { pageLimit } from "@portcullis/contract/collection";
import type { InputOf, Page } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { DnsClient, dnsLog, DnsLogEntry, DnsStatistics } from "@portcullis/contract/subsystems/dns-log";
import type { DnsLog } from "../../ledger/dns-log.ts";
import {
  type DnsAnswer,
  type DnsCause,
  type DnsRow,
  type DnsSide,
  type LoggedAnswer,
  refusals,
} from "../../ledger/dns-log-pages.ts";
import { match, requireReference } from "../lookup.ts";
import { decodeNumber, encodeCursor, pageByNumber } from "../resources.ts";
import { rcodeName, typeNumber, typeName } from "./dns-numbers.ts";

/** How much of a client's queries is logged. `none`: not even the counters. */
export type LogLevel = "full" | "counts" | "none";

/** An answer as a frontend reports it. `up`: a query of the resolver itself to an upstream. */
export type ReportedAnswer = Omit<DnsAnswer, "side"> & {
  readonly side: DnsSide | "up";
  readonly by: Decider | null;
};

/** A position in the filter policy of one revision. Another revision may have another rule at this position. */
export type Decider = { readonly revision: number | null } & (
  | { readonly kind: "rule"; readonly index: number }
  | { readonly kind: "list"; readonly bit: number }
);

/** The cause of an answer whose filter policy is not known any more. */
const sinceChanged: DnsCause = { resource_type: "unknown", resource_id: "", name: "rule since changed" };

interface Needs {
  readonly log: DnsLog;
  readonly levelOf: (address: string) => LogLevel;
  /** The level of current queries: a new device may not be known yet. */
  readonly levelNow: (address: string) => LogLevel;
  readonly deviceOf: (address: string) => { readonly id: string; readonly name: string } | undefined;
  /** Undefined when the revision is not known any more. */
  readonly causeOf: (decider: Decider) => DnsCause | undefined;
  /** Answers that were lost before they reached the log. */
  readonly droppedBefore: () => number;
  /** Receives the answers that were logged, at least in the counters. */
  readonly onLogged: (answers: readonly LoggedAnswer[]) => void;
  readonly nowMs: () => number;
}

export function dnsLogService({ log, levelOf, levelNow, deviceOf, causeOf, droppedBefore, onLogged, nowMs }: Needs) {
  let names: { readonly atMs: number; readonly found: ReturnType<DnsLog["names"]> } | undefined;

  /** Of all clients whose level is not none, since the daemon started. Clearing the log does not change them. */
  const counted = { queries: 0, blocked: 0, cached: 0 };

  const deviceFields = (address: string) => {
    const device = deviceOf(address);
    return { device_id: device?.id ?? null, device_name: device?.name ?? null };
  };

  /** Logs each answer as the log level of its client allows. */
  function take(answers: readonly ReportedAnswer[]): void {
    const levels = new Map<string, LogLevel>();
    const written: LoggedAnswer[] = [];
    for (const { by, side, ...answer } of answers) {
      if (side === "up") continue;
      const keep = levels.get(answer.client) ?? levelNow(answer.client);
      levels.set(answer.client, keep);
      if (keep !== "none") written.push({ ...answer, side, keep, cause: by && (causeOf(by) ?? sinceChanged) });
    }
    if (written.length > 0) log.write(written);
    if (written.length > 0) onLogged(written);
    counted.queries += written.length;
    counted.blocked += written.filter(({ verdict }) => refusals.includes(verdict)).length;
    counted.cached += written.filter(({ side }) => side === "cache").length;
  }

  /** After a change of levels: removes logged data that the new level of a client does not allow. */
  async function applyLevels(): Promise<void> {
    const clients = log.clients().map((it) => ({ ...it, level: levelOf(it.address) }));
    const unknown = clients.filter(({ level }) => level === "none");
    const nameless = clients.filter(({ level, hasRows }) => level === "counts" && hasRows);
    if (unknown.length + nameless.length > 0) names = undefined;
    if (unknown.length > 0) await log.forget(unknown.map(addressOf), "everything");
    if (nameless.length > 0) await log.forget(nameless.map(addressOf), "rows");
  }

  async function list({ query }: InputOf<typeof dnsLog.list>): Promise<Page<DnsLogEntry>> {
    const { limit = pageLimit.default, cursor, client, name, type, verdict, since, until, after } = query;
    const found = await log.search({
      clients: client === undefined ? undefined : addressesOf(client),
      name: name === undefined ? undefined : written(name),
      type:
        type === undefined
          ? undefined
          : (typeNumber(type) ?? refuse("type", "must be a record type, such as A, AAAA, TYPE65 or 65")),
      verdict,
      sinceMs: since === undefined ? undefined : timeOf("since", since),
      untilMs: until === undefined ? undefined : timeOf("until", until),
      before: cursor === undefined ? undefined : decodeNumber(cursor),
      after,
      limit: limit + 1,
    });
    const items = found.slice(0, limit).map((row) => ({ ...entryOf(row), ...deviceFields(row.client) }));
    const isMore = found.length > limit && after === undefined;
    return { items, next: isMore ? encodeCursor(String(items.at(-1)!.id)) : undefined };
  }

  /** A device may have had several addresses; the current ones count. */
  function addressesOf(word: string): readonly string[] {
    const address = parseAddress(word);
    if (address) return [formatAddress(address)];
    const clients = log.clients().map(addressOf);
    const devices = new Map(clients.flatMap((it) => deviceOf(it) ?? []).map((device) => [device.id, device]));
    const named = { get: (id: string) => devices.get(id), all: () => [...devices.values()] };
    // A device that never sent a query has no entries, which is not an error.
    if (match(named, word).kind === "none") return [];
    const { id } = requireReference(named, "query.client", word);
    return clients.filter((it) => deviceOf(it)?.id === id);
  }

  function clients({ query }: InputOf<typeof dnsLog.clients>): Page<DnsClient> {
    const rows = log.clients().map((it, index) => ({ ...it, index }));
    const { items, ...rest } = pageByNumber(rows, ({ index }) => index, query);
    return {
      ...rest,
      items: items.map(({ address, queries, blocked, cached, firstMs, lastMs }) => ({
        address,
        ...deviceFields(address),
        log_level: levelOf(address),
        queries,
        blocked,
        cached,
        first_seen: timestamp(firstMs),
        last_seen: timestamp(lastMs),
      })),
    };
  }

  async function statistics({
    query: { top = topDefault },
  }: InputOf<typeof dnsLog.statistics>): Promise<DnsStatistics> {
    // Cached: an open page requests it repeatedly.
    if (!names || nowMs() - names.atMs > namesFreshMs) names = { atMs: nowMs(), found: log.names(namesRows) };
    const { rows, names: counted } = await names.found;
    const minutes = log.minutes().map(({ atMs, ...counts }) => ({ timestamp: timestamp(atMs), ...counts }));
    const total = (field: "queries" | "blocked" | "cached") => minutes.reduce((sum, it) => sum + it[field], 0);
    const size = log.size();
    return {
      queries: total("queries"),
      blocked: total("blocked"),
      cached: total("cached"),
      minutes,
      top_names: largest(counted, top, ({ queries }) => queries).map(({ name, queries }) => ({ name, queries })),
      top_blocked: largest(counted, top, ({ blocked }) => blocked).map(({ name, blocked }) => ({
        name,
        queries: blocked,
      })),
      top_names_rows: rows,
      top_clients: largest(log.clients(), top, ({ queries }) => queries).map(
        ({ address, queries, blocked, cached }) => ({
          client: address,
          ...deviceFields(address),
          queries,
          blocked,
          cached,
        }),
      ),
      log: { rows: size.rows, rows_kept: size.rowsKept, lost: size.lost + droppedBefore() },
    };
  }

  async function clear(client: string | undefined): Promise<void> {
    names = undefined;
    if (client === undefined) log.clear();
    else await log.forget(addressesOf(client), "everything");
  }

  return { counted: () => ({ ...counted }), take, applyLevels, list, clients, statistics, clear };
}

const topDefault = 10;
const namesRows = 100_000;
const namesFreshMs = 15_000;

const addressOf = ({ address }: { readonly address: string }): string => address;

const timestamp = (ms: number): string => new Date(ms).toISOString();

function timeOf(field: string, text: string): number {
  const ms = new Date(text).getTime();
  return Number.isNaN(ms) ? refuse(field, "is not a valid time") : ms;
}

/** The form of names in the log: lower case, without the final dot. A leading dot is kept. */
const written = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^\*(?=\.)/, "")
    .replace(/(?<=.)\.$/, "");

const refuse = (field: string, problem: string): never => {
  throw new Problem(
    "invalid_request",
    { fields: [{ field: `query.${field}`, problem }] },
    { message: `query.${field}: ${problem}` },
  );
};

const entryOf = ({
  id,
  atMs,
  client,
  name,
  type,
  rcode,
  verdict,
  cause,
  side,
  resolver,
  latencyUs,
  answers,
}: DnsRow) => ({
  id,
  timestamp: timestamp(atMs),
  client,
  name,
  type: typeName(type),
  rcode: rcodeName(rcode),
  verdict,
  cause,
  answered_by: answeredBy[side],
  egress_number: resolver,
  latency_ms: latencyUs / 1000,
  answers,
});

const answeredBy = { cache: "cache", self: "gateway", front: "resolver" } as const;

const largest = <T>(all: readonly T[], count: number, size: (it: T) => number): readonly T[] =>
  all
    .filter((it) => size(it) > 0)
    .toSorted((a, b) => size(b) - size(a))
    .slice(0, count);
