import type { Resource } from "../../ledger/collection.ts";
import { isId, keyOf, nameKey } from "../lookup.ts";
import type { NameOf } from "./representation.ts";

/** Id → name, if the name means this resource and no other one. */
export function nameLookup(resourcesOf: (kind: string) => readonly Resource[], find: Find): NameOf {
  const counts = new Map<string, ReadonlyMap<string, number>>();
  const countsOf = (kind: string): ReadonlyMap<string, number> => {
    const known = counts.get(kind) ?? counted(resourcesOf(kind));
    counts.set(kind, known);
    return known;
  };
  return (kind, id) => {
    const name = (find(kind, id) as { readonly name?: string } | undefined)?.name;
    if (name === undefined || isId(name)) return id;
    // A resource that the change deletes is not among them.
    return (countsOf(kind).get(nameKey(name)) ?? 1) === 1 ? name : id;
  };
}
type Find = (kind: string, id: string) => Resource | undefined;

function counted(resources: readonly Resource[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const it of resources) {
    const key = keyOf(it);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
