import type { DnsLogEntry } from "@portcullis/contract/subsystems/dns-log";

/** Rows of the live log in memory, newest first. */
export interface LogBuffer {
  readonly rows: readonly DnsLogEntry[];
  /** Rows up to this id were read or skipped. */
  readonly last: number;
  /** Number of rows that were skipped since following began. */
  readonly skipped: number;
}

export const maxKept = 2000;
export const maxPageRows = 1000;
const firstRows = 200;
/** After this many full pages in one step, the reader cannot catch up. */
const maxPages = 3;

export const started = (newestFirst: readonly DnsLogEntry[]): LogBuffer => ({
  rows: newestFirst,
  last: newestFirst[0]?.id ?? 0,
  skipped: 0,
});

export function appended(buffer: LogBuffer, oldestFirst: readonly DnsLogEntry[]): LogBuffer {
  const newest = oldestFirst.at(-1);
  if (newest === undefined) return buffer;
  const fresh = oldestFirst.slice(-maxKept).toReversed();
  const rows = [...fresh, ...buffer.rows.slice(0, maxKept - fresh.length)];
  return { ...buffer, rows, last: newest.id };
}

/** Starts again at the newest rows; the rows between are counted. Ids have practically no gaps. */
export function jumped(buffer: LogBuffer, newestFirst: readonly DnsLogEntry[]): LogBuffer {
  const unseen = newestFirst.filter(({ id }) => id > buffer.last);
  const oldest = unseen.at(-1);
  if (oldest === undefined) return buffer;
  const between = oldest.id - buffer.last - 1;
  const next = appended(between > 0 ? { ...buffer, rows: [] } : buffer, unseen.toReversed());
  return { ...next, skipped: buffer.skipped + between };
}

interface LogQuery {
  readonly after?: number;
  readonly limit: number;
}
type Read = (query: LogQuery) => Promise<readonly DnsLogEntry[]>;

/** One step of following. The displayed rows change once, however many pages it reads. */
export async function follow(read: Read, known: LogBuffer | undefined): Promise<LogBuffer> {
  if (known === undefined) return started(await read({ limit: firstRows }));
  let buffer = known;
  for (let page = 0; page < maxPages; page += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before ended
    const rows = await read({ after: buffer.last, limit: maxPageRows });
    buffer = appended(buffer, rows);
    if (rows.length < maxPageRows) return buffer;
  }
  return jumped(buffer, await read({ limit: maxPageRows }));
}
