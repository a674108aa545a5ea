/** A bucket of permissions per key that refills evenly over a minute. */
export interface RateLimit {
  /** Takes one permission; returns the seconds to wait if there is none. */
  take(key: string): number | undefined;
}

/** In integers: with fractions, a client that waited exactly as long as requested lacked a billionth of a permission. */
interface Bucket {
  /** A permission costs 60,000; each millisecond adds the number of permissions per minute. */
  credit: number;
  atMs: number;
}
const cost = 60_000;

/** With more keys than this, for instance in a flood, the least recently used ones are dropped, so that memory is bounded. */
const keysKept = 10_000;

export function rateLimit(perMinute: number, nowMs: () => number): RateLimit {
  let recent = new Map<string, Bucket>();
  let older = new Map<string, Bucket>();
  const maxCredit = perMinute * cost;

  /** A used bucket becomes recent again: a flood does not evict the buckets of active clients. */
  function bucketOf(key: string, now: number): Bucket {
    const known = recent.get(key);
    if (known) return known;
    const bucket = older.get(key) ?? { credit: maxCredit, atMs: now };
    if (recent.size >= keysKept) [older, recent] = [recent, new Map()];
    recent.set(key, bucket);
    return bucket;
  }
  return {
    take: (key) => {
      const now = Math.floor(nowMs());
      const bucket = bucketOf(key, now);
      bucket.credit = Math.min(maxCredit, bucket.credit + (now - bucket.atMs) * perMinute);
      bucket.atMs = now;
      if (bucket.credit < cost) return Math.max(1, Math.ceil((cost - bucket.credit) / perMinute / 1000));
      bucket.credit -= cost;
      return undefined;
    },
  };
}
