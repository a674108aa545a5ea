/** A bucket of permissions per key that refills evenly over a minute. */
export interface RateLimit {
  /** Takes one permission; answers the seconds to wait when there is none. */
  take(key: string): number | undefined;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** More keys than this at once are strangers in a flood: the oldest are forgotten, so memory stays flat. */
const keysKept = 10_000;

export function rateLimit(perMinute: number, nowMs: () => number): RateLimit {
  const buckets = new Map<string, Bucket>();
  const perMs = perMinute / 60_000;
  return {
    take: (key) => {
      const now = nowMs();
      let bucket = buckets.get(key);
      if (!bucket) {
        if (buckets.size >= keysKept) buckets.delete(buckets.keys().next().value!);
        bucket = { tokens: perMinute, atMs: now };
        buckets.set(key, bucket);
      }
      bucket.tokens = Math.min(perMinute, bucket.tokens + (now - bucket.atMs) * perMs);
      bucket.atMs = now;
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000));
      bucket.tokens -= 1;
      return undefined;
    },
  };
}
