import type { StoredException } from "./exceptions.store.ts";

interface Needs {
  readonly now: () => Date;
  /** It never jumps. */
  readonly monotonicMs: () => number;
}

/**
 * When exceptions end, by the wall clock as it goes now. One that lets somebody out never lasts longer than it had left
 * when it was first seen: a clock that is set back would lengthen it, at the next time the rules are loaded. A quarantine
 * may: to be shut too long is no leak.
 */
export function openExpiryTimes({ now, monotonicMs }: Needs) {
  const seen = new Map<string, { readonly deadlineMs: number; told: string }>();
  return {
    of: ({ id, allow_direct, expires_at }: StoredException): string => {
      if (!allow_direct) return expires_at;
      const nowMs = now().getTime();
      const expiresMs = Date.parse(expires_at);
      const known = seen.get(id) ?? { deadlineMs: monotonicMs() + expiresMs - nowMs, told: expires_at };
      seen.set(id, known);
      const trueMs = Math.min(expiresMs, nowMs + known.deadlineMs - monotonicMs());
      // The same answer as long as nobody sets the clock: two clocks are never read at the same moment.
      if (Math.abs(trueMs - Date.parse(known.told)) > slackMs) known.told = new Date(trueMs).toISOString();
      return known.told;
    },
    forget: (id: string): void => void seen.delete(id),
  };
}

const slackMs = 1000;
