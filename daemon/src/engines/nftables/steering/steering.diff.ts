import { hitsHolder } from "./hits.render.ts";
import type { Steering } from "./steering.render.ts";
import type { Element, Holder } from "../table.model.ts";

/** What must happen for one steering to take the place of another. */
export interface SteeringDifference {
  /** Maps of ranges that are made beforehand. */
  readonly beforehand: readonly Holder[];
  /** Maps and sets whose elements change, in the moment everything does. */
  readonly filled: readonly Filling[];
  /** Generations differ, but nobody would be sent elsewhere. */
  readonly isNothing: boolean;
}

export interface Filling {
  readonly holder: Holder;
  /** Emptied first; then everything is added. */
  readonly isEmptied: boolean;
  readonly removed: readonly Element[];
  readonly added: readonly Element[];
}

/** Without `known`, nothing is known of what stands, and everything is made anew. */
export function differenceOf(known: Steering | undefined, next: Steering): SteeringDifference {
  const standing = new Map(known?.holders.map((holder) => [holder.name, holder]));
  const beforehand = next.holders.filter(({ name, role }) => role !== undefined && !standing.has(name));
  const filled = [
    ...next.holders
      .filter(({ kept, role }) => !kept && role === undefined)
      .flatMap((holder) => filling(holder, standing.get(holder.name))),
    ...(known?.numbering.began === next.numbering.began ? [] : [emptied(hitsHolder)]),
  ];
  return {
    beforehand,
    filled,
    isNothing:
      known?.meaning === next.meaning &&
      beforehand.length === 0 &&
      filled.every(({ holder }) => holder.mortal === true),
  };
}

/** What was counted under numbers that mean others now. */
const emptied = (holder: Holder): Filling => ({ holder, isEmptied: true, removed: [], added: [] });

/** Changes of more than this share of a map are cheaper as a map emptied and filled. */
const worthComparing = 0.5;

function filling(holder: Holder, known: Holder | undefined): Filling[] {
  const anew = { holder, isEmptied: true, removed: [], added: holder.elements };
  if (!known || known.type !== holder.type) return [anew];
  const { removed, added } = elementChanges(known.elements, holder.elements);
  const count = removed.length + added.length;
  if (count === 0) return [];
  // nft reads a whole interval map before it changes one element of it, and what ends by itself may be gone already.
  if (holder.flags !== undefined || count > holder.elements.length * worthComparing) return [anew];
  return [{ holder, isEmptied: false, removed, added }];
}

/** By key: what is not wanted any more or leads elsewhere, and what is new or leads there now. */
function elementChanges(
  before: readonly Element[],
  after: readonly Element[],
): { removed: Element[]; added: Element[] } {
  if (before === after) return { removed: [], added: [] };
  // Most often one of thousands is another: only what lies between the first and the last difference is looked at.
  const isSameAt = (a: number, b: number): boolean =>
    before[a]?.key === after[b]?.key && before[a] !== undefined && isSame(before[a], after[b]!);
  let [first, oldEnd, newEnd] = [0, before.length, after.length];
  while (first < oldEnd && first < newEnd && isSameAt(first, first)) first += 1;
  while (oldEnd > first && newEnd > first && isSameAt(oldEnd - 1, newEnd - 1))
    [oldEnd, newEnd] = [oldEnd - 1, newEnd - 1];
  const old = new Map(before.slice(first, oldEnd).map((element) => [element.key, element]));
  const added = after.slice(first, newEnd).filter((element) => {
    const same = isSame(old.get(element.key), element);
    if (same) old.delete(element.key);
    return !same;
  });
  return { removed: [...old.values()], added };
}

const isSame = (a: Element | undefined, b: Element): boolean =>
  a !== undefined && a.data === b.data && a.comment === b.comment && a.untilMs === b.untilMs;
