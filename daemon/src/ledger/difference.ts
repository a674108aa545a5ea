import { canonical } from "./canonical.ts";
import type { Resource } from "./collection.ts";

/** One resource that differs between two states. */
export interface Difference {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly change: "added" | "removed" | "changed";
  readonly fields: { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

/** The difference of a resource, by field; undefined if both states are equal. */
export function difference(
  kind: string,
  id: string,
  before: Resource | undefined,
  after: Resource | undefined,
): Difference | undefined {
  if (canonical(before) === canonical(after)) return undefined;
  const change = before ? (after ? "changed" : "removed") : "added";
  return { kind, id, name: labelOf((after ?? before)!), change, fields: differingFields(before ?? {}, after ?? {}) };
}

/** The label of a resource: its name, its domain, or its id. */
function labelOf(resource: Resource): string {
  const { name, domain } = resource as { name?: unknown; domain?: unknown };
  return [name, domain].find((it): it is string => typeof it === "string" && it !== "") ?? resource.id;
}

/** An absent field and a null field are equal. */
function differingFields(before: object, after: object): Difference["fields"] {
  const old = before as Record<string, unknown>;
  const fresh = after as Record<string, unknown>;
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
    .toSorted()
    .map((field) => ({ field, before: old[field] ?? null, after: fresh[field] ?? null }))
    .filter(({ field, before: was, after: is }) => field !== "id" && canonical(was) !== canonical(is));
}
