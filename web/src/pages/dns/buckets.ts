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
/** Complete buckets of a day, without the current one. */
const wholeBuckets = 143;

/**
 * The last day in buckets of ten minutes; minutes without queries are zero. The current bucket is incomplete and would
 * look like a drop, so it is omitted unless there is none before it.
 */
export function bucketsOf(minutes: readonly Minute[], nowMs: number): Buckets {
  const runningMs = Math.floor(nowMs / stepMs) * stepMs;
  const hasPast = minutes.some(({ timestamp }) => Date.parse(timestamp) < runningMs);
  const firstMs = runningMs - wholeBuckets * stepMs;
  const bucketCount = hasPast ? wholeBuckets : wholeBuckets + 1;
  const times = Array.from({ length: bucketCount }, (_, index) => new Date(firstMs + index * stepMs));
  const queries = times.map(() => 0);
  const blocked = times.map(() => 0);
  for (const minute of minutes) {
    const index = Math.floor((Date.parse(minute.timestamp) - firstMs) / stepMs);
    if (!(index >= 0 && index < bucketCount)) continue;
    queries[index]! += minute.queries;
    blocked[index]! += minute.blocked;
  }
  return { times, queries, blocked };
}

/** The share of the whole; zero of zero is zero. */
export const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
