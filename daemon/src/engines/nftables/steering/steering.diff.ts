import { decidedSets, hitsSet } from "./hits.render.ts";
import type { Steering } from "./steering.render.ts";
import type { Element, NamedSet } from "../table.model.ts";

/** What changes from one steering to the next. */
export interface SteeringDifference {
  /** Interval maps that are created in a transaction of their own, before the rules change. */
  readonly prepared: readonly NamedSet[];
  /** Maps and sets whose elements change in the same transaction as the rules. */
  readonly updates: readonly ElementUpdate[];
  /** Only the generation differs: no packet would be decided differently. */
  readonly isNothing: boolean;
}

export interface ElementUpdate {
  readonly set: NamedSet;
  /** The set is flushed, then all elements are added. */
  readonly isEmptied: boolean;
  readonly removed: readonly Element[];
  readonly added: readonly Element[];
}

/** Without `known`, the kernel's state is unknown, and everything is rewritten. */
export function differenceOf(known: Steering | undefined, next: Steering): SteeringDifference {
  const existing = new Map(known?.sets.map((set) => [set.name, set]));
  const prepared = next.sets.filter(({ name, role }) => role !== undefined && !existing.has(name));
  const updates = [
    ...next.sets
      .filter(({ isFilledElsewhere, role }) => !isFilledElsewhere && role === undefined)
      .flatMap((set) => elementUpdate(set, existing.get(set.name))),
    ...(known?.numbering.began === next.numbering.began ? [] : [hitsSet, ...decidedSets].map(emptied)),
  ];
  return {
    prepared,
    updates,
    isNothing:
      known?.meaning === next.meaning &&
      prepared.length === 0 &&
      updates.every(({ set }) => set.isPerGeneration === true),
  };
}

/** Removes counts whose numbers have another meaning now. */
const emptied = (set: NamedSet): ElementUpdate => ({ set, isEmptied: true, removed: [], added: [] });

/** If more than this share of a map changes, a flush and a refill are cheaper. */
const worthComparing = 0.5;

function elementUpdate(set: NamedSet, known: NamedSet | undefined): ElementUpdate[] {
  const whole = { set, isEmptied: true, removed: [], added: set.elements };
  if (!known || known.type !== set.type) return [whole];
  const { removed, added } = elementChanges(known.elements, set.elements);
  const count = removed.length + added.length;
  if (count === 0) return [];
  // nft reads a whole interval map before it changes one element, and elements with a timeout may have expired.
  if (set.flags !== undefined || count > set.elements.length * worthComparing) return [whole];
  return [{ set, isEmptied: false, removed, added }];
}

/** By key: elements to delete (unwanted, or with other data), and elements to add (new, or with the new data). */
function elementChanges(
  before: readonly Element[],
  after: readonly Element[],
): { removed: Element[]; added: Element[] } {
  if (before === after) return { removed: [], added: [] };
  // Usually one of thousands differs: only the part between the first and the last difference is compared.
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
