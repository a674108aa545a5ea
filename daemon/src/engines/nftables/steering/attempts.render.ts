import { decidedMark, hex } from "../marks.model.ts";
import { blockEgress, type Ruleset } from "../nftables.model.ts";
import type { Chain, NamedSet } from "../table.model.ts";

/** How long attempts are stored, and for how many senders. A sender that forges MACs can fill the set for a day. */
const remembered = { text: "24h", seconds: 86_400 } as const;
const maxSenders = 8192;

/** Networks for measurements (RFC 2544, RFC 5180): destinations of the leak check's probes, which are not attempts of a device. */
export const aims = ["ip daddr 198.18.0.0/15", "ip6 daddr 2001:2::/48"] as const;

/** Each kind has its own set, by the sender's MAC. If the set is full, only counting stops. */
export const attempts = {
  remembered,
  maxSenders,
  counted: (set: string): string => `update @${set} { ether saddr timeout ${remembered.text} counter }`,
};

/** The sets of the steering table, filled by packets. */
export const attemptSets = [
  "tried_blocked",
  "tried_resolver",
  "tried_encrypted",
  "tried_stun",
  "tried_ipv6",
  "tried_forged",
] as const;
export type AttemptSet = (typeof attemptSets)[number];

/**
 * The kernel's own check for forged senders is off, because it costs a route lookup for every packet. Here only the first
 * packet of a flow is checked against the routes; without a decision of steering, the others have no mark.
 */
export const forgedDropped = "fib saddr . iif oif missing goto forged";
/** Counting fails if the set is full or a sender has no MAC, and ends its rule; so the drop is a rule of its own. */
export const forgedChain: Chain = {
  name: "forged",
  rules: [attempts.counted("tried_forged" satisfies AttemptSet), "drop"],
};

export const attemptNamedSets: readonly NamedSet[] = attemptSets.map((name) => ({
  name,
  kind: "set",
  type: "ether_addr",
  size: maxSenders,
  flags: "dynamic, timeout",
  elements: [],
  isFilledElsewhere: true,
}));

/** Packets that are blocked because their hops are down. The route lookup refuses them, which is not counted. */
export const heldSet = ({ heldPlans }: Pick<Ruleset, "heldPlans">): NamedSet => ({
  name: "held",
  kind: "set",
  type: "mark",
  elements: heldPlans.map((plan) => ({ key: hex(decidedMark(plan, blockEgress)) })),
});
export const countingHeld = "meta mark @held jump held";
export const heldChain: Chain = {
  name: "held",
  rules: [...aims.map((aim) => `${aim} return`), attempts.counted("tried_blocked" satisfies AttemptSet)],
};
