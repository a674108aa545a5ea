/**
 * Senders of whom no packet may leave by an uplink. The guard holds them itself, so that a sender whom the steering table
 * no longer knows, or knows wrongly, still cannot leave in the clear.
 */
export interface ProtectedSources {
  readonly macs: readonly string[];
  /** MACs that may leave by an uplink from a protected address: a policy that decides earlier says so. */
  readonly exempt: readonly string[];
  /** Interface and range, as nft writes them: `"lan0" . 10.0.0.0/24`. */
  readonly v4: readonly string[];
  readonly v6: readonly string[];
}

/**
 * A range cannot be added to a set that holds a part of it. So there are two sets for each family, and the rules consult
 * both: new ranges are complete in one before the other is emptied.
 */
export const rangeSets = { v4: ["protected4_a", "protected4_b"], v6: ["protected6_a", "protected6_b"] } as const;

/** What the sets hold: name → keys, spelled as in `elementsIn`. */
export type HeldSources = ReadonlyMap<string, ReadonlySet<string>>;

/** One change of one set. A set is emptied first, then elements are removed, then added. */
export interface SetChange {
  readonly set: string;
  readonly isEmptied?: true;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** What protects more. It happens before steering changes. */
export const protecting = (wanted: ProtectedSources, held: HeldSources): SetChange[] =>
  [
    difference("protected_mac", wanted.macs, held, "added"),
    difference("exempt_mac", wanted.exempt, held, "removed"),
    ...families.map((family) => filledRanges(rangeSets[family], wanted[family], held)),
  ].filter(isChange);

/** What protects less. It happens after steering has changed. */
export const releasing = (wanted: ProtectedSources, held: HeldSources): SetChange[] =>
  [
    difference("protected_mac", wanted.macs, held, "removed"),
    difference("exempt_mac", wanted.exempt, held, "added"),
    ...families.map((family) => emptiedRanges(rangeSets[family], wanted[family], held)),
  ].filter(isChange);

/** What the sets hold after these changes. */
export function changed(held: HeldSources, changes: readonly SetChange[]): HeldSources {
  const after = new Map(held);
  for (const { set, isEmptied, removed, added } of changes) {
    const keys = new Set(isEmptied ? [] : after.get(set));
    for (const key of removed) keys.delete(spelled(key));
    for (const key of added) keys.add(spelled(key));
    after.set(set, keys);
  }
  return after;
}

/** Elements that the kernel has and should not have, or does not have and should, as these changes show. */
export const elementsOff = (
  changes: readonly SetChange[],
  held: HeldSources,
): { readonly set: string; readonly key: string; readonly isMissing: boolean }[] =>
  changes.flatMap(({ set, isEmptied, removed, added }) => {
    const [now, wanted] = [heldIn(held, set), new Set(added.map(spelled))];
    const surplus = isEmptied ? [...now].filter((key) => !wanted.has(key)) : removed;
    const missing = [...wanted].filter((key) => !now.has(key));
    return [
      ...surplus.map((key) => ({ set, key, isMissing: false })),
      ...missing.map((key) => ({ set, key, isMissing: true })),
    ];
  });

const families = ["v4", "v6"] as const;
const nothing: ReadonlySet<string> = new Set();
const heldIn = (held: HeldSources, set: string): ReadonlySet<string> => held.get(set) ?? nothing;
/** nft wants quotes around the names of interfaces and lists them without. */
const spelled = (key: string): string => key.replaceAll('"', "");
const isChange = ({ isEmptied, removed, added }: SetChange): boolean =>
  isEmptied === true || removed.length > 0 || added.length > 0;

function difference(set: string, wanted: readonly string[], held: HeldSources, side: "added" | "removed"): SetChange {
  const keys = heldIn(held, set);
  if (side === "added") return { set, removed: [], added: wanted.filter((key) => !keys.has(key)) };
  const kept = new Set(wanted);
  return { set, removed: [...keys].filter((key) => !kept.has(key)), added: [] };
}

type Pair = readonly [string, string];

/** Of two sets, the one that holds just what is wanted. */
function completeSet(sets: Pair, wanted: readonly string[], held: HeldSources): string | undefined {
  const keys = wanted.map(spelled);
  return sets.find((set) => {
    const now = heldIn(held, set);
    return now.size === keys.length && keys.every((key) => now.has(key));
  });
}

function filledRanges(sets: Pair, wanted: readonly string[], held: HeldSources): SetChange {
  const [first] = sets;
  if (completeSet(sets, wanted, held) !== undefined) return { set: first, removed: [], added: [] };
  // Both hold something if a daemon ended between the two steps. Steering protects alone while one is written again.
  const set = sets.find((it) => heldIn(held, it).size === 0) ?? first;
  return { set, isEmptied: true, removed: [], added: wanted };
}

function emptiedRanges(sets: Pair, wanted: readonly string[], held: HeldSources): SetChange {
  const complete = completeSet(sets, wanted, held);
  const [first, second] = sets;
  const set = complete === first ? second : first;
  const isNeeded = complete !== undefined && heldIn(held, set).size > 0;
  return { set, ...(isNeeded && { isEmptied: true }), removed: [], added: [] };
}
