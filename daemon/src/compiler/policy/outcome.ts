import { type Facts, type HopFact, isSplit } from "../input/facts.ts";
import type { IntentPolicy } from "../input/intent.ts";

/** Where a policy sends packets, given which hops are up. */
export type Outcome =
  | { readonly kind: "block"; readonly reason: string }
  | { readonly kind: "direct"; readonly reason: string }
  /** To another LAN of the gateway. */
  | { readonly kind: "local"; readonly reason: string }
  /** By the interface of the last hop; the other hops forward the tunnels inside them. */
  | {
      readonly kind: "egress";
      readonly interface: string;
      /** The last hop is a proxy: it forwards TCP connections only. */
      readonly isProxy: boolean;
      readonly failsOpen: boolean;
      readonly reason: string;
    }
  | {
      readonly kind: "split";
      readonly members: readonly { readonly interface: string; readonly weight: number }[];
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
    const usable = found.filter((hop): hop is HopFact => hop?.up === true && misplaced(hop, undefined) === undefined);
    if (usable.length === 0) return failed(failPolicy, "none of its hops is up");
    const members = new Map(usable.map((hop) => [hop.interface, hop.weight ?? 1]));
    return {
      kind: "split",
      members: [...members].map(([name, weight]) => ({ interface: name, weight })),
      failsOpen,
      reason: `${usable.length} of ${hops.length} hops are up`,
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
    reason: splitting ? "one hop: nothing to split" : "every hop is up",
  };
}

/** Why a hop cannot be used at its position; undefined if it can. */
function problemOf(
  hop: HopFact | undefined,
  before: HopFact | undefined,
  position: number,
  target: string,
): string | undefined {
  const named = `hop ${position + 1} (${target})`;
  if (!hop) return `${named} is unknown`;
  const why = misplaced(hop, before);
  if (why !== undefined) return `${named} ${why}`;
  return hop.up ? undefined : `${named} is down${hop.reason === undefined ? "" : `: ${hop.reason}`}`;
}

/** Why a hop cannot be nested as a policy requires; undefined if it can. */
const misplaced = (hop: HopFact, before: HopFact | undefined): string | undefined =>
  impossible(hop, before) ?? elsewhere(hop, before);

/** Why no policy can nest the hop there. */
export function impossible({ own }: HopFact, before: HopFact | undefined): string | undefined {
  if (before && !own) return `is an interface of another program, which cannot be put inside ${before.interface}`;
  return before?.own?.kind === "proxy"
    ? `cannot be put inside ${before.interface}: a proxy forwards connections only`
    : undefined;
}

/** Where else the hop is nested, because an earlier policy requires it. */
export function elsewhere({ own }: HopFact, before: HopFact | undefined): string | undefined {
  if (!own || (own.outerHop?.interface ?? null) === (before?.interface ?? null)) return undefined;
  return own.outerHop
    ? `runs behind ${own.outerHop.interface}, where another policy needs it`
    : "runs by the uplink, where another policy needs it";
}

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
