import type { Explained } from "@portcullis/contract/reason";
import type { ReasonTexts } from "../i18n/reason.ts";
import type { StateName } from "../ui/state.tsx";

/** The outcome as reported by the evaluator, the leak matrix and the egress list. */
export type Outcome = "direct" | "local" | "block" | "egress" | "split" | "next";

/**
 * The state on screen. A policy that allows the direct connection while its hops are down is direct: only what a policy
 * or class forbids is a leak, and a policy's own outcome never is.
 */
export function stateOf(outcome: Outcome, hops: readonly Kind[]): StateName {
  if (outcome === "egress" || outcome === "split") return hides(hops) || hops.length === 0 ? "protected" : "direct";
  return outcome === "direct" || outcome === "local" ? "direct" : "blocked";
}

/** An interface hides nothing by itself: usually it is an uplink that a policy names. */
interface Kind {
  readonly type: string;
}
const hides = (hops: readonly Kind[]): boolean => hops.some(({ type }) => type !== "interface");

interface Doing {
  readonly outcome: Outcome;
  readonly hops: readonly Kind[];
}

/** Its tunnel or proxy is down, and it uses the direct connection meanwhile. */
export const isFallback = ({ outcome, hops }: Doing): boolean => outcome === "direct" && hides(hops);

/** Whether any traffic can match the policy at all. */
export const isUsed = ({ shadowed_by }: { readonly shadowed_by: string | null }): boolean => shadowed_by === null;

/** The gateway's reason if it adds to the drawing: for a path that is up it does not. */
export const reasonFor = (of: Explained & { readonly outcome: Outcome }, why: ReasonTexts): string =>
  of.outcome === "egress" || of.outcome === "split" ? "" : why.line(of);
