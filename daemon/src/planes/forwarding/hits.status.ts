import type { Hits } from "../../engines/nftables/steering/hits.model.ts";

interface Needs {
  readonly hits: () => Promise<readonly Hits[]>;
  readonly monotonicMs: () => number;
}

/** A client that polls must not keep the machine busy. */
const freshForMs = 1000;

/** Connections that each policy has decided, by its id. */
export function policyHits({ hits, monotonicMs }: Needs): () => Promise<ReadonlyMap<string, Hits>> {
  let look: { readonly untilMs: number; readonly seen: Promise<ReadonlyMap<string, Hits>> } | undefined;
  /** The last successful read. */
  let last: ReadonlyMap<string, Hits> = new Map();

  async function read(): Promise<ReadonlyMap<string, Hits>> {
    last = new Map((await hits()).map((it) => [policyOf(it), steady(it, last)]));
    return last;
  }

  return async () => {
    if (!look || monotonicMs() >= look.untilMs) look = { untilMs: monotonicMs() + freshForMs, seen: read() };
    const { seen } = look;
    return seen.catch((error: unknown) => {
      if (look?.seen === seen) look = undefined; // The next request reads again.
      throw error;
    });
  };
}

/** The kernel's times have whole seconds: while a count does not grow, the time that was reported first is kept. */
function steady(now: Hits, last: ReadonlyMap<string, Hits>): Hits {
  const before = last.get(policyOf(now));
  const isSame = before?.sinceMs === now.sinceMs && before.connections === now.connections;
  return isSame ? before : now;
}

const policyOf = ({ cause }: Hits): string => cause.replace(/^policy /, "");
