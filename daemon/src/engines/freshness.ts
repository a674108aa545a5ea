/** Even without change events, the state is read again after this time. */
const maxAgeMs = 600_000;

/**
 * An observation is valid until a change event. `changeCount` increases with each event, and with each gap in which events
 * may have been missed.
 */
export function trackFreshness(changeCount: () => number) {
  let last = { count: -1, atMs: 0 };
  return {
    isFresh: (): boolean => last.count === changeCount() && performance.now() - last.atMs < maxAgeMs,
    /** `before` is the count when the observation began. */
    refresh: (before: number): void => void (last = { count: before, atMs: performance.now() }),
  };
}

/** A value that is read again only after a change event. */
export interface CachedReader<T> {
  read(): Promise<T>;
  /** After our own change, without waiting for the event. */
  invalidate(): void;
}

export function cachedReader<T>(changeCount: () => number, readNow: () => Promise<T>): CachedReader<T> {
  let invalidations = 0;
  const reasons = () => changeCount() + invalidations;
  const trust = trackFreshness(reasons);
  let known: { readonly value: T } | undefined;
  return {
    read: async () => {
      if (known && trust.isFresh()) return known.value;
      const before = reasons();
      known = { value: await readNow() };
      trust.refresh(before);
      return known.value;
    },
    invalidate: () => void (invalidations += 1),
  };
}
