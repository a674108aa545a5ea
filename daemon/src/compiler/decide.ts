import { type Cidr, parseNetwork } from "@portcullis/contract/addresses";
import { type Cell, disjointCells } from "./cells.ts";
import { type ExceptionTables, exceptionTables } from "./exceptions.ts";
import type { Facts } from "./facts.ts";
import type { Intent, IntentDevice, IntentPolicy } from "./intent.ts";
import { inOrder } from "./order.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";

/** A policy in its place. Ranks begin at 1; the lower rank wins. */
export interface Ranked {
  readonly rank: number;
  readonly policy: IntentPolicy;
  readonly outcome: Outcome;
}

/** Ranks no policy has: who matched only policies that passed on, whose class demands a tunnel, and everybody else. */
export const exhausted = 0x3fff_fffd;
export const demanded = 0x3fff_fffe;
export const unmatched = 0x3fff_ffff;

/** Cells of both families. */
export interface Cells {
  readonly v4: readonly Cell[];
  readonly v6: readonly Cell[];
}

/**
 * Who obeys which policy, resolved beforehand per key, so that a packet needs a fixed number of look-ups: by the
 * sender's MAC, by the sender's address on an interface, by the destination, by the name that was looked up.
 * The lowest rank of the four decides.
 */
export interface Decisions {
  readonly ranked: readonly Ranked[];
  readonly byMac: ReadonlyMap<string, number>;
  readonly bySource: ReadonlyMap<string, Cells>;
  /** Interface → the rank of whoever's address nobody knows: what speaks of every address. */
  readonly byInterface: ReadonlyMap<string, number>;
  readonly byDestination: Cells;
  readonly byDomain: readonly { readonly domain: string; readonly rank: number }[];
  readonly exceptions: ExceptionTables;
}

export function decide(intent: Intent, facts: Facts): Decisions {
  const ranked = inOrder(intent.policies).map((policy, index) => ({
    rank: index + 1,
    policy,
    outcome: outcomeOf(policy, facts),
  }));
  const members = groupMembers(intent.devices);
  return {
    ranked,
    byMac: macRanks(intent.devices, ranked),
    bySource: new Map(
      intent.network.lan.map((name) => [name, sourceCells(name, ranked, facts, members, intent.devices)]),
    ),
    byInterface: new Map(intent.network.lan.map((name) => [name, interfaceRank(name, ranked, facts)])),
    byDestination: cellsOf(
      ranked
        .filter((it) => it.policy.sourceType === "destination")
        .flatMap((it) => networksOf(it.policy.sourceValue, effectiveRank(it))),
    ),
    byDomain: ranked
      .filter((it) => it.policy.sourceType === "domain")
      .map((it) => ({ domain: it.policy.sourceValue.toLowerCase(), rank: effectiveRank(it) })),
    exceptions: exceptionTables(intent.exceptions),
  };
}

/** A policy that passes on decides nothing itself, but whoever matches nothing else is dropped. */
const effectiveRank = ({ rank, outcome }: Ranked): number => (outcome.kind === "pass" ? exhausted : rank);

function macRanks(devices: readonly IntentDevice[], ranked: readonly Ranked[]): Map<string, number> {
  const byDevice = new Map<string, number>();
  const byGroup = new Map<string, number>();
  for (const it of ranked) {
    const table =
      it.policy.sourceType === "device" ? byDevice : it.policy.sourceType === "device_group" ? byGroup : undefined;
    if (table)
      table.set(it.policy.sourceValue, Math.min(table.get(it.policy.sourceValue) ?? unmatched, effectiveRank(it)));
  }
  const ranks = new Map<string, number>();
  for (const { id, mac, groupIds, requiresTunnel } of devices) {
    if (mac === null) continue;
    const named = [byDevice.get(id), ...groupIds.map((group) => byGroup.get(group))].filter(
      (rank) => rank !== undefined,
    );
    const rank = Math.min(unmatched, ...named, ...(requiresTunnel ? [demanded] : []));
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

/** Everything that is decided by where a packet comes from, on one interface. */
function sourceCells(
  name: string,
  ranked: readonly Ranked[],
  facts: Facts,
  members: Members,
  devices: readonly IntentDevice[],
): Cells {
  const byId = new Map(devices.map((device) => [device.id, device]));
  const networks = ranked.flatMap((it) => {
    const { sourceType, sourceValue } = it.policy;
    const rank = effectiveRank(it);
    switch (sourceType) {
      case "all":
      case "interface":
      case "vlan":
        return speaksOfAll(it, name, facts) ? everywhere(rank) : [];
      case "subnet":
        return networksOf(sourceValue, rank);
      case "device":
        return addressesOf([byId.get(sourceValue)], rank);
      case "device_group":
        return addressesOf(members.get(sourceValue) ?? [], rank);
      case "destination":
      case "domain":
        return [];
    }
  });
  return cellsOf([
    ...networks,
    ...addressesOf(
      devices.filter(({ requiresTunnel }) => requiresTunnel),
      demanded,
    ),
  ]);
}

const interfaceRank = (name: string, ranked: readonly Ranked[], facts: Facts): number =>
  ranked
    .filter((it) => speaksOfAll(it, name, facts))
    .reduce((lowest, it) => Math.min(lowest, effectiveRank(it)), unmatched);

/** Whether a policy holds for whatever comes in by an interface. */
function speaksOfAll({ policy: { sourceType, sourceValue } }: Ranked, name: string, { links }: Facts): boolean {
  if (sourceType === "vlan") {
    const vlan = links.find((link) => link.name === name)?.vlan;
    return vlan !== undefined && sourceValue === String(vlan);
  }
  return sourceType === "all" || (sourceType === "interface" && sourceValue === name);
}

interface RankedNetwork {
  readonly network: Cidr;
  readonly rank: number;
}

/** A device without a MAC is known by its addresses. */
function addressesOf(devices: readonly (IntentDevice | undefined)[], rank: number): RankedNetwork[] {
  return devices.flatMap((device) => (device?.mac === null ? device.ips.flatMap((ip) => networksOf(ip, rank)) : []));
}

/** A network, or one address, as ranked networks; nothing when the text is neither. */
function networksOf(text: string, rank: number): RankedNetwork[] {
  const network = parseNetwork(text);
  return network ? [{ network, rank }] : [];
}

const everywhere = (rank: number): RankedNetwork[] => [
  { network: { family: 4, base: 0n, bits: 0 }, rank },
  { network: { family: 6, base: 0n, bits: 0 }, rank },
];

const cellsOf = (networks: readonly RankedNetwork[]): Cells => ({
  v4: disjointCells(networks.filter(({ network }) => network.family === 4)),
  v6: disjointCells(networks.filter(({ network }) => network.family === 6)),
});
