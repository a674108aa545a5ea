import { formatAddress, parseAddress } from "@portcullis/contract/addresses";
import type { Exceptions, Guard, Ranked as RankedKey, Ruleset, Timed } from "../engines/nftables/nftables.model.ts";
import type { Cell } from "./cells.ts";
import { type Decisions, demanded, exhausted, unmatched } from "./decide.ts";
import { specialOutcome } from "./evaluate.ts";
import type { ExceptionTables } from "./exceptions.ts";
import type { Intent, IntentException } from "./intent.ts";
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
    exceptions: exceptionKeys(decisions.exceptions),
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

/** The same tables by what a packet is looked up with: nft keeps apart what is spelled differently. */
function exceptionKeys({ quarantined, direct, allowed }: ExceptionTables): Exceptions {
  const senders = (table: ReadonlyMap<string, IntentException>) => {
    const all = [...table].map(([key, exception]) => ({ kind: senderKind(key), ...timed(key, exception) }));
    return { mac: ofKind(all, "mac"), v4: ofKind(all, "v4"), v6: ofKind(all, "v6") };
  };
  const pairs = [...allowed].flatMap(([sender, { exceptions, cells }]) =>
    (["v4", "v6"] as const).flatMap((family) =>
      keys(cells[family], family === "v4" ? 4 : 6).map(({ key, rank }) => ({
        kind: `${senderKind(sender)} ${family}`,
        ...timed(`${sender} . ${key}`, exceptions[rank]!),
      })),
    ),
  );
  return {
    quarantined: senders(quarantined),
    direct: senders(direct),
    // A packet's two addresses are of one family.
    allowed: {
      mac4: ofKind(pairs, "mac v4"),
      mac6: ofKind(pairs, "mac v6"),
      v4: ofKind(pairs, "v4 v4"),
      v6: ofKind(pairs, "v6 v6"),
    },
  };
}

function senderKind(sender: string): "mac" | "v4" | "v6" {
  const family = parseAddress(sender)?.family;
  return family === undefined ? "mac" : family === 4 ? "v4" : "v6";
}

const timed = (key: string, { id, deviceId, untilMs }: IntentException): Timed => ({
  key,
  untilMs,
  cause: id === null ? `device ${deviceId}` : `exception ${id}`,
});

const ofKind = (all: readonly (Timed & { readonly kind: string })[], wanted: string): Timed[] =>
  all.filter(({ kind }) => kind === wanted).map(({ key, untilMs, cause }) => ({ key, untilMs, cause }));

function keys(cells: readonly Cell[], family: 4 | 6): RankedKey[] {
  return cells.map(({ first, last, rank }) => {
    const [from, to] = [first, last].map((value) => formatAddress({ family, value }));
    return { key: from === to ? from! : `${from}-${to}`, rank };
  });
}
