import type { Row } from "./database.ts";
import type { LogFile } from "./dns-log-file.ts";
import { type Span, spanRows } from "./dns-log-search.ts";

/** The file stores their index: new ones are appended. */
export const verdicts = ["none", "allow", "block", "rewrite", "cname", "rebind"] as const;
const sides = ["front", "cache", "self"] as const;
export type DnsVerdict = (typeof verdicts)[number];
export type DnsSide = (typeof sides)[number];

/** Verdicts that block a query. */
/** Verdicts that count as blocked. */
export const refusals: readonly DnsVerdict[] = ["block", "cname", "rebind"];

export interface DnsAnswer {
  readonly atMs: number;
  readonly latencyUs: number;
  readonly client: string;
  readonly name: string;
  readonly type: number;
  readonly rcode: number;
  readonly resolver: number;
  readonly side: DnsSide;
  readonly verdict: DnsVerdict;
  readonly answers: number;
}

export interface DnsCause {
  readonly resource_type: string;
  readonly resource_id: string;
  readonly name: string;
}

/** `counts`: only the counters are stored, not the name. */
export type LoggedAnswer = DnsAnswer & { readonly keep: "full" | "counts"; readonly cause: DnsCause | null };

export type DnsRow = DnsAnswer & { readonly id: number; readonly cause: DnsCause | null };

export interface Counts {
  readonly queries: number;
  readonly blocked: number;
  readonly cached: number;
}

export interface NameCounts {
  readonly name: string;
  queries: number;
  blocked: number;
}

export interface ClientCounts extends Counts {
  readonly address: string;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Whether the log may contain rows of this client. */
  readonly hasRows: boolean;
}

interface Client extends ClientCounts {
  readonly id: number;
  queries: number;
  blocked: number;
  cached: number;
  lastMs: number;
  hasRows: boolean;
  /** Its rows are being removed, and are not shown. */
  isForgotten: boolean;
  isWrittenAgain: boolean;
}

/** The file, and the parts that are cached in memory. Both are written together. */
export interface Pages {
  readonly file: LogFile;
  readonly clients: Map<string, Client>;
  readonly addresses: Map<number, string>;
  readonly causes: Map<string, { readonly id: number; readonly cause: DnsCause }>;
  readonly causesById: Map<number, DnsCause>;
  readonly minutes: Map<number, Counts>;
  readonly spans: Span[];
  /** Changes that are not in the file yet. After a failed write the next write includes them, except the rows. */
  readonly unsaved: {
    rows: UnsavedRow[];
    readonly clients: Set<Client>;
    readonly minutes: Set<number>;
    readonly spans: Set<Span>;
    readonly causes: Set<number>;
  };
  nextId: number;
  /** No row has a lower id. */
  low: number;
  nextClient: number;
}

interface UnsavedRow {
  readonly id: number;
  readonly client: number;
  readonly cause: number | null;
  readonly answer: LoggedAnswer;
}

/** `minId` is the minimum id of the next row: a client that follows the log must not see an id twice. */
export function readPages(file: LogFile, minId: number): Pages {
  const before = minId - 1;
  if (before > 0) file.run("INSERT OR IGNORE INTO span VALUES (?, ?, 0, 0)", before, before);
  const spans = file.all("SELECT * FROM span ORDER BY first").map(toSpan);
  const clients = file.all("SELECT * FROM client").map(toClient);
  const causes = file.all("SELECT * FROM cause").map((row) => ({ id: Number(row["id"]), cause: toCause(row) }));
  const minutes = file.all("SELECT * FROM minute").map((row) => [Number(row["minute"]), toCounts(row)] as const);
  const nextId = Math.max(1, ...spans.map(({ last }) => last + 1), 1 + Number(edge(file, "max") ?? 0));
  return {
    file,
    spans,
    clients: new Map(clients.map((it) => [it.address, it])),
    addresses: new Map(clients.map(({ id, address }) => [id, address])),
    causes: new Map(causes.map((it) => [keyOf(it.cause), it])),
    causesById: new Map(causes.map(({ id, cause }) => [id, cause])),
    minutes: new Map(minutes),
    unsaved: { rows: [], clients: new Set(), minutes: new Set(), spans: new Set(), causes: new Set() },
    nextId,
    low: Number(edge(file, "min") ?? nextId),
    nextClient: 1 + clients.reduce((max, { id }) => Math.max(max, id), 0),
  };
}

/** Separate queries: a query for both would make SQLite scan every row. */
const edge = (file: LogFile, which: "min" | "max") => file.all(`SELECT ${which}(id) AS id FROM answer`)[0]?.["id"];

/** Counts answers and gives their rows an id, in memory. */
export function addAnswers(pages: Pages, answers: readonly LoggedAnswer[], nowMs: number): void {
  for (const answer of answers) {
    const client = count(pages, answer, nowMs);
    if (answer.keep === "full") addRow(pages, answer, client);
  }
}

/** Rows, counters and minutes in one transaction. Rows beyond the limit are removed first: new ones then take their pages. */
export function saveAnswers(pages: Pages, rowsKept: number, maxTrimmed: number): void {
  const { rows, clients, minutes, spans, causes } = pages.unsaved;
  pages.file.transaction(() => {
    trim(pages, rowsKept, maxTrimmed);
    for (const row of rows) if (row.id >= pages.low) insertRow(pages.file, row);
    save(pages);
  });
  pages.unsaved.rows = [];
  for (const kind of [clients, minutes, spans, causes]) kind.clear();
}

function count(pages: Pages, { client: address, atMs, side, verdict }: LoggedAnswer, nowMs: number): Client {
  const client = pages.clients.get(address) ?? newClient(pages, address, atMs);
  const [blocked, cached] = [refusals.includes(verdict) ? 1 : 0, side === "cache" ? 1 : 0];
  client.queries++;
  client.blocked += blocked;
  client.cached += cached;
  client.lastMs = atMs;
  pages.unsaved.clients.add(client);
  const minute = minuteOf(atMs);
  const before = pages.minutes.get(minute);
  if (!before) dropOldMinutes(pages, minuteOf(nowMs));
  pages.minutes.set(minute, {
    queries: (before?.queries ?? 0) + 1,
    blocked: (before?.blocked ?? 0) + blocked,
    cached: (before?.cached ?? 0) + cached,
  });
  pages.unsaved.minutes.add(minute);
  return client;
}

function newClient(pages: Pages, address: string, atMs: number): Client {
  const client: Client = {
    id: pages.nextClient++,
    address,
    ...noCounts,
    firstMs: atMs,
    lastMs: atMs,
  };
  pages.clients.set(address, client);
  pages.addresses.set(client.id, address);
  return client;
}

const noCounts = { queries: 0, blocked: 0, cached: 0, hasRows: false, isForgotten: false, isWrittenAgain: false };

/** Minutes in the future, from a wrong clock, are dropped together with the old ones. */
function dropOldMinutes(pages: Pages, now: number): void {
  for (const minute of pages.minutes.keys())
    if (minute <= now - minutesKept || minute > now + minutesAhead) {
      pages.minutes.delete(minute);
      pages.unsaved.minutes.add(minute);
    }
}

export const minutesKept = 24 * 60;
const minutesAhead = 60;

export const minuteOf = (ms: number): number => Math.floor(ms / 60_000);

function addRow(pages: Pages, answer: LoggedAnswer, client: Client): void {
  const id = pages.nextId++;
  extendSpan(pages, id, answer.atMs);
  client.hasRows = true;
  client.isWrittenAgain = true;
  const cause = answer.cause && causeId(pages, answer.cause);
  pages.unsaved.rows.push({ id, client: client.id, cause, answer });
}

function insertRow(file: LogFile, { id, client, cause, answer }: UnsavedRow): void {
  const { atMs, name, type, verdict, rcode, resolver, side, answers, latencyUs } = answer;
  file.run(
    "INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    id,
    atMs,
    client,
    name,
    type,
    verdicts.indexOf(verdict),
    rcode,
    cause,
    resolver,
    sides.indexOf(side),
    answers,
    latencyUs,
  );
}

function extendSpan(pages: Pages, id: number, atMs: number): void {
  const last = pages.spans.at(-1);
  if (last && id < last.first + spanRows) {
    last.last = id;
    last.minMs = Math.min(last.minMs, atMs);
    last.maxMs = Math.max(last.maxMs, atMs);
    pages.unsaved.spans.add(last);
    return;
  }
  const span = { first: id, last: id, minMs: atMs, maxMs: atMs };
  pages.spans.push(span);
  pages.unsaved.spans.add(span);
}

/** The name is stored too: the deciding resource may have been deleted when the log is read. */
function causeId(pages: Pages, cause: DnsCause): number | null {
  const known = pages.causes.get(keyOf(cause));
  if (known?.cause.name === cause.name) return known.id;
  if (!known && pages.causes.size >= maxCauses) return null;
  const id = known?.id ?? pages.causes.size + 1;
  pages.causes.set(keyOf(cause), { id, cause });
  pages.causesById.set(id, cause);
  pages.unsaved.causes.add(id);
  return id;
}

const maxCauses = 100_000;

const keyOf = ({ resource_type, resource_id }: DnsCause): string => `${resource_type} ${resource_id}`;

function save({ file, unsaved, minutes, causesById }: Pages): void {
  for (const client of unsaved.clients) saveClient(file, client);
  for (const minute of unsaved.minutes) {
    const counts = minutes.get(minute);
    if (!counts) {
      file.run("DELETE FROM minute WHERE minute = ?", minute);
      continue;
    }
    const { queries, blocked, cached } = counts;
    file.run("INSERT OR REPLACE INTO minute VALUES (?, ?, ?, ?)", minute, queries, blocked, cached);
  }
  for (const { first, last, minMs, maxMs } of unsaved.spans)
    file.run("INSERT OR REPLACE INTO span VALUES (?, ?, ?, ?)", first, last, minMs, maxMs);
  for (const id of unsaved.causes) {
    const { resource_type, resource_id, name } = causesById.get(id)!;
    file.run("INSERT OR REPLACE INTO cause VALUES (?, ?, ?, ?)", id, resource_type, resource_id, name);
  }
}

/** Most clients exist already: UPDATE first, INSERT if there was no row. */
function saveClient(file: LogFile, { id, address, queries, blocked, cached, firstMs, lastMs, hasRows }: Client): void {
  const has = hasRows ? 1 : 0;
  const update = "UPDATE client SET queries = ?, blocked = ?, cached = ?, last_ms = ?, has_rows = ? WHERE id = ?";
  if (file.run(update, queries, blocked, cached, lastMs, has, id) > 0) return;
  const insert = "INSERT INTO client VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
  file.run(insert, id, address, queries, blocked, cached, firstMs, lastMs, has);
}

/** Removes the oldest rows beyond the limit, at most `maxRows` per call. Returns how many are left to remove. */
export function trim(pages: Pages, rowsKept: number, maxRows: number): number {
  const until = Math.min(pages.nextId - rowsKept, pages.low + Math.ceil(maxRows));
  if (until <= pages.low) return 0;
  pages.file.run("DELETE FROM answer WHERE id < ?", until);
  pages.low = until;
  while (pages.spans.length > 1 && pages.spans[0]!.last < until)
    pages.file.run("DELETE FROM span WHERE first = ?", pages.spans.shift()!.first);
  return pages.nextId - rowsKept - until;
}

/** Called when the rows are removed. Clients that sent new queries meanwhile start with new counters. */
export function finishForgetting(pages: Pages, clients: readonly Client[], what: "rows" | "everything"): void {
  pages.file.transaction(() => {
    for (const client of clients) {
      client.isForgotten = false;
      client.hasRows = client.isWrittenAgain;
      if (what === "rows" || client.queries > 0) {
        saveClient(pages.file, client);
        continue;
      }
      pages.file.run("DELETE FROM client WHERE id = ?", client.id);
      pages.clients.delete(client.address);
      pages.addresses.delete(client.id);
      pages.unsaved.clients.delete(client);
    }
  });
  pages.file.checkpoint();
}

/** Ids of the clients whose rows may be shown; undefined: all. */
export function clientIds(pages: Pages, addresses: readonly string[] | undefined): readonly number[] | undefined {
  const all = [...pages.clients.values()];
  if (addresses === undefined && !all.some((it) => it.isForgotten)) return undefined;
  const wanted = addresses === undefined ? all : addresses.flatMap((it) => pages.clients.get(it) ?? []);
  return wanted.filter((it) => !it.isForgotten).map(({ id }) => id);
}

export const toRow = (row: Row, { addresses, causesById }: Pages): DnsRow => ({
  id: Number(row["id"]),
  atMs: Number(row["at_ms"]),
  latencyUs: Number(row["latency_us"]),
  client: addresses.get(Number(row["client"])) ?? "",
  name: String(row["name"]),
  type: Number(row["type"]),
  rcode: Number(row["rcode"]),
  resolver: Number(row["resolver"]),
  side: sides[Number(row["side"])] ?? "front",
  verdict: verdicts[Number(row["verdict"])] ?? "none",
  answers: Number(row["answers"]),
  cause: causesById.get(Number(row["cause"])) ?? null,
});

const toSpan = (row: Row): Span => ({
  first: Number(row["first"]),
  last: Number(row["last"]),
  minMs: Number(row["min_ms"]),
  maxMs: Number(row["max_ms"]),
});

const toCounts = (row: Row): Counts => ({
  queries: Number(row["queries"]),
  blocked: Number(row["blocked"]),
  cached: Number(row["cached"]),
});

const toClient = (row: Row): Client => ({
  ...noCounts,
  ...toCounts(row),
  id: Number(row["id"]),
  address: String(row["address"]),
  firstMs: Number(row["first_ms"]),
  lastMs: Number(row["last_ms"]),
  hasRows: row["has_rows"] === 1,
});

const toCause = (row: Row): DnsCause => ({
  resource_type: String(row["resource_type"]),
  resource_id: String(row["resource_id"]),
  name: String(row["name"]),
});

/**
 * The names of a range as two JSON arrays: single rows cost several times as much to transfer, and most names of a range
 * occur once, so that counting them in SQL gains nothing.
 */
const namesInRange = `
  SELECT json_group_array(name) AS names, json_group_array(verdict IN (${refusals.map((word) => verdicts.indexOf(word)).join(", ")})) AS refused
  FROM answer WHERE id BETWEEN ? AND ? AND client NOT IN (SELECT value FROM json_each(?))`;

export function countNames(
  { file, clients }: Pages,
  { first, last }: { readonly first: number; readonly last: number },
  counted: Map<string, NameCounts>,
): void {
  const forgotten = JSON.stringify([...clients.values()].filter((it) => it.isForgotten).map(({ id }) => id));
  const [row] = file.all(namesInRange, first, last, forgotten);
  const refused = JSON.parse(String(row?.["refused"])) as readonly number[];
  for (const [index, name] of (JSON.parse(String(row?.["names"])) as readonly string[]).entries()) {
    const blocked = refused[index]!;
    const before = counted.get(name);
    if (before) {
      before.queries += 1;
      before.blocked += blocked;
    } else counted.set(name, { name, queries: 1, blocked });
  }
}
