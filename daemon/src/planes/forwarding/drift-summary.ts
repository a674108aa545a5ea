import { because, literal, type Reason, valueAs } from "@portcullis/contract/reason";
import type { DriftItem } from "../../reconciler/reconciler.ts";

/** As the API shows it: what was expected and what was found are values with a code. */
type Shown = Omit<DriftItem, "expected" | "actual"> & Values;
type Values = ReturnType<typeof valuesOf>;

type DriftSummary = Shown & {
  /** The number of items that it summarizes. */
  readonly differences: number;
};

export const shownDrift = ({ expected, actual, ...item }: DriftItem): Shown => ({
  ...item,
  ...valuesOf(wordIn(expected), wordIn(actual)),
});

const valuesOf = (expected: Reason | null, actual: Reason | null) => ({
  ...valueAs<"expected", Reason | null>("expected", expected),
  ...valueAs<"actual", Reason | null>("actual", actual),
});

/** Words of the gateway's own engines. Everything else is what the kernel or a program prints. */
const wordIn = (text: string | null): Reason | null =>
  text === null ? null : Object.hasOwn(words, text) ? words[text as keyof typeof words] : literal(text);

const words = {
  running: because("drift_running"),
  served: because("drift_served"),
  "in use": because("drift_in_use"),
  there: because("drift_there"),
  "as wanted": because("drift_as_wanted"),
  other: because("drift_other"),
};

/**
 * One line for each object that was removed or changed. A table that another program deletes takes a hundred rules, chains and sets
 * with it; the table is enough. The order stays, newest first.
 */
export function summarize(items: readonly DriftItem[]): DriftSummary[] {
  const removed = new Set(items.filter(isRemovedTable).map((it) => objectKey(it, it.resource)));
  const objects = Map.groupBy(items, (it) => {
    const table = objectKey(it, it.resource.split(" ")[0]!);
    return removed.has(table) ? table : objectKey(it, it.resource);
  });
  return [...objects.values()].map(summary);
}

const objectKey = ({ at, type }: DriftItem, name: string): string => `${at} ${type} ${name}`;

const isRemovedTable = ({ field, actual }: DriftItem): boolean => field === "table" && actual === null;

function summary(items: readonly DriftItem[]): DriftSummary {
  const table = items.find(isRemovedTable);
  const first = items[0]!;
  const { at, type, resource } = table ?? first;
  const about = { at, type, resource, differences: items.length };
  if (table) return { ...about, field: "table", ...valuesOf(because("drift_table"), null) };
  // Elements, routes and settings are short as they are. Rules are what `nft -j` prints.
  if (items.length === 1 && !isListing(first)) return { ...shownDrift(first), ...about };
  const sideOf = (side: "expected" | "actual") => items.filter((it) => it[side] !== null);
  return {
    ...about,
    field: [...new Set(items.map(({ field }) => field.split(" ")[0]!))].join(", "),
    ...valuesOf(counted(sideOf("expected")), counted(sideOf("actual"))),
  };
}

const isListing = ({ expected, actual }: DriftItem): boolean => (expected ?? actual ?? "").startsWith("{");

/** "3 × rule; 1 × chain"; null when there is nothing on that side. */
function counted(items: readonly DriftItem[]): Reason | null {
  const kinds = Map.groupBy(items, ({ field }) => field.split(" ")[0]!);
  const objects = [...kinds].map(([kind, { length: count }]) =>
    Object.hasOwn(objectCodes, kind)
      ? because(objectCodes[kind as keyof typeof objectCodes], { count })
      : because("drift_object", { count, kind }),
  );
  return objects.length === 0 ? null : because("drift_objects", { objects });
}

const objectCodes = {
  rule: "drift_rule",
  chain: "drift_chain",
  set: "drift_set",
  map: "drift_map",
  element: "drift_element",
} as const;
