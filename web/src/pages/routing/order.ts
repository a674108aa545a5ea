import { compare, type Ordered } from "../../components/policies/order.ts";

/** The list with one policy moved. */
export function moved<P extends Ordered>(ordered: readonly P[], id: string, to: number): P[] {
  const it = ordered.find((policy) => policy.id === id);
  if (!it) return [...ordered];
  const rest = ordered.filter((policy) => policy !== it);
  return rest.toSpliced(Math.max(0, Math.min(to, rest.length)), 0, it);
}

export interface Rewrite {
  readonly id: string;
  readonly priority: number;
}

const highest = 1_000_000;
/** Gap between policies at an open end. */
const step = 10;

/**
 * The minimal set of priorities to write for the wanted order. A written policy gets a number between those of its
 * neighbours, with a gap on both sides if possible. Of equally small sets, one that includes `mover` is preferred: it is
 * the policy the user moved.
 */
export function rewrites(wanted: readonly Ordered[], mover?: string): Rewrite[] {
  const kept = keptIndexes(wanted, mover);
  const bounds = [-1, ...kept, wanted.length];
  const written = bounds.slice(1).flatMap((end, number) => {
    const begin = bounds[number]!;
    const between = wanted.slice(begin + 1, end);
    const low = wanted[begin]?.priority ?? -1;
    const high = wanted[end]?.priority ?? Math.min(highest + 1, low + step * (between.length + 1));
    return between.map(({ id }, index) => ({
      id,
      priority: low + Math.floor(((index + 1) * (high - low)) / (between.length + 1)),
    }));
  });
  return withoutMeeting(written, wanted);
}

/** The longest subsequence that can keep its numbers: already in order, with enough numbers for the policies between. */
function keptIndexes(wanted: readonly Ordered[], mover: string | undefined): number[] {
  const worth = wanted.map(({ id }) => (id === mover ? 1 : 1 + 1 / (wanted.length + 1)));
  const best: { readonly worth: number; readonly before: number }[] = [];
  let end = -1;
  for (const [index, it] of wanted.entries()) {
    let found = it.priority >= index ? { worth: worth[index]!, before: -1 } : { worth: -Infinity, before: -1 };
    for (let before = 0; before < index; before += 1) {
      const sum = best[before]!.worth + worth[index]!;
      if (sum > found.worth && fits(wanted[before]!, it, index - before)) found = { worth: sum, before };
    }
    best.push(found);
    const hasGapAfter = highest - it.priority >= wanted.length - 1 - index;
    if (hasGapAfter && found.worth > (best[end]?.worth ?? 0)) end = index;
  }
  const kept: number[] = [];
  for (let index = end; index !== -1; index = best[index]!.before) kept.unshift(index);
  return kept;
}

const fits = (a: Ordered, b: Ordered, apart: number): boolean =>
  apart === 1 ? compare(a, b) < 0 : b.priority - a.priority >= apart;

/** Two policies must not share a number in between: the gateway would refuse the second. */
function withoutMeeting(written: readonly Rewrite[], before: readonly Ordered[]): Rewrite[] {
  const heldBy = new Map(before.map(({ id, priority }) => [id, priority]));
  const waiting = [...written];
  const sorted: Rewrite[] = [];
  while (waiting.length > 0) {
    const held = new Set(waiting.map(({ id }) => heldBy.get(id)));
    const free = waiting.findIndex(({ id, priority }) => heldBy.get(id) === priority || !held.has(priority));
    sorted.push(...waiting.splice(Math.max(free, 0), 1));
  }
  return sorted;
}
