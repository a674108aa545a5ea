import type { Facts, HopFact } from "./facts.ts";
import type { IntentPolicy } from "./intent.ts";

/** Where a policy sends what it matches, given which hops carry packets now. */
export type Outcome =
  | { readonly kind: "block"; readonly reason: string }
  | { readonly kind: "direct"; readonly reason: string }
  /** It stays in the house. */
  | { readonly kind: "local"; readonly reason: string }
  /** The last hop's interface carries the packets; those before it carry the hops themselves. */
  | { readonly kind: "egress"; readonly interface: string; readonly failsOpen: boolean; readonly reason: string }
  | {
      readonly kind: "split";
      readonly interfaces: readonly string[];
      readonly failsOpen: boolean;
      readonly reason: string;
    }
  /** The next matching policy decides; when none is left the packet is dropped. */
  | { readonly kind: "pass"; readonly reason: string };

type Route = Pick<IntentPolicy, "hops" | "failPolicy" | "splitting">;

export function outcomeOf(policy: Route, facts: Facts): Outcome {
  const { hops, failPolicy, splitting } = policy;
  if (hops.length === 0) return failed(failPolicy, "it has no hops");
  const found = hops.map((hop) => facts.hops.find((it) => it.type === hop.type && it.target === hop.target));
  const failsOpen = failPolicy === "fail-open";
  if (isSplit(policy)) {
    const carrying = found.filter((hop): hop is HopFact => hop?.up === true).map((hop) => hop.interface);
    if (carrying.length === 0) return failed(failPolicy, "none of its hops is up");
    return {
      kind: "split",
      interfaces: [...new Set(carrying)],
      failsOpen,
      reason: `${carrying.length} of ${hops.length} hops are up`,
    };
  }
  const dead = found.findIndex((hop) => hop?.up !== true);
  if (dead >= 0)
    return failed(failPolicy, `hop ${dead + 1} (${hops[dead]!.target}) is ${found[dead] ? "down" : "unknown"}`);
  return {
    kind: "egress",
    interface: found.at(-1)!.interface,
    failsOpen,
    reason: splitting ? "one hop: nothing to split" : "every hop is up",
  };
}

/** Splitting needs several vpn hops; anything else is a chain. */
export const isSplit = ({ hops, splitting }: Pick<Route, "hops" | "splitting">): boolean =>
  splitting && hops.length > 1 && hops.every(({ type }) => type === "vpn");

function failed(policy: Route["failPolicy"], why: string): Outcome {
  switch (policy) {
    case "fail-closed":
      return { kind: "block", reason: `${why}, and it fails closed` };
    case "fail-open":
      return { kind: "direct", reason: `${why}, and it fails open` };
    case "fail-over":
      return { kind: "pass", reason: `${why}, and it fails over to the next policy` };
  }
}
