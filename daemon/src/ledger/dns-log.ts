import {
  addAnswers,
  type ClientCounts,
  clientIds,
  countNames,
  type Counts,
  type DnsRow,
  type DnsVerdict,
  minuteOf,
  minutesKept,
  type NameCounts,
  type Pages,
  finishForgetting,
  toRow,
  trim,
  verdicts,
  saveAnswers,
  type LoggedAnswer,
} from "./dns-log-pages.ts";
import { openStorage } from "./dns-log-storage.ts";
import { findIn, type LogSearch, rangesOf } from "./dns-log-search.ts";

export type DnsSearch = Omit<LogSearch, "clients" | "verdict"> & {
  /** Addresses. */
  readonly clients?: readonly string[] | undefined;
  readonly verdict?: DnsVerdict | undefined;
};

export interface DnsLog {
  /**
   * Synchronous, for a few hundred answers at most. They can be read at once, and are in the file after some minutes. Answers that cannot be
   * written are counted as lost and reported by `warn`.
   */
  write(answers: readonly LoggedAnswer[]): void;
  /** Searches a million rows in a tenth of a second, with a pause after about each millisecond. */
  search(search: DnsSearch): Promise<readonly DnsRow[]>;
  /** The names of the newest rows, with counters. */
  names(rows: number): Promise<{ readonly rows: number; readonly names: readonly Readonly<NameCounts>[] }>;
  clients(): readonly ClientCounts[];
  /** The last day, oldest first; minutes without queries are left out. */
  minutes(): readonly (Counts & { readonly atMs: number })[];
  /** Removes all rows of these clients, with `everything` their counters too. Their rows are hidden immediately. */
  forget(addresses: readonly string[], what: "rows" | "everything"): Promise<void>;
  keepRows(count: number): void;
  clear(): void;
  size(): { readonly rows: number; readonly rowsKept: number; readonly lost: number };
  close(): void;
}

interface Needs {
  readonly path: string;
  readonly rowsKept: number;
  readonly nowMs: () => number;
  /** Yields to other work of the process. */
  readonly pause: () => Promise<void>;
  /** Moves the corrupt file aside. */
  readonly setAside: () => void;
  /** Deletes the file that was set aside: it may contain rows that have to be deleted. */
  readonly removeAside: () => void;
  /** Removes the file. */
  readonly remove: () => void;
  readonly warn: (message: string, error: unknown) => void;
}

/** The DNS query log: a limited number of rows in a file of its own. */
export function openDnsLog({ path, nowMs, pause, setAside, removeAside, remove, warn, ...options }: Needs): DnsLog {
  const storage = openStorage({ path, setAside, warn });
  const { guarded } = storage;
  let lost = 0;
  let savedMs = nowMs();
  let isClosed = false;
  let forgetting: Promise<void> = Promise.resolve();
  let isEvicting = false;
  let wantedRows = options.rowsKept;
  const rowsKept = (): number => (storage.isInMemory() ? Math.min(wantedRows, memoryRows) : wantedRows);

  function write(answers: readonly LoggedAnswer[]): void {
    if (isClosed) return;
    const pages = storage.pages();
    const known = answers.filter(({ client }) => pages.clients.has(client) || pages.clients.size < maxClients);
    lost += answers.length - known.length;
    if (known.length < answers.length) evict();
    addAnswers(pages, known, nowMs());
    const { length } = pages.unsaved.rows;
    if (length >= waiting.rows || nowMs() - savedMs >= waiting.ms || nowMs() < savedMs) save();
  }

  /** Everything that reads the file calls it first, so that rows that wait are missing in no answer. */
  function save(): void {
    const pages = storage.pages();
    savedMs = nowMs();
    const { length } = pages.unsaved.rows;
    const isSaved = guarded(() => {
      saveAnswers(pages, rowsKept(), Math.max(2 * length, trimRows / 4));
      return true;
    }, false);
    if (isSaved) return;
    lost += length;
    pages.unsaved.rows = [];
  }

  /** Too many clients: a device forges addresses, or the log is years old. The least recently active clients are removed. */
  function evict(): void {
    if (isEvicting) return;
    isEvicting = true;
    const oldest = [...storage.pages().clients.values()]
      .toSorted((a, b) => a.lastMs - b.lastMs)
      .slice(0, maxClients / 10);
    const addresses = oldest.map(({ address }) => address);
    void forget(addresses, "everything").finally(() => (isEvicting = false));
  }

  async function trimAll(): Promise<void> {
    const pages = storage.pages();
    const isCurrent = (): boolean => !isClosed && pages === storage.pages();
    while (isCurrent() && guarded(() => trim(pages, rowsKept(), trimRows), 0) > 0) await pause();
    if (isCurrent()) guarded(() => pages.file.run("PRAGMA incremental_vacuum(1000)"), 0);
  }

  /** Calls `work` for one range after another, while it returns true. */
  async function eachRange(
    search: Omit<LogSearch, "limit">,
    work: (pages: Pages, range: { readonly first: number; readonly last: number }) => boolean,
  ): Promise<void> {
    if (!isClosed && storage.pages().unsaved.rows.length > 0) save();
    const pages = storage.pages();
    for (const range of rangesOf(pages.spans, search)) {
      if (isClosed || pages !== storage.pages() || !guarded(() => work(pages, range), false)) return;
      await pause();
    }
  }

  async function search({ clients, verdict, ...rest }: DnsSearch): Promise<readonly DnsRow[]> {
    const found: DnsRow[] = [];
    const wanted: LogSearch = {
      ...rest,
      verdict: verdict && verdicts.indexOf(verdict),
      clients: clientIds(storage.pages(), clients),
    };
    await eachRange(wanted, (pages, range) => {
      const rows = findIn(pages.file, range, wanted, wanted.limit - found.length);
      found.push(...rows.map((row) => toRow(row, pages)));
      return found.length < wanted.limit;
    });
    return found;
  }

  async function names(rows: number) {
    const counted = new Map<string, NameCounts>();
    await eachRange({ after: Math.max(0, storage.pages().nextId - 1 - rows) }, (pages, range) => {
      countNames(pages, range, counted);
      return true;
    });
    const found = [...counted.values()];
    return { rows: found.reduce((sum, { queries }) => sum + queries, 0), names: found };
  }

  /** Sequential. Until the last row is removed the file records that there are rows, so that a restart resumes after a crash. */
  function forget(addresses: readonly string[], what: "rows" | "everything"): Promise<void> {
    const clients = addresses.flatMap((address) => storage.pages().clients.get(address) ?? []);
    for (const client of clients) {
      client.isForgotten = true;
      client.isWrittenAgain = false;
      if (what === "everything") Object.assign(client, { queries: 0, blocked: 0, cached: 0 });
    }
    forgetting = forgetting.then(async () => {
      const ids = JSON.stringify(clients.map(({ id }) => id));
      const last = storage.pages().nextId;
      await eachRange({ before: last }, ({ file }, range) => {
        file.run(
          "DELETE FROM answer WHERE id BETWEEN ? AND ? AND client IN (SELECT value FROM json_each(?))",
          range.first,
          range.last,
          ids,
        );
        return true;
      });
      if (isClosed) return;
      guarded(() => finishForgetting(storage.pages(), clients, what), undefined);
      removeAside();
    });
    return forgetting;
  }

  const rows = (): number => storage.pages().nextId - storage.pages().low;
  if (rows() > rowsKept()) void trimAll();
  return {
    write,
    search,
    names,
    clients: () =>
      [...storage.pages().clients.values()].filter(({ queries, isForgotten }) => queries > 0 || !isForgotten),
    minutes: () => {
      const since = minuteOf(nowMs()) - minutesKept;
      const kept = [...storage.pages().minutes].filter(([minute]) => minute > since).toSorted(([a], [b]) => a - b);
      return kept.map(([minute, { queries, blocked, cached }]) => ({
        atMs: minute * 60_000,
        queries,
        blocked,
        cached,
      }));
    },
    forget,
    keepRows: (count) => {
      wantedRows = count;
      save();
      if (rows() > rowsKept()) void trimAll();
    },
    clear: () =>
      storage.recreate(() => {
        remove();
        removeAside();
      }),
    size: () => {
      // Of the rows that wait, those beyond the limit take the place of others.
      const saved = rows() - storage.pages().unsaved.rows.length;
      return { rows: Math.max(saved, Math.min(rows(), rowsKept())), rowsKept: rowsKept(), lost };
    },
    close: () => {
      if (!isClosed) save();
      isClosed = true;
      storage.close();
    },
  };
}

const maxClients = 10_000;
/**
 * Rows are written together, after so many or this time: each transaction rewrites the last page of the rows and those of the
 * counters, which is a hundred times what one answer needs, and wears a flash card out. A killed daemon loses the rows that wait.
 */
const waiting = { rows: 3000, ms: 1_200_000 } as const;
const trimRows = 2000;
const memoryRows = 20_000;
