/** Throttles attempts at one secret (an account's password, the setup code) over all client addresses. */
export interface LoginThrottle {
  /** Counts an attempt before it is evaluated, so that parallel attempts count too; returns the seconds to wait if it is too early. */
  take(subject: string, network: string): number | undefined;
  succeeded(subject: string, network: string): void;
}

interface Count {
  failures: number;
  /** No attempt is evaluated before this. */
  notBeforeMs: number;
  lastMs: number;
}

const maxWaitMs = 300_000;
/** After this time without an attempt the count restarts. */
const resetAfterMs = 3_600_000;
/** With more subjects than this, for instance a flood of random usernames, the least recent ones are dropped. */
const subjectsKept = 10_000;

/**
 * The first `free` attempts pass immediately; each further one doubles the wait, up to five minutes. A network with a
 * successful login is counted separately: attackers on other networks cannot lock out the user.
 */
export function openLoginThrottle({ free, nowMs }: { free: number; nowMs: () => number }): LoginThrottle {
  const counts = new Map<string, Count>();
  const trusted = new Set<string>();

  const keyOf = (subject: string, network: string): string => {
    const own = `${subject}\n${network}`;
    return trusted.has(own) ? own : subject;
  };
  function countOf(key: string, now: number): Count {
    const known = counts.get(key);
    const count = known && now - known.lastMs < resetAfterMs ? known : { failures: 0, notBeforeMs: 0, lastMs: now };
    // The most recent subject is the last one of the map.
    counts.delete(key);
    counts.set(key, count);
    if (counts.size > subjectsKept) counts.delete(counts.keys().next().value!);
    return count;
  }
  return {
    take: (subject, network) => {
      const now = nowMs();
      const count = countOf(keyOf(subject, network), now);
      // A clock that was set back must not lengthen the wait beyond the maximum.
      count.notBeforeMs = Math.min(count.notBeforeMs, now + maxWaitMs);
      if (count.notBeforeMs > now) return Math.ceil((count.notBeforeMs - now) / 1000);
      count.failures += 1;
      count.lastMs = now;
      if (count.failures >= free) count.notBeforeMs = now + Math.min(maxWaitMs, 1000 * 2 ** (count.failures - free));
      return undefined;
    },
    succeeded: (subject, network) => {
      counts.delete(keyOf(subject, network));
      trusted.add(`${subject}\n${network}`);
      if (trusted.size > subjectsKept) trusted.delete(trusted.values().next().value!);
    },
  };
}
