import type { StoredException } from "./exceptions.store.ts";

interface Needs {
  readonly now: () => Date;
  /** A monotonic clock. */
  readonly monotonicMs: () => number;
}

/**
 * The expiry times of exceptions, by the current wall clock. A bypass never lasts longer than the time it had left when it
 * was first read: a clock that is set back would lengthen it when the rules are loaded again. A quarantine may last longer:
 * blocking too long is not a leak.
 */
export function openExpiryTimes({ now, monotonicMs }: Needs) {
  const seen = new Map<string, { readonly deadlineMs: number; reported: string }>();
  return {
    of: ({ id, allow_direct, expires_at }: StoredException): string => {
      if (!allow_direct) return expires_at;
      const nowMs = now().getTime();
      const expiresMs = Date.parse(expires_at);
      const known = seen.get(id) ?? { deadlineMs: monotonicMs() + expiresMs - nowMs, reported: expires_at };
      seen.set(id, known);
      const trueMs = Math.min(expiresMs, nowMs + known.deadlineMs - monotonicMs());
      // The same result while the clock is not set: the two clocks are never read at exactly the same time.
      if (Math.abs(trueMs - Date.parse(known.reported)) > slackMs) known.reported = new Date(trueMs).toISOString();
      return known.reported;
    },
    forget: (id: string): void => void seen.delete(id),
  };
}

const slackMs = 1000;
