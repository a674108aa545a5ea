import type { DriftItem } from "../../reconciler/reconciler.ts";

export interface DriftSummary extends DriftItem {
  /** The number of items that it summarizes. */
  readonly differences: number;
}

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
  if (table) return { ...about, field: "table", expected: "table", actual: null };
  // Elements, routes and settings are short as they are. Rules are what `nft -j` prints.
  if (items.length === 1 && !isListing(first)) return { ...first, ...about };
  const sideOf = (side: "expected" | "actual") => items.filter((it) => it[side] !== null);
  return {
    ...about,
    field: [...new Set(items.map(({ field }) => field.split(" ")[0]!))].join(", "),
    expected: counted(sideOf("expected")),
    actual: counted(sideOf("actual")),
  };
}

const isListing = ({ expected, actual }: DriftItem): boolean => (expected ?? actual ?? "").startsWith("{");

/** "3 rules, 1 chain"; null when there is nothing on that side. */
function counted(items: readonly DriftItem[]): string | null {
  const kinds = Map.groupBy(items, ({ field }) => field.split(" ")[0]!);
  const words = [...kinds].map(([kind, { length }]) => `${length} ${kind}${length === 1 ? "" : "s"}`);
  return words.length === 0 ? null : words.join(", ");
}
