import type { StoredPause } from "./pauses.store.ts";

interface Needs {
  readonly now: () => Date;
  /** A monotonic clock, the same for every process until the next boot. */
  readonly monotonicMs: () => number;
  /** The id of the current boot. */
  readonly boot: string;
}

interface End {
  readonly expires_at: string;
  /** By the monotonic clock. */
  readonly untilMs: number;
}

/**
 * The ends of pauses. Within a boot the monotonic clock counts, so that neither a restart of the daemon nor a clock that is set
 * back lengthens a pause; after a boot the wall clock does. A clock that is set forward shortens it.
 */
export function openPauseEnds({ now, monotonicMs, boot }: Needs) {
  const seen = new Map<string, { readonly deadlineMs: number; reported: string; untilMs: number }>();
  return {
    of: (it: StoredPause): End => {
      const [nowMs, monoMs] = [now().getTime(), monotonicMs()];
      const expiresMs = Date.parse(it.expires_at);
      const known = seen.get(it.id) ?? firstSeen(it.boot === boot ? it.deadline_ms : monoMs + expiresMs - nowMs, it);
      seen.set(it.id, known);
      const trueMs = Math.min(expiresMs, nowMs + known.deadlineMs - monoMs);
      // The same result while the clock is not set: the two clocks are never read at exactly the same time.
      const untilMs = monoMs + trueMs - nowMs;
      if (Math.abs(trueMs - Date.parse(known.reported)) > slackMs) known.reported = new Date(trueMs).toISOString();
      if (Math.abs(untilMs - known.untilMs) > slackMs) known.untilMs = untilMs;
      return { expires_at: known.reported, untilMs: known.untilMs };
    },
    forget: (id: string): void => void seen.delete(id),
  };
}

const firstSeen = (deadlineMs: number, { expires_at }: StoredPause) => ({
  deadlineMs,
  reported: expires_at,
  untilMs: deadlineMs,
});

const slackMs = 1000;
