import { explained, type Reason } from "@portcullis/contract/reason";
import type { Announce } from "@portcullis/contract/events";
import type { Decisions, Ranked } from "../../compiler/policy/decide.ts";

/** A policy whose hops are down now, and were not before; or are up again. */
export type Fallback =
  | { readonly kind: "direct" | "blocked"; readonly policyId: string; readonly reason: Reason }
  | {
      readonly kind: "restored";
      readonly policyId: string;
      readonly from: "direct" | "blocked";
      readonly reason: Reason;
    };

/**
 * Policies that have become direct or blocked since. A policy without hops cannot fall back. A policy that uses its hops again,
 * or fails over to the next one, is restored; one that was edited or removed is not.
 */
export function fallbacks(before: Decisions["ranked"] | undefined, now: Decisions["ranked"]): Fallback[] {
  if (before === now) return [];
  const known = new Map(before?.map((it) => [it.policy.id, { policy: it.policy, kind: fallbackOf(it)?.kind }]));
  return now.flatMap((it): Fallback[] => {
    const fallback = fallbackOf(it);
    const last = known.get(it.policy.id);
    if (fallback) return last?.kind === fallback.kind ? [] : [fallback];
    if (last?.kind === undefined || it.policy.hops.length === 0) return [];
    return [{ kind: "restored", policyId: it.policy.id, from: last.kind, reason: it.outcome.reason }];
  });
}

function fallbackOf({
  policy: { id, hops },
  outcome,
}: Ranked): (Fallback & { kind: "direct" | "blocked" }) | undefined {
  if (hops.length === 0 || (outcome.kind !== "direct" && outcome.kind !== "block")) return undefined;
  return { kind: outcome.kind === "direct" ? "direct" : "blocked", policyId: id, reason: outcome.reason };
}

export function announceFallback(fallback: Fallback, name: string, announce: Announce): void {
  const { policyId, reason } = fallback;
  const payload = { policy_id: policyId, name, ...explained(reason) };
  if (fallback.kind === "restored")
    announce("policy.restored", { ...payload, from: fallback.from === "blocked" ? "blocked" : "direct" });
  else announce(fallback.kind === "direct" ? "policy.direct_fallback" : "policy.blocked", payload);
}
