import { because, type Reason } from "@portcullis/contract/reason";
import { type Facts, type HopFact, isSplit } from "../input/facts.ts";
import type { IntentPolicy } from "../input/intent.ts";

/** Where a policy sends packets, given which hops are up. */
export type Outcome =
  | { readonly kind: "block"; readonly reason: Reason }
  | { readonly kind: "direct"; readonly reason: Reason }
  /** To another LAN of the gateway. */
  | { readonly kind: "local"; readonly reason: Reason }
  /** By the interface of the last hop; the other hops forward the tunnels inside them. */
  | {
      readonly kind: "egress";
      readonly interface: string;
      /** The last hop is a proxy: it forwards TCP connections only. */
      readonly isProxy: boolean;
      readonly failsOpen: boolean;
      readonly reason: Reason;
    }
  | {
      readonly kind: "split";
      readonly members: readonly { readonly interface: string; readonly weight: number }[];
      readonly failsOpen: boolean;
      readonly reason: Reason;
    }
  /** The next matching policy decides; when none is left the packet is dropped. */
  | { readonly kind: "pass"; readonly reason: Reason };

type Route = Pick<IntentPolicy, "hops" | "failPolicy" | "splitting">;

export function outcomeOf(policy: Route, facts: Facts): Outcome {
  const { hops, failPolicy, splitting } = policy;
  if (hops.length === 0) return failed(failPolicy, because("policy_without_hops"));
  const found = hops.map((hop) => facts.hops.find((it) => it.type === hop.type && it.target === hop.target));
  const failsOpen = failPolicy === "fail-open";
  if (isSplit(policy)) {
    const usable = found.filter((hop): hop is HopFact => hop?.up === true && misplaced(hop, undefined) === undefined);
    if (usable.length === 0) return failed(failPolicy, because("hops_all_down"));
    const members = new Map(usable.map((hop) => [hop.interface, hop.weight ?? 1]));
    return {
      kind: "split",
      members: [...members].map(([name, weight]) => ({ interface: name, weight })),
      failsOpen,
      reason: because("hops_partly_up", { up: usable.length, all: hops.length }),
    };
  }
  const trouble = hops
    .map((hop, position) => problemOf(found[position], found[position - 1], position, hop.target))
    .find((it) => it !== undefined);
  if (trouble !== undefined) return failed(failPolicy, trouble);
  const last = found.at(-1)!;
  return {
    kind: "egress",
    interface: last.interface,
    isProxy: last.own?.kind === "proxy",
    failsOpen,
    reason: because(splitting ? "hops_nothing_to_split" : "hops_all_up"),
  };
}

/** Why a hop cannot be used at its position; undefined if it can. */
function problemOf(
  hop: HopFact | undefined,
  before: HopFact | undefined,
  index: number,
  target: string,
): Reason | undefined {
  const position = index + 1;
  if (!hop) return because("hop_unknown", { position, target });
  const why = misplaced(hop, before);
  if (why !== undefined) return because("hop_misplaced", { position, target, why });
  if (hop.up) return undefined;
  return hop.reason === undefined
    ? because("hop_down", { position, target })
    : because("hop_down_because", { position, target, why: hop.reason });
}

/** Why a hop cannot be nested as a policy requires; undefined if it can. */
const misplaced = (hop: HopFact, before: HopFact | undefined): Reason | undefined =>
  impossible(hop, before) ?? elsewhere(hop, before);

/** Why no policy can nest the hop there. */
export function impossible({ own }: HopFact, before: HopFact | undefined): Reason | undefined {
  if (before && !own) return because("place_foreign", { outer: before.interface });
  return before?.own?.kind === "proxy" ? because("place_in_proxy", { outer: before.interface }) : undefined;
}

/** Where else the hop is nested, because an earlier policy requires it. */
export function elsewhere({ own }: HopFact, before: HopFact | undefined): Reason | undefined {
  if (!own || (own.outerHop?.interface ?? null) === (before?.interface ?? null)) return undefined;
  return own.outerHop ? because("place_elsewhere", { outer: own.outerHop.interface }) : because("place_on_uplink");
}

function failed(policy: Route["failPolicy"], why: Reason): Outcome {
  switch (policy) {
    case "fail-closed":
      return { kind: "block", reason: because("fails_closed", { why }) };
    case "fail-open":
      return { kind: "direct", reason: because("fails_open", { why }) };
    case "fail-over":
      return { kind: "pass", reason: because("fails_over", { why }) };
  }
}

/** The interfaces by which a packet may leave. */
export function outgoingInterfaces(outcome: Outcome, wan: string): string[] {
  switch (outcome.kind) {
    case "egress":
      // Packets that a proxy cannot forward leave by the uplink if the policy fails open.
      return [outcome.interface, ...(outcome.isProxy && outcome.failsOpen ? [wan] : [])];
    case "split":
      return outcome.members.map((it) => it.interface);
    case "direct":
      return [wan];
    case "local":
    case "block":
    case "pass":
      return [];
  }
}
