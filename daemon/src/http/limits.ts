/** A bucket of permissions per key that refills evenly over a minute. */
export interface RateLimit {
  /** Takes one permission; answers the seconds to wait when there is none. */
  take(key: string): number | undefined;
}

/** In whole numbers: with fractions, who waited exactly as long as was said lacked a billionth of a permission. */
interface Bucket {
  /** Each permission is worth a minute's milliseconds; each millisecond brings as many as there are permissions a minute. */
  credit: number;
  atMs: number;
}
const cost = 60_000;

/** More keys than this at once are strangers in a flood: those not seen for longest are forgotten, so memory stays flat. */
const keysKept = 10_000;

export function rateLimit(perMinute: number, nowMs: () => number): RateLimit {
  let recent = new Map<string, Bucket>();
  let older = new Map<string, Bucket>();
  const most = perMinute * cost;

  /** Whoever comes again is recent again: a flood does not wash away the bucket of somebody who is still here. */
  function bucketOf(key: string, now: number): Bucket {
    const known = recent.get(key);
    if (known) return known;
    const bucket = older.get(key) ?? { credit: most, atMs: now };
    if (recent.size >= keysKept) [older, recent] = [recent, new Map()];
    recent.set(key, bucket);
    return bucket;
  }
  return {
    take: (key) => {
      const now = Math.floor(nowMs());
      const bucket = bucketOf(key, now);
      bucket.credit = Math.min(most, bucket.credit + (now - bucket.atMs) * perMinute);
      bucket.atMs = now;
      if (bucket.credit < cost) return Math.max(1, Math.ceil((cost - bucket.credit) / perMinute / 1000));
      bucket.credit -= cost;
      return undefined;
    },
  };
}
