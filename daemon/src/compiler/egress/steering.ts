import { parseAddress } from "../../net/addresses.ts";
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
import { pauseException } from "../input/read-pauses.ts";
import { type Intent, type IntentException, type Network, outsideOf } from "../input/intent.ts";
import { egressNumber, type KernelIds, planName } from "./kernel-ids.ts";
import { memoize, reuseEqual } from "../memoize.ts";
import { egressName, type Egresses } from "./egresses.ts";
import { windowsOf } from "./windows.ts";

/** The resolver writes these numbers beside addresses. They are above every rank, so that one of a deleted policy matches none. */
const domainBase = 0x4000_0000;

/** The number that the resolver writes beside an address. */
export const domainNumber = (policyId: string, { domains }: KernelIds): number =>
  domainBase + (domains.get(policyId) ?? 0);

/** Decisions → the tables in which the kernel looks packets up. A table of unchanged decisions is the identical object. */
export function steeringCompiler(): (
  decisions: Decisions,
  intent: Intent,
  facts: Facts,
  egresses: Egresses,
  kernelIds: KernelIds,
) => Ruleset {
  const byPolicy = memoize(policyTables);
  const bySource = memoize(sourceKeys);
  const byDestination = memoize(keysOf);
  const clamps = memoize(clampsOf);
  const staying = memoize(stayingFlows);
  const controls = controlKeys();
  const windows = reuseEqual<NonNullable<Ruleset["windows"]>>();
  return (decisions, intent, facts, egresses, kernelIds) => {
    const { network, tunnels, dns } = intent;
    return {
      lan: network.lan,
      byMac: [...decisions.byMac].map(([key, rank]) => ({ key, rank })),
      bySource: bySource(decisions.bySource),
      byDestination: byDestination(decisions.byDestination),
      ...byPolicy(decisions.ranked, network, egresses, kernelIds),
      staying: staying(network, facts, kernelIds),
      clamps: clamps(tunnels, facts),
      unmatchedRank: unmatched,
      dnsListener: dns && { ...dns.listener, ratePerSec: dns.ratePerSec },
      exceptions: exceptionKeys(decisions.exceptions),
      controls: controls(decisions.controls),
      windows: windows(windowsOf(intent, facts)),
    };
  };
}

/** Tables that depend on the policies only, not on devices. */
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
    { rank: failoverExhausted, name: "failover_exhausted" },
    { rank: tunnelRequired, name: "tunnel_required" },
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
      planOf("failover_exhausted"),
    ],
    splits: splits.map(({ name, members }) => ({
      egress: egressNumber(name, kernelIds),
      members: members.map((it) => ({ egress: egressNumber(it.name, kernelIds), weight: it.weight })),
    })),
  };
}

/** A flow stays on its uplink while that is up, even if another is preferred: it would not survive the move. */
const stayingFlows = (
  { wan, uplinks }: Network,
  { links, conditions }: Facts,
  kernelIds: KernelIds,
): Ruleset["staying"] =>
  uplinks
    .filter((name) => name !== wan && conditions?.[name]?.isUp === true)
    .filter((name) => links.some((link) => link.name === name && link.up))
    .map((name) => ({ was: egressNumber(name, kernelIds), is: egressNumber(wan, kernelIds) }));

/** The MTU of each tunnel, to which TCP MSS is clamped. */
const clampsOf = (tunnels: Intent["tunnels"], { links }: Facts): Ruleset["clamps"] =>
  tunnels.flatMap(({ interface: name, enabled }) => {
    const mtu = links.find((link) => link.name === name)?.mtu;
    return enabled && mtu !== undefined ? [{ interface: name, mtu }] : [];
  });

const sourceKeys = (bySource: Decisions["bySource"]): Ruleset["bySource"] =>
  [...bySource].map(([name, ranges]) => ({ interface: name, ...keysOf(ranges) }));

const keysOf = ({ v4, v6 }: RangesByFamily): { v4: RankedKey[]; v6: RankedKey[] } => ({
  v4: keys(v4, 4),
  v6: keys(v6, 6),
});

interface GuardInput {
  readonly egresses: Egresses;
  readonly network: Network;
  readonly servers: HopServers;
  readonly inner: Guard["inner"];
  readonly segments: Pick<Guard, "lanPairs" | "lanAddresses">;
  readonly kernelIds: KernelIds;
  readonly rescue: Guard["rescue"] | null;
}

/** Which egress may leave by which interface. */
export function compileGuard({
  egresses: { egresses },
  network,
  servers,
  inner,
  segments,
  kernelIds,
  rescue,
}: GuardInput): Guard {
  const forwarded = egresses.flatMap(({ name, interfaces }) =>
    interfaces.map((it) => ({ egress: egressNumber(name, kernelIds), interface: it })),
  );
  const between = network.lan.length === 1 ? [] : network.lan.map((name) => ({ egress: localEgress, interface: name }));
  // Sorted, so that a new order of policies does not change the guard.
  const pairs = [...forwarded, ...between].toSorted(
    (a, b) => a.egress - b.egress || (a.interface < b.interface ? -1 : 1),
  );
  // Unused uplinks are outside too: the guard keeps protected packets away from them.
  return {
    lan: network.lan,
    uplinks: outsideOf(network),
    uplinkPorts: network.uplinkPorts ?? [],
    ...(rescue && { rescue }),
    pairs,
    ...segments,
    innerHopServers: servers.innerHop,
    servers: servers.firstHop,
    inner,
  };
}

/** The same tables by the type of their key: nft needs one map for each. */
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
    // Source and destination are of the same family.
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

const timed = (key: string, { id, type, deviceId, untilMs }: IntentException): Timed => ({
  key,
  untilMs,
  cause: id === null ? `device ${deviceId}` : `${type === pauseException ? "pause" : "exception"} ${id}`,
});

const ofKind = (all: readonly (Timed & { readonly kind: string })[], wanted: string): Timed[] =>
  all.filter(({ kind }) => kind === wanted).map(({ key, untilMs, cause }) => ({ key, untilMs, cause }));

function keys(ranges: readonly AddressRange[], family: 4 | 6): RankedKey[] {
  return ranges.map(({ first, last, rank }) => ({ key: rangeKey(first, last, family), rank }));
}
