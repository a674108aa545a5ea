import type { Hits } from "../../engines/nftables/steering/hits.model.ts";

interface Needs {
  readonly hits: () => Promise<readonly Hits[]>;
  /** A clock that nobody sets. */
  readonly monotonicMs: () => number;
}

/** Whoever looks all the time must not keep the machine busy with it. */
const freshForMs = 1000;

/** What policies have decided, by their ids. */
export function policyHits({ hits, monotonicMs }: Needs): () => Promise<ReadonlyMap<string, Hits>> {
  let look: { readonly untilMs: number; readonly seen: Promise<ReadonlyMap<string, Hits>> } | undefined;
  /** What the last look that succeeded has seen. */
  let last: ReadonlyMap<string, Hits> = new Map();

  async function lookNow(): Promise<ReadonlyMap<string, Hits>> {
    last = new Map((await hits()).map((it) => [policyOf(it), steady(it, last)]));
    return last;
  }

  return async () => {
    if (!look || monotonicMs() >= look.untilMs) look = { untilMs: monotonicMs() + freshForMs, seen: lookNow() };
    const { seen } = look;
    return seen.catch((error: unknown) => {
      if (look?.seen === seen) look = undefined; // Who asks again may be luckier.
      throw error;
    });
  };
}

/** The kernel tells whole seconds only: as long as a count does not grow, its date is the one that was told before. */
function steady(now: Hits, last: ReadonlyMap<string, Hits>): Hits {
  const before = last.get(policyOf(now));
  const isSame = before?.sinceMs === now.sinceMs && before.connections === now.connections;
  return isSame ? before : now;
}

const policyOf = ({ cause }: Hits): string => cause.replace(/^policy /, "");
