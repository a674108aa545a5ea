import { parseAddress } from "@portcullis/contract/addresses";
import {
  type Exceptions,
  type Guard,
  localEgress,
  type Ranked as RankedKey,
  type Ruleset,
  type Timed,
} from "../../engines/nftables/nftables.model.ts";
import type { HopServers } from "../links/links.ts";
import { type Cell, type Cells, rangeKey } from "../policy/address-ranges.ts";
import { controlKeys } from "../policy/controls.ts";
import { type Decisions, demanded, effectiveRank, exhausted, local, unmatched } from "../policy/decide.ts";
import { specialOutcome } from "../policy/evaluate.ts";
import type { ExceptionTables } from "../policy/exceptions.ts";
import type { Facts } from "../input/facts.ts";
import { type Intent, type IntentException, type Network, outsideOf } from "../input/intent.ts";
import { egressNumber, type Numbers, planName } from "./kernel-ids.ts";
import { remember } from "../memoize.ts";
import { egressName, type Ways } from "./egresses.ts";

/** Numbers the resolver writes beside addresses lie above every rank, so that one left over from a deleted policy means nothing. */
const domainBase = 0x4000_0000;

/** As the resolver writes it beside an address. */
export const domainNumber = (policyId: string, { domains }: Numbers): number =>
  domainBase + (domains.get(policyId) ?? 0);

/** Decisions → the tables the kernel looks packets up in. Tables whose decisions are the same stay the same. */
export function steerer(): (
  decisions: Decisions,
  intent: Intent,
  facts: Facts,
  ways: Ways,
  numbers: Numbers,
) => Ruleset {
  const byPolicy = remember(policyTables);
  const bySource = remember(sourceKeys);
  const byDestination = remember(keysOf);
  const clamps = remember(clampsOf);
  const staying = remember(stayingFlows);
  const controls = controlKeys();
  return (decisions, { network, tunnels, names }, facts, ways, numbers) => ({
    lan: network.lan,
    byMac: [...decisions.byMac].map(([key, rank]) => ({ key, rank })),
    bySource: bySource(decisions.bySource),
    byDestination: byDestination(decisions.byDestination),
    ...byPolicy(decisions.ranked, network, ways, numbers),
    staying: staying(network, facts, numbers),
    clamps: clamps(tunnels, facts),
    unmatchedRank: unmatched,
    asked: names && { ...names.asked, ratePerSec: names.ratePerSec },
    exceptions: exceptionKeys(decisions.exceptions),
    controls: controls(decisions.controls),
  });
}

/** What follows from the policies alone, whoever they speak of. */
function policyTables(
  ranked: Decisions["ranked"],
  network: Network,
  { ways, splits }: Ways,
  numbers: Numbers,
): Pick<
  Ruleset,
  "macRanks" | "closedRanks" | "openEgresses" | "byDomain" | "actions" | "plans" | "heldPlans" | "splits"
> {
  const planOf = (name: string): number => numbers.plans.get(name) ?? 0;
  const specials = [
    { rank: local, name: "local" },
    { rank: exhausted, name: "exhausted" },
    { rank: demanded, name: "demanded" },
    { rank: unmatched, name: "unmatched" },
  ];
  const named = ranked.map(({ rank, policy, outcome }) => ({ rank, policy, outcome, plan: planOf(planName(policy)) }));
  const plans = new Map([
    ...named.map(({ plan, outcome }) => [plan, egressNumber(egressName(outcome, network), numbers)] as const),
    ...specials.map(
      ({ rank, name }) =>
        [planOf(name), egressNumber(egressName(specialOutcome(rank, { network }), network), numbers)] as const,
    ),
  ]);
  return {
    macRanks: [
      ...ranked
        .filter(({ policy }) => policy.sourceType === "device" || policy.sourceType === "device_group")
        .map(effectiveRank),
      exhausted,
      demanded,
    ],
    closedRanks: [
      ...ranked.filter(({ policy }) => policy.failPolicy !== "fail-open").map(({ rank }) => rank),
      exhausted,
      demanded,
    ],
    openEgresses: ways
      .filter(({ interfaces }) => interfaces.some((it) => outsideOf(network).includes(it)))
      .map(({ name }) => egressNumber(name, numbers))
      .toSorted((a, b) => a - b),
    byDomain: ranked
      .filter(({ policy }) => policy.sourceType === "domain")
      .map((it) => ({
        number: domainNumber(it.policy.id, numbers),
        rank: effectiveRank(it),
      })),
    actions: [
      ...named.map(({ rank, policy, plan }) => ({ rank, plan, cause: `policy ${policy.id}` })),
      ...specials.map(({ rank, name }) => ({ rank, plan: planOf(name), cause: name })),
    ],
    plans: [...plans].map(([plan, egress]) => ({ plan, egress })),
    heldPlans: [
      ...new Set(named.flatMap((it) => (it.outcome.kind === "block" && it.policy.hops.length > 0 ? [it.plan] : []))),
      planOf("exhausted"),
    ],
    splits: splits.map(({ name, members }) => ({
      egress: egressNumber(name, numbers),
      members: members.map((it) => ({ egress: egressNumber(it.name, numbers), weight: it.weight })),
    })),
  };
}

/** A flow by an uplink that still works stays there when another uplink is preferred: it would not survive the move. */
const stayingFlows = ({ wan, uplinks }: Network, { links, conditions }: Facts, numbers: Numbers): Ruleset["staying"] =>
  uplinks
    .filter((name) => name !== wan && conditions?.[name]?.carries === true)
    .filter((name) => links.some((link) => link.name === name && link.up))
    .map((name) => ({ was: egressNumber(name, numbers), is: egressNumber(wan, numbers) }));

/** The largest packet each tunnel takes, so that both ends of a connection are told in time. */
const clampsOf = (tunnels: Intent["tunnels"], { links }: Facts): Ruleset["clamps"] =>
  tunnels.flatMap(({ interface: name, enabled }) => {
    const mtu = links.find((link) => link.name === name)?.mtu;
    return enabled && mtu !== undefined ? [{ interface: name, mtu }] : [];
  });

const sourceKeys = (bySource: Decisions["bySource"]): Ruleset["bySource"] =>
  [...bySource].map(([name, cells]) => ({ interface: name, ...keysOf(cells) }));

const keysOf = ({ v4, v6 }: Cells): { v4: RankedKey[]; v6: RankedKey[] } => ({ v4: keys(v4, 4), v6: keys(v6, 6) });

/** Which interface may carry which egress. */
export function guard(
  { ways }: Ways,
  network: Network,
  { first, later }: HopServers,
  inner: Guard["inner"],
  numbers: Numbers,
  rescue: Guard["rescue"] | null = null,
): Guard {
  const carried = ways.flatMap(({ name, interfaces }) =>
    interfaces.map((it) => ({ egress: egressNumber(name, numbers), interface: it })),
  );
  const between = network.lan.length === 1 ? [] : network.lan.map((name) => ({ egress: localEgress, interface: name }));
  // In an order of their own: policies that change places leave the guard as it is.
  const pairs = [...carried, ...between].toSorted(
    (a, b) => a.egress - b.egress || (a.interface < b.interface ? -1 : 1),
  );
  // Where nobody may leave is outside nevertheless: what must not be seen there must not be seen.
  return {
    lan: network.lan,
    uplinks: outsideOf(network),
    uplinkPorts: network.uplinkPorts ?? [],
    ...(rescue && { rescue }),
    pairs,
    later,
    servers: first,
    inner,
  };
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
  return cells.map(({ first, last, rank }) => ({ key: rangeKey(first, last, family), rank }));
}
