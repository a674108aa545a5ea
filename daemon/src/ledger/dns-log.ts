import { isCorrupt, type LogFile, openLogFile } from "./dns-log-file.ts";
import {
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
  readPages,
  finishForgetting,
  toRow,
  trim,
  verdicts,
  writeAnswers,
  type LoggedAnswer,
} from "./dns-log-pages.ts";
import { findIn, type LogSearch, stretchesOf } from "./dns-log-search.ts";

export type DnsSearch = Omit<LogSearch, "clients" | "verdict"> & {
  /** Addresses. */
  readonly clients?: readonly string[] | undefined;
  readonly verdict?: DnsVerdict | undefined;
};

export interface DnsLog {
  /** A few hundred at most: it is done at once. What cannot be written is lost, counted and told, never thrown. */
  write(answers: readonly LoggedAnswer[]): void;
  /** A million rows are looked through in a tenth of a second, with a pause after each millisecond or so. */
  search(search: DnsSearch): Promise<readonly DnsRow[]>;
  /** What was asked for among the newest rows, up to so many. */
  names(rows: number): Promise<{ readonly rows: number; readonly names: readonly Readonly<NameCounts>[] }>;
  clients(): readonly ClientCounts[];
  /** Of the last day, oldest first; a minute without questions is not there. */
  minutes(): readonly (Counts & { readonly atMs: number })[];
  /** Removes every row of these clients, and of `everything` also that they ever asked. Their rows are not shown from now on. */
  forget(addresses: readonly string[], what: "rows" | "everything"): Promise<void>;
  keepRows(most: number): void;
  clear(): void;
  size(): { readonly rows: number; readonly rowsKept: number; readonly lost: number };
  close(): void;
}

interface Needs {
  readonly path: string;
  readonly rowsKept: number;
  readonly nowMs: () => number;
  /** Lets everybody else in the process have their turn. */
  readonly pause: () => Promise<void>;
  /** Moves the file out of the way when it is broken. */
  readonly setAside: () => void;
  /** It may have what should be forgotten, so it goes for good when anything has to. */
  readonly removeAside: () => void;
  /** Removes the file. */
  readonly remove: () => void;
  readonly warn: (message: string, error: unknown) => void;
}

/** What devices asked for and what became of it: so many rows and no more, in a file of its own. */
export function openDnsLog({ path, nowMs, pause, setAside, removeAside, remove, warn, ...options }: Needs): DnsLog {
  let { rowsKept } = options;
  let lost = 0;
  let isFailing = false;
  let isClosed = false;
  let forgetting: Promise<void> = Promise.resolve();
  let isEvicting = false;
  let pages = opened(1);

  /** Nobody goes without a gateway for want of a log: where there can be no file, a few rows are kept in memory. */
  function opened(leastId: number): Pages {
    try {
      return begun(path, leastId);
    } catch (error) {
      if (!isCorrupt(error)) return inMemory(leastId, error);
      warn("The DNS log is broken; it is set aside and begun anew", error);
    }
    try {
      setAside();
      return begun(path, leastId);
    } catch (error) {
      return inMemory(leastId, error);
    }
  }

  function inMemory(leastId: number, error: unknown): Pages {
    warn("The DNS log has no file; a little of it is kept in memory", error);
    rowsKept = Math.min(rowsKept, memoryRows);
    return begun(":memory:", leastId);
  }

  /** Broken files are replaced. Anything else, such as a full disk, is told once, and passes. */
  function guarded<T>(work: () => T, otherwise: T): T {
    try {
      const result = work();
      isFailing = false;
      return result;
    } catch (error) {
      if (isCorrupt(error)) {
        warn("The DNS log is broken; it is set aside and begun anew", error);
        pages = replaced(pages);
      } else if (!isFailing) {
        isFailing = true;
        warn("The DNS log cannot be written or read", error);
      }
      return otherwise;
    }
  }

  function replaced({ file, nextId }: Pages): Pages {
    closeQuietly(file);
    try {
      setAside();
    } catch (error) {
      return inMemory(nextId, error);
    }
    return opened(nextId);
  }

  function write(answers: readonly LoggedAnswer[]): void {
    if (isClosed) return;
    const known = answers.filter(({ client }) => pages.clients.has(client) || pages.clients.size < maxClients);
    lost += answers.length - known.length;
    if (known.length < answers.length) evict();
    const isWritten = guarded(() => {
      writeAnswers(pages, known, nowMs());
      trim(pages, rowsKept, Math.max(2 * answers.length, trimRows / 4));
      return true;
    }, false);
    if (!isWritten) lost += known.length;
  }

  /** Somebody makes up addresses, or it has been years. Those longest unheard of make room. */
  function evict(): void {
    if (isEvicting) return;
    isEvicting = true;
    const oldest = [...pages.clients.values()].toSorted((a, b) => a.lastMs - b.lastMs).slice(0, maxClients / 10);
    const addresses = oldest.map(({ address }) => address);
    void forget(addresses, "everything").finally(() => (isEvicting = false));
  }

  async function tidy(): Promise<void> {
    const mine = pages;
    while (!isClosed && mine === pages && guarded(() => trim(pages, rowsKept, trimRows), 0) > 0) await pause();
    if (!isClosed && mine === pages) guarded(() => pages.file.run("PRAGMA incremental_vacuum(1000)"), 0);
  }

  /** Work on one stretch after another, until it says that it is enough. */
  async function eachStretch(
    search: Omit<LogSearch, "limit">,
    work: (pages: Pages, stretch: { readonly first: number; readonly last: number }) => boolean,
  ): Promise<void> {
    const mine = pages;
    for (const stretch of stretchesOf(mine.spans, search)) {
      if (isClosed || mine !== pages || !guarded(() => work(mine, stretch), false)) return;
      await pause();
    }
  }

  async function search({ clients, verdict, ...rest }: DnsSearch): Promise<readonly DnsRow[]> {
    const found: DnsRow[] = [];
    const wanted: LogSearch = {
      ...rest,
      verdict: verdict && verdicts.indexOf(verdict),
      clients: clientIds(pages, clients),
    };
    await eachStretch(wanted, (pages, stretch) => {
      const rows = findIn(pages.file, stretch, wanted, wanted.limit - found.length);
      found.push(...rows.map((row) => toRow(row, pages)));
      return found.length < wanted.limit;
    });
    return found;
  }

  async function names(rows: number) {
    const counted = new Map<string, NameCounts>();
    await eachStretch({ after: Math.max(0, pages.nextId - 1 - rows) }, (pages, stretch) => {
      countNames(pages, stretch, counted);
      return true;
    });
    const found = [...counted.values()];
    return { rows: found.reduce((sum, { queries }) => sum + queries, 0), names: found };
  }

  /** One after another. Until the last row is gone the file says that there are some, so that it is done after a crash too. */
  function forget(addresses: readonly string[], what: "rows" | "everything"): Promise<void> {
    const clients = addresses.flatMap((address) => pages.clients.get(address) ?? []);
    for (const client of clients) {
      client.isForgotten = true;
      client.isWrittenAgain = false;
      if (what === "everything") Object.assign(client, { queries: 0, blocked: 0, cached: 0 });
    }
    forgetting = forgetting.then(async () => {
      const ids = JSON.stringify(clients.map(({ id }) => id));
      const last = pages.nextId;
      await eachStretch({ before: last }, ({ file }, stretch) => {
        file.run(
          "DELETE FROM answer WHERE id BETWEEN ? AND ? AND client IN (SELECT value FROM json_each(?))",
          stretch.first,
          stretch.last,
          ids,
        );
        return true;
      });
      if (isClosed) return;
      guarded(() => finishForgetting(pages, clients, what), undefined);
      removeAside();
    });
    return forgetting;
  }

  if (pages.nextId - pages.low > rowsKept) void tidy();
  return {
    write,
    search,
    names,
    clients: () => [...pages.clients.values()].filter(({ queries, isForgotten }) => queries > 0 || !isForgotten),
    minutes: () => {
      const since = minuteOf(nowMs()) - minutesKept;
      const kept = [...pages.minutes].filter(([minute]) => minute > since).toSorted(([a], [b]) => a - b);
      return kept.map(([minute, { queries, blocked, cached }]) => ({
        atMs: minute * 60_000,
        queries,
        blocked,
        cached,
      }));
    },
    forget,
    keepRows: (most) => {
      rowsKept = most;
      if (pages.nextId - pages.low > rowsKept) void tidy();
    },
    clear: () => {
      closeQuietly(pages.file);
      remove();
      removeAside();
      pages = opened(pages.nextId);
    },
    size: () => ({ rows: pages.nextId - pages.low, rowsKept, lost }),
    close: () => {
      isClosed = true;
      closeQuietly(pages.file);
    },
  };
}

const maxClients = 10_000;
const trimRows = 2000;
const memoryRows = 20_000;

function begun(path: string, leastId: number): Pages {
  const file = openLogFile(path);
  try {
    return readPages(file, leastId);
  } catch (error) {
    closeQuietly(file);
    throw error;
  }
}

function closeQuietly(file: LogFile): void {
  try {
    file.close();
  } catch {
    // A broken file may not even close; it is not looked at again.
  }
}
