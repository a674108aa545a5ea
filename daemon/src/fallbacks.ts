import type { Decisions, Ranked } from "./compiler/decide.ts";

/** A policy whose hops are down now, and were not before. */
export interface Fallback {
  readonly kind: "direct" | "shut";
  readonly policyId: string;
  readonly reason: string;
}

/** Who has fallen back since: out into the clear, or behind the closed gate. A policy without hops never had any other way. */
export function fallbacks(before: Decisions["ranked"] | undefined, now: Decisions["ranked"]): Fallback[] {
  if (before === now) return [];
  const known = new Map(before?.map((it) => [it.policy.id, fallbackOf(it)?.kind]));
  return now.flatMap((it) => {
    const fallback = fallbackOf(it);
    return fallback && known.get(fallback.policyId) !== fallback.kind ? [fallback] : [];
  });
}

function fallbackOf({ policy: { id, hops }, outcome }: Ranked): Fallback | undefined {
  if (hops.length === 0 || (outcome.kind !== "direct" && outcome.kind !== "block")) return undefined;
  return { kind: outcome.kind === "direct" ? "direct" : "shut", policyId: id, reason: outcome.reason };
}
