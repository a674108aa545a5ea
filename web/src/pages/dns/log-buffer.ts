import type { DnsLogEntry } from "@portcullis/contract/subsystems/dns-log";

/** What of the log is in memory while it is followed, newest first. */
export interface LogBuffer {
  readonly rows: readonly DnsLogEntry[];
  /** Everything up to this id was seen, or passed over. */
  readonly last: number;
  /** How many went by unread since the log is followed. */
  readonly skipped: number;
}

export const keptMost = 2000;
export const pageMost = 1000;
const firstRows = 200;
/** So many full pages in one go, and whoever asks will not catch up any more. */
const pagesMost = 3;

export const started = (newestFirst: readonly DnsLogEntry[]): LogBuffer => ({
  rows: newestFirst,
  last: newestFirst[0]?.id ?? 0,
  skipped: 0,
});

export function appended(buffer: LogBuffer, oldestFirst: readonly DnsLogEntry[]): LogBuffer {
  const newest = oldestFirst.at(-1);
  if (newest === undefined) return buffer;
  const fresh = oldestFirst.slice(-keptMost).toReversed();
  const rows = [...fresh, ...buffer.rows.slice(0, keptMost - fresh.length)];
  return { ...buffer, rows, last: newest.id };
}

/** Starts anew at the newest rows; what lies between is counted. Ids have no gaps worth speaking of. */
export function jumped(buffer: LogBuffer, newestFirst: readonly DnsLogEntry[]): LogBuffer {
  const unseen = newestFirst.filter(({ id }) => id > buffer.last);
  const oldest = unseen.at(-1);
  if (oldest === undefined) return buffer;
  const between = oldest.id - buffer.last - 1;
  const next = appended(between > 0 ? { ...buffer, rows: [] } : buffer, unseen.toReversed());
  return { ...next, skipped: buffer.skipped + between };
}

interface Asked {
  readonly after?: number;
  readonly limit: number;
}
type Read = (query: Asked) => Promise<readonly DnsLogEntry[]>;

/** One step of following. However many pages it takes, what is shown changes once. */
export async function follow(read: Read, known: LogBuffer | undefined): Promise<LogBuffer> {
  if (known === undefined) return started(await read({ limit: firstRows }));
  let buffer = known;
  for (let page = 0; page < pagesMost; page += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before ended
    const rows = await read({ after: buffer.last, limit: pageMost });
    buffer = appended(buffer, rows);
    if (rows.length < pageMost) return buffer;
  }
  return jumped(buffer, await read({ limit: pageMost }));
}
