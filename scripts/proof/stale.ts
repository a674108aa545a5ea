import type { Part } from "./part.ts";
import { isStale, type Records } from "./record.ts";
import { digestOf, readTree } from "./sources.ts";

/** The names of the parts whose records are missing or about other sources. */
export function staleParts(root: string, parts: readonly Part[], records: Records): ReadonlySet<string> {
  const tree = readTree(root);
  const stale = parts.filter((part) => isStale(records.get(part.name), digestOf(tree, part)));
  return new Set(stale.map(({ name }) => name));
}
