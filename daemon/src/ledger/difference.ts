import { canonical } from "./canonical.ts";
import type { Resource } from "./shelf.ts";

/** One resource that is not the same on two sides. */
export interface Difference {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly change: "added" | "removed" | "changed";
  readonly fields: { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

/** What happened to a resource, field by field; nothing when both sides are equal. */
export function difference(
  kind: string,
  id: string,
  before: Resource | undefined,
  after: Resource | undefined,
): Difference | undefined {
  const fields = differingFields(before ?? {}, after ?? {});
  if (fields.length === 0) return undefined;
  const { name = id } = (after ?? before) as { name?: string };
  return { kind, id, name, change: before ? (after ? "changed" : "removed") : "added", fields };
}

function differingFields(before: object, after: object): Difference["fields"] {
  const old = before as Record<string, unknown>;
  const fresh = after as Record<string, unknown>;
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
    .filter((field) => field !== "id" && canonical(old[field]) !== canonical(fresh[field]))
    .toSorted()
    .map((field) => ({ field, before: old[field] ?? null, after: fresh[field] ?? null }));
}
