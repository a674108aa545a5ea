import { formatAddress } from "@portcullis/contract/addresses";
import type { Guard, Ranked as RankedKey, Ruleset } from "../engines/nftables/nftables.model.ts";
import type { Cell } from "./cells.ts";
import { type Decisions, demanded, exhausted, unmatched } from "./decide.ts";
import { specialOutcome } from "./evaluate.ts";
import type { Intent } from "./intent.ts";
import { directName, egressesOf, egressName, egressNumber, type Numbers, planName } from "./numbers.ts";

/** Numbers the resolver writes beside addresses lie above every rank, so that one left over from a deleted policy means nothing. */
const domainBase = 0x4000_0000;

/** Decisions → the tables the kernel looks packets up in. */
export function steer(decisions: Decisions, intent: Intent, numbers: Numbers): Ruleset {
  const planOf = (name: string): number => numbers.plans.get(name) ?? 0;
  const specials = [
    { rank: exhausted, name: "exhausted" },
    { rank: demanded, name: "demanded" },
    { rank: unmatched, name: "unmatched" },
  ];
  const plans = new Map([
    ...decisions.ranked.map(
      ({ policy, outcome }) => [planOf(planName(policy)), egressNumber(egressName(outcome), numbers)] as const,
    ),
    ...specials.map(
      ({ rank, name }) => [planOf(name), egressNumber(egressName(specialOutcome(rank, intent)), numbers)] as const,
    ),
  ]);
  return {
    lan: intent.network.lan,
    byMac: [...decisions.byMac].map(([key, rank]) => ({ key, rank })),
    bySource: [...decisions.bySource].map(([name, { v4, v6 }]) => ({
      interface: name,
      v4: keys(v4, 4),
      v6: keys(v6, 6),
    })),
    byDestination: { v4: keys(decisions.byDestination.v4, 4), v6: keys(decisions.byDestination.v6, 6) },
    byDomain: decisions.ranked
      .filter(({ policy }) => policy.sourceType === "domain")
      .map(({ rank, policy, outcome }) => ({
        number: domainBase + (numbers.domains.get(policy.id) ?? 0),
        rank: outcome.kind === "pass" ? exhausted : rank,
      })),
    actions: [
      ...decisions.ranked.map(({ rank, policy }) => ({
        rank,
        plan: planOf(planName(policy)),
        cause: `policy ${policy.id}`,
      })),
      ...specials.map(({ rank, name }) => ({ rank, plan: planOf(name), cause: name })),
    ],
    plans: [...plans].map(([plan, egress]) => ({ plan, egress })),
    splits: egressesOf(decisions).flatMap((it) =>
      it.kind === "split"
        ? [{ egress: egressNumber(it.name, numbers), members: it.members.map((name) => egressNumber(name, numbers)) }]
        : [],
    ),
    unmatchedRank: unmatched,
  };
}

/** Which interface may carry which egress. */
export function guard(decisions: Decisions, { network }: Intent, numbers: Numbers): Guard {
  const direct = { egress: egressNumber(directName, numbers), interface: network.wan };
  const ways = egressesOf(decisions).flatMap((it) =>
    it.kind === "way"
      ? [
          { egress: egressNumber(it.name, numbers), interface: it.interface },
          ...(it.failsOpen ? [{ egress: egressNumber(it.name, numbers), interface: network.wan }] : []),
        ]
      : [],
  );
  return { lan: network.lan, wan: network.wan, pairs: [direct, ...ways] };
}

function keys(cells: readonly Cell[], family: 4 | 6): RankedKey[] {
  return cells.map(({ first, last, rank }) => {
    const [from, to] = [first, last].map((value) => formatAddress({ family, value }));
    return { key: from === to ? from! : `${from}-${to}`, rank };
  });
}
