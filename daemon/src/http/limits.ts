/** A bucket of permissions per key that refills evenly over a minute. */
export interface RateLimit {
  /** Takes one permission; answers the seconds to wait when there is none. */
  take(key: string): number | undefined;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** More keys than this at once are strangers in a flood: those not seen for longest are forgotten, so memory stays flat. */
const keysKept = 10_000;

export function rateLimit(perMinute: number, nowMs: () => number): RateLimit {
  let recent = new Map<string, Bucket>();
  let older = new Map<string, Bucket>();
  const perMs = perMinute / 60_000;

  /** Whoever comes again is recent again: a flood does not wash away the bucket of somebody who is still here. */
  function bucketOf(key: string, now: number): Bucket {
    const known = recent.get(key);
    if (known) return known;
    const bucket = older.get(key) ?? { tokens: perMinute, atMs: now };
    if (recent.size >= keysKept) [older, recent] = [recent, new Map()];
    recent.set(key, bucket);
    return bucket;
  }
  return {
    take: (key) => {
      const now = nowMs();
      const bucket = bucketOf(key, now);
      bucket.tokens = Math.min(perMinute, bucket.tokens + (now - bucket.atMs) * perMs);
      bucket.atMs = now;
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000));
      bucket.tokens -= 1;
      return undefined;
    },
  };
}
