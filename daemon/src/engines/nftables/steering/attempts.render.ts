import { decidedMark, hex } from "../marks.model.ts";
import { blockEgress, type Ruleset } from "../nftables.model.ts";
import type { Chain, NamedSet } from "../table.model.ts";

/** How long what somebody tried is remembered, and of how many. Who invents senders fills the place of others for a day. */
const remembered = { text: "24h", seconds: 86_400 } as const;
const maxSenders = 8192;

/** Networks for measurements (RFC 2544, RFC 5180), where attacks of our own go: those are no device's doing. */
export const aims = ["ip daddr 198.18.0.0/15", "ip6 daddr 2001:2::/48"] as const;

/** Each in the set of its own, by the sender's MAC. Should the set be full, only the counting ends. */
export const attempts = {
  remembered,
  maxSenders,
  counted: (set: string): string => `update @${set} { ether saddr timeout ${remembered.text} counter }`,
};

/** What is counted in the steering table. Packets fill these. */
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
 * The kernel is told not to look for forged senders, for it would ask the routes about every packet. Here only the first
 * of a flow is asked whether its sender lives where it comes from; what steering does not let in gets no mark.
 */
export const forgedDropped = "fib saddr . iif oif missing goto forged";
/** Counting may fail, where the set is full or a sender has no MAC, and takes the rest of its rule along. */
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

/** What goes nowhere because its hops are down: the kernel refuses it while it looks for a route, where nobody counts. */
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
