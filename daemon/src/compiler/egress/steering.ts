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
import { type AddressRange, type RangesByFamily, rangeKey } from "../policy/address-ranges.ts";
import { controlKeys } from "../policy/controls.ts";
import {
  type Decisions,
  tunnelRequired,
  effectiveRank,
  failoverExhausted,
  local,
  unmatched,
} from "../policy/decide.ts";
import { specialOutcome } from "../policy/evaluate.ts";
import type { ExceptionTables } from "../policy/exceptions.ts";
import type { Facts } from "../input/facts.ts";
import { type Intent, type IntentException, type Network, outsideOf } from "../input/intent.ts";
import { egressNumber, type KernelIds, planName } from "./kernel-ids.ts";
import { memoize } from "../memoize.ts";
import { egressName, type Egresses } from "./egresses.ts";

/** Numbers the resolver writes beside addresses lie above every rank, so that one left over from a deleted policy means nothing. */
const domainBase = 0x4000_0000;

/** As the resolver writes it beside an address. */
export const domainNumber = (policyId: string, { domains }: KernelIds): number =>
  domainBase + (domains.get(policyId) ?? 0);

/** Decisions → the tables the kernel looks packets up in. Tables whose decisions are the same stay the same. */
export function steeringCompiler(): (
  decisions: Decisions,
  intent: Intent,
  facts: Facts,
  ways: Egresses,
  kernelIds: KernelIds,
) => Ruleset {
  const byPolicy = memoize(policyTables);
  const bySource = memoize(sourceKeys);
  const byDestination = memoize(keysOf);
  const clamps = memoize(clampsOf);
  const staying = memoize(stayingFlows);
  const controls = controlKeys();
  return (decisions, { network, tunnels, dns }, facts, ways, kernelIds) => ({
    lan: network.lan,
    byMac: [...decisions.byMac].map(([key, rank]) => ({ key, rank })),
    bySource: bySource(decisions.bySource),
    byDestination: byDestination(decisions.byDestination),
    ...byPolicy(decisions.ranked, network, ways, kernelIds),
    staying: staying(network, facts, kernelIds),
    clamps: clamps(tunnels, facts),
    unmatchedRank: unmatched,
    asked: dns && { ...dns.listener, ratePerSec: dns.ratePerSec },
    exceptions: exceptionKeys(decisions.exceptions),
    controls: controls(decisions.controls),
  });
}

/** What follows from the policies alone, whoever they speak of. */
function policyTables(
  ranked: Decisions["ranked"],
  network: Network,
  { egresses, splits }: Egresses,
  kernelIds: KernelIds,
): Pick<
  Ruleset,
  "macRanks" | "closedRanks" | "openEgresses" | "byDomain" | "actions" | "plans" | "heldPlans" | "splits"
> {
  const planOf = (name: string): number => kernelIds.plans.get(name) ?? 0;
  const specials = [
    { rank: local, name: "local" },
    { rank: failoverExhausted, name: "exhausted" },
    { rank: tunnelRequired, name: "demanded" },
    { rank: unmatched, name: "unmatched" },
  ];
  const named = ranked.map(({ rank, policy, outcome }) => ({ rank, policy, outcome, plan: planOf(planName(policy)) }));
  const plans = new Map([
    ...named.map(({ plan, outcome }) => [plan, egressNumber(egressName(outcome, network), kernelIds)] as const),
    ...specials.map(
      ({ rank, name }) =>
        [planOf(name), egressNumber(egressName(specialOutcome(rank, { network }), network), kernelIds)] as const,
    ),
  ]);
  return {
    macRanks: [
      ...ranked
        .filter(({ policy }) => policy.sourceType === "device" || policy.sourceType === "device_group")
        .map(effectiveRank),
      failoverExhausted,
      tunnelRequired,
    ],
    closedRanks: [
      ...ranked.filter(({ policy }) => policy.failPolicy !== "fail-open").map(({ rank }) => rank),
      failoverExhausted,
      tunnelRequired,
    ],
    openEgresses: egresses
      .filter(({ interfaces }) => interfaces.some((it) => outsideOf(network).includes(it)))
      .map(({ name }) => egressNumber(name, kernelIds))
      .toSorted((a, b) => a - b),
    byDomain: ranked
      .filter(({ policy }) => policy.sourceType === "domain")
      .map((it) => ({
        number: domainNumber(it.policy.id, kernelIds),
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
      egress: egressNumber(name, kernelIds),
      members: members.map((it) => ({ egress: egressNumber(it.name, kernelIds), weight: it.weight })),
    })),
  };
}

/** A flow by an uplink that still works stays there when another uplink is preferred: it would not survive the move. */
const stayingFlows = (
  { wan, uplinks }: Network,
  { links, conditions }: Facts,
  kernelIds: KernelIds,
): Ruleset["staying"] =>
  uplinks
    .filter((name) => name !== wan && conditions?.[name]?.isUp === true)
    .filter((name) => links.some((link) => link.name === name && link.up))
    .map((name) => ({ was: egressNumber(name, kernelIds), is: egressNumber(wan, kernelIds) }));

/** The largest packet each tunnel takes, so that both ends of a connection are told in time. */
const clampsOf = (tunnels: Intent["tunnels"], { links }: Facts): Ruleset["clamps"] =>
  tunnels.flatMap(({ interface: name, enabled }) => {
    const mtu = links.find((link) => link.name === name)?.mtu;
    return enabled && mtu !== undefined ? [{ interface: name, mtu }] : [];
  });

const sourceKeys = (bySource: Decisions["bySource"]): Ruleset["bySource"] =>
  [...bySource].map(([name, cells]) => ({ interface: name, ...keysOf(cells) }));

const keysOf = ({ v4, v6 }: RangesByFamily): { v4: RankedKey[]; v6: RankedKey[] } => ({
  v4: keys(v4, 4),
  v6: keys(v6, 6),
});

/** Which interface may carry which egress. */
export function compileGuard(
  { egresses }: Egresses,
  network: Network,
  { firstHop, innerHop }: HopServers,
  inner: Guard["inner"],
  kernelIds: KernelIds,
  rescue: Guard["rescue"] | null = null,
): Guard {
  const forwarded = egresses.flatMap(({ name, interfaces }) =>
    interfaces.map((it) => ({ egress: egressNumber(name, kernelIds), interface: it })),
  );
  const between = network.lan.length === 1 ? [] : network.lan.map((name) => ({ egress: localEgress, interface: name }));
  // In an order of their own: policies that change places leave the guard as it is.
  const pairs = [...forwarded, ...between].toSorted(
    (a, b) => a.egress - b.egress || (a.interface < b.interface ? -1 : 1),
  );
  // Where nobody may leave is outside nevertheless: what must not be seen there must not be seen.
  return {
    lan: network.lan,
    uplinks: outsideOf(network),
    uplinkPorts: network.uplinkPorts ?? [],
    ...(rescue && { rescue }),
    pairs,
    later: innerHop,
    servers: firstHop,
    inner,
  };
}

/** The same tables by what a packet is looked up with: nft keeps apart what is spelled differently. */
function exceptionKeys({ quarantined, direct, allowed }: ExceptionTables): Exceptions {
  const senders = (table: ReadonlyMap<string, IntentException>) => {
    const all = [...table].map(([key, exception]) => ({ kind: senderKind(key), ...timed(key, exception) }));
    return { mac: ofKind(all, "mac"), v4: ofKind(all, "v4"), v6: ofKind(all, "v6") };
  };
  const pairs = [...allowed].flatMap(([sender, { exceptions, ranges }]) =>
    (["v4", "v6"] as const).flatMap((family) =>
      keys(ranges[family], family === "v4" ? 4 : 6).map(({ key, rank }) => ({
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

function keys(cells: readonly AddressRange[], family: 4 | 6): RankedKey[] {
  return cells.map(({ first, last, rank }) => ({ key: rangeKey(first, last, family), rank }));
}
