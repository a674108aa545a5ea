import type { StateName } from "../kit/state.tsx";

/** Where something leaves, as the evaluator, the leak matrix and the egress list say it. */
export type Outcome = "direct" | "local" | "block" | "egress" | "split" | "next";

/**
 * The state people see. What leaves in the clear although its policy names hops is a leak, also when the policy allowed
 * it for the case that its hops are down: nobody should take that for a choice of the moment.
 */
export function stateOf(outcome: Outcome, hops: readonly Kind[]): StateName {
  const hides = hops.some(({ type }) => type !== "interface");
  if (outcome === "egress" || outcome === "split") return hides || hops.length === 0 ? "protected" : "direct";
  if (outcome === "direct") return hides ? "leaking" : "direct";
  return outcome === "local" ? "direct" : "shut";
}

/** An interface hides nothing by itself: mostly it is an uplink, named by somebody who wants that one. */
interface Kind {
  readonly type: string;
}
