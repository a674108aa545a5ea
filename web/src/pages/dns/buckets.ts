interface Minute {
  readonly timestamp: string;
  readonly queries: number;
  readonly blocked: number;
}
export interface Buckets {
  readonly times: readonly Date[];
  readonly queries: readonly number[];
  readonly blocked: readonly number[];
}

const stepMs = 600_000;
/** Whole ones of a day of which the running one has begun: the day before reaches into the one before them. */
const wholeBuckets = 143;

/**
 * The last day in steps of ten minutes; minutes in which nobody asked are zero. The running step would always look like
 * a fall, so it is left out, unless there is nothing before it.
 */
export function bucketsOf(minutes: readonly Minute[], nowMs: number): Buckets {
  const runningMs = Math.floor(nowMs / stepMs) * stepMs;
  const hasPast = minutes.some(({ timestamp }) => Date.parse(timestamp) < runningMs);
  const firstMs = runningMs - wholeBuckets * stepMs;
  const bucketCount = hasPast ? wholeBuckets : wholeBuckets + 1;
  const times = Array.from({ length: bucketCount }, (_, place) => new Date(firstMs + place * stepMs));
  const queries = times.map(() => 0);
  const blocked = times.map(() => 0);
  for (const minute of minutes) {
    const place = Math.floor((Date.parse(minute.timestamp) - firstMs) / stepMs);
    if (!(place >= 0 && place < bucketCount)) continue;
    queries[place]! += minute.queries;
    blocked[place]! += minute.blocked;
  }
  return { times, queries, blocked };
}

/** What part of the whole; nothing of nothing is nothing. */
export const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
