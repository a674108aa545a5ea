import { type Cidr, parseNetwork } from "../../net/addresses.ts";
import { highestRank } from "../../engines/nftables/marks.model.ts";
import { type RangesByFamily, disjointRanges } from "./address-ranges.ts";
import { type ControlTables, controlTables } from "./controls.ts";
import { type ExceptionTables, exceptionTables } from "./exceptions.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent, IntentDevice, IntentPolicy, Network } from "../input/intent.ts";
import { inOrder } from "../input/policy-order.ts";
import { vlanOf } from "../input/vlans.ts";
import { type Segments, segmentsOf } from "./segments.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { memoize, reuseEqual } from "../memoize.ts";

/** A policy with its rank. The lowest rank wins. */
export interface Ranked {
  readonly rank: number;
  readonly policy: IntentPolicy;
  readonly outcome: Outcome;
}

/** Packets to another LAN: policies decide only about packets that leave. */
export const local = 1;
/** The rank of the first policy. */
export const firstRank = 2;
/** Ranks after all policies: only policies that failed over matched; the class requires a tunnel; nothing matched. */
export const failoverExhausted = highestRank - 2;
export const tunnelRequired = highestRank - 1;
export const unmatched = highestRank;

/**
 * The rank for each key, computed beforehand, so that a packet needs a fixed number of lookups: by the sender's MAC, by
 * the sender's address on an interface, by the destination, by the domain that was resolved.
 * The lowest rank of the four decides.
 */
export interface Decisions {
  readonly ranked: readonly Ranked[];
  readonly byMac: ReadonlyMap<string, number>;
  readonly bySource: ReadonlyMap<string, RangesByFamily>;
  /** Interface → the lowest rank of policies that match all its addresses. */
  readonly byInterface: ReadonlyMap<string, number>;
  readonly byDestination: RangesByFamily;
  readonly byDomain: readonly { readonly domain: string; readonly rank: number }[];
  readonly segments: Segments;
  readonly exceptions: ExceptionTables;
  /** Evaluated after exceptions and before policies. */
  readonly controls: ControlTables;
}

export const decide = (intent: Intent, facts: Facts): Decisions => decider()(intent, facts);

/** The same, memoized: only tables whose input changed are computed again. */
export function decider(): (intent: Intent, facts: Facts) => Decisions {
  const rank = memoize(rankPolicies);
  const named = memoize(namedRanks);
  const addressed = reuseEqual<readonly IntentDevice[]>();
  const bySource = memoize(sourceTables);
  const byInterface = memoize(interfaceRanks);
  const byDestination = memoize(destinationRanges);
  const byDomain = memoize(domainRanks);
  return (intent, facts) => {
    const ranked = rank(intent.policies, facts);
    return {
      ranked,
      byMac: macRanks(intent.devices, named(ranked)),
      bySource: bySource(intent.network, ranked, facts, addressed(intent.devices.filter(({ mac }) => mac === null))),
      byInterface: byInterface(intent.network, ranked, facts),
      byDestination: byDestination(intent.network.lan, ranked, facts),
      byDomain: byDomain(ranked),
      segments: segmentsOf(intent, facts),
      exceptions: exceptionTables(intent.exceptions),
      controls: controlTables(intent),
    };
  };
}

const rankPolicies = (policies: readonly IntentPolicy[], facts: Facts): readonly Ranked[] =>
  inOrder(policies).map((policy, index) => ({ rank: firstRank + index, policy, outcome: outcomeOf(policy, facts) }));

const destinationRanges = (lan: readonly string[], ranked: readonly Ranked[], facts: Facts): RangesByFamily =>
  rangesOf([
    ...localNetworks(lan, facts).flatMap((network) => networksOf(network, local)),
    ...ranked
      .filter((it) => it.policy.sourceType === "destination")
      .flatMap((it) => networksOf(it.policy.sourceValue, effectiveRank(it))),
  ]);

/** With a single LAN, local packets do not pass through the gateway. */
const localNetworks = (lan: readonly string[], { links }: Facts): string[] =>
  lan.length === 1 ? [] : links.filter(({ name }) => lan.includes(name)).flatMap(({ networks = [] }) => networks);

const domainRanks = (ranked: readonly Ranked[]): Decisions["byDomain"] =>
  ranked
    .filter((it) => it.policy.sourceType === "domain")
    .map((it) => ({ domain: it.policy.sourceValue.toLowerCase(), rank: effectiveRank(it) }));

/** A policy that fails over does not decide, but a packet that matches no other policy is blocked. */
export const effectiveRank = ({ rank, outcome }: Pick<Ranked, "rank" | "outcome">): number =>
  outcome.kind === "pass" ? failoverExhausted : rank;

/** Device and group → the lowest rank a policy gives them by name. */
interface NamedRanks {
  readonly device: ReadonlyMap<string, number>;
  readonly group: ReadonlyMap<string, number>;
}

function namedRanks(ranked: readonly Ranked[]): NamedRanks {
  const device = new Map<string, number>();
  const group = new Map<string, number>();
  for (const it of ranked) {
    const { sourceType, sourceValue } = it.policy;
    const table = sourceType === "device" ? device : sourceType === "device_group" ? group : undefined;
    table?.set(sourceValue, Math.min(table.get(sourceValue) ?? unmatched, effectiveRank(it)));
  }
  return { device, group };
}

function macRanks(devices: readonly IntentDevice[], named: NamedRanks): Map<string, number> {
  const ranks = new Map<string, number>();
  for (const { id, mac, groupIds, requiresTunnel } of devices) {
    if (mac === null) continue;
    let rank = Math.min(named.device.get(id) ?? unmatched, requiresTunnel ? tunnelRequired : unmatched);
    for (const group of groupIds) rank = Math.min(rank, named.group.get(group) ?? unmatched);
    if (rank !== unmatched) ranks.set(mac, rank);
  }
  return ranks;
}

type Members = ReadonlyMap<string, readonly IntentDevice[]>;

function groupMembers(devices: readonly IntentDevice[]): Members {
  const members = new Map<string, IntentDevice[]>();
  for (const device of devices)
    for (const group of device.groupIds) {
      const known = members.get(group);
      if (known) known.push(device);
      else members.set(group, [device]);
    }
  return members;
}

function sourceTables(
  network: Network,
  ranked: readonly Ranked[],
  facts: Facts,
  addressed: readonly IntentDevice[],
): Decisions["bySource"] {
  const members = groupMembers(addressed);
  return new Map(network.lan.map((name) => [name, sourceRanges(name, network, ranked, facts, members, addressed)]));
}

/** Ranks by source address on one interface. Devices with a MAC are matched by that instead. */
function sourceRanges(
  name: string,
  network: Network,
  ranked: readonly Ranked[],
  facts: Facts,
  members: Members,
  addressed: readonly IntentDevice[],
): RangesByFamily {
  const byId = new Map(addressed.map((device) => [device.id, device]));
  const networks = ranked.flatMap((it) => {
    const { sourceType, sourceValue } = it.policy;
    const rank = effectiveRank(it);
    switch (sourceType) {
      case "all":
      case "interface":
      case "vlan":
        return matchesEverySender(it, name, network, facts) ? everywhere(rank) : [];
      case "subnet":
        return networksOf(sourceValue, rank);
      case "device":
        return addressesOf(byId.has(sourceValue) ? [byId.get(sourceValue)!] : [], rank);
      case "device_group":
        return addressesOf(members.get(sourceValue) ?? [], rank);
      case "destination":
      case "domain":
        return [];
    }
  });
  return rangesOf([
    ...networks,
    ...addressesOf(
      addressed.filter(({ requiresTunnel }) => requiresTunnel),
      tunnelRequired,
    ),
  ]);
}

const interfaceRanks = (network: Network, ranked: readonly Ranked[], facts: Facts): Map<string, number> =>
  new Map(network.lan.map((name) => [name, interfaceRank(name, network, ranked, facts)]));

const interfaceRank = (name: string, network: Network, ranked: readonly Ranked[], facts: Facts): number =>
  ranked
    .filter((it) => matchesEverySender(it, name, network, facts))
    .reduce((lowest, it) => Math.min(lowest, effectiveRank(it)), unmatched);

/** Whether a policy matches every packet from an interface. */
function matchesEverySender(
  { policy: { sourceType, sourceValue } }: Ranked,
  name: string,
  network: Network,
  facts: Facts,
): boolean {
  if (sourceType === "vlan") return sourceValue === String(vlanOf(name, network, facts));
  return sourceType === "all" || (sourceType === "interface" && sourceValue === name);
}

interface RankedNetwork {
  readonly network: Cidr;
  readonly rank: number;
}

const addressesOf = (devices: readonly IntentDevice[], rank: number): RankedNetwork[] =>
  devices.flatMap(({ ips }) => ips.flatMap((ip) => networksOf(ip, rank)));

/** A network, or one address, as ranked networks; nothing when the text is neither. */
function networksOf(text: string, rank: number): RankedNetwork[] {
  const network = parseNetwork(text);
  return network ? [{ network, rank }] : [];
}

const everywhere = (rank: number): RankedNetwork[] => [
  { network: { family: 4, base: 0n, bits: 0 }, rank },
  { network: { family: 6, base: 0n, bits: 0 }, rank },
];

const rangesOf = (networks: readonly RankedNetwork[]): RangesByFamily => ({
  v4: disjointRanges(networks.filter(({ network }) => network.family === 4)),
  v6: disjointRanges(networks.filter(({ network }) => network.family === 6)),
});
