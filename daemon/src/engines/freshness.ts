/** Even if nothing was heard, everything is looked at so often. */
const fullLookEveryMs = 600_000;

/**
 * What was seen stays so until something is heard. `heard` counts: whatever happened, or may have happened while nobody
 * listened, moves it on.
 */
export function trustIn(heard: () => number) {
  let last = { heard: -1, atMs: 0 };
  return {
    holds: (): boolean => last.heard === heard() && performance.now() - last.atMs < fullLookEveryMs,
    /** `before` is what had been heard when the look began. */
    renew: (before: number): void => void (last = { heard: before, atMs: performance.now() }),
  };
}

/** Something that is read again only when there is a reason. */
export interface Reading<T> {
  read(): Promise<T>;
  /** We changed it ourselves and need not wait to hear of it. */
  forget(): void;
}

export function readOnce<T>(heard: () => number, readNow: () => Promise<T>): Reading<T> {
  let forgotten = 0;
  const reasons = () => heard() + forgotten;
  const trust = trustIn(reasons);
  let known: { readonly value: T } | undefined;
  return {
    read: async () => {
      if (known && trust.holds()) return known.value;
      const before = reasons();
      known = { value: await readNow() };
      trust.renew(before);
      return known.value;
    },
    forget: () => void (forgotten += 1),
  };
}
