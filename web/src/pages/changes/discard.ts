import type { Difference } from "@portcullis/contract/subsystems/history";

/** One request that restores a staged resource. */
export type Putting =
  | { readonly kind: "update"; readonly id: string; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: "remove"; readonly id: string }
  | { readonly kind: "create"; readonly body: Readonly<Record<string, unknown>> };

/** Kinds that are staged, by their endpoint. */
export const subsystemOf = { routing_policy: "routing", profile: "profiles", chain: "chains" } as const;
export type StagedKind = keyof typeof subsystemOf;
export const isStagedKind = (kind: string): kind is StagedKind => Object.hasOwn(subsystemOf, kind);

/** Restores the current configuration. */
export const discarding = (difference: Difference): Putting => putting(difference, "before");

/** Restores the staged change after a discard. A resource that was created again has a new id. */
export function restaging(difference: Difference, createdId: string | undefined): Putting {
  if (difference.change === "removed" && createdId !== undefined) return { kind: "remove", id: createdId };
  return putting(difference, "after");
}

function putting({ id, change, fields }: Difference, side: "before" | "after"): Putting {
  const isThere = change === "changed" || (change === "added") === (side === "after");
  if (!isThere) return { kind: "remove", id };
  const values = fields.map((it) => [it.field, it[side] ?? null] as const);
  if (change === "changed") return { kind: "update", id, body: Object.fromEntries(values) };
  return { kind: "create", body: Object.fromEntries(values.filter(([, value]) => value !== null)) };
}
