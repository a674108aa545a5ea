/** Even if nothing was heard, everything is looked at so often. */
const maxAgeMs = 600_000;

/**
 * What was seen stays so until something is heard. `heard` counts: whatever happened, or may have happened while nobody
 * listened, moves it on.
 */
export function trackFreshness(heard: () => number) {
  let last = { heard: -1, atMs: 0 };
  return {
    isFresh: (): boolean => last.heard === heard() && performance.now() - last.atMs < maxAgeMs,
    /** `before` is what had been heard when the look began. */
    refresh: (before: number): void => void (last = { heard: before, atMs: performance.now() }),
  };
}

/** Something that is read again only when there is a reason. */
export interface CachedReader<T> {
  read(): Promise<T>;
  /** We changed it ourselves and need not wait to hear of it. */
  invalidate(): void;
}

export function cachedReader<T>(heard: () => number, readNow: () => Promise<T>): CachedReader<T> {
  let forgotten = 0;
  const reasons = () => heard() + forgotten;
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
    invalidate: () => void (forgotten += 1),
  };
}
