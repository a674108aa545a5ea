/** Collects what happens at about the same time: once nothing more was added for a while, or the first has waited long enough. */
export interface Digest<T> {
  readonly add: (items: readonly T[]) => void;
  /** Passes on what is collected, now. */
  readonly flush: () => void;
}

export function digest<T>(pass: (items: readonly T[]) => void, { quietMs = 5000, mostMs = 60_000 } = {}): Digest<T> {
  let items: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sinceMs = 0;
  function flush(): void {
    clearTimeout(timer);
    const collected = items;
    items = [];
    if (collected.length > 0) pass(collected);
  }
  return {
    add: (more) => {
      if (more.length === 0) return;
      const now = performance.now();
      if (items.length === 0) sinceMs = now;
      items.push(...more);
      clearTimeout(timer);
      timer = setTimeout(flush, Math.max(0, Math.min(quietMs, sinceMs + mostMs - now)));
      timer.unref();
    },
    flush,
  };
}
