import { type Address, formatAddress, lastAddress, parseAddress, parseCidr } from "@portcullis/contract/addresses";
import type { Decisions } from "../compiler/policy/decide.ts";
import { decisionOn } from "../compiler/policy/evaluate.ts";
import type { Facts } from "../compiler/input/facts.ts";
import { type Intent, type IntentDevice, outsideOf } from "../compiler/input/intent.ts";
import { egressNumber, type KernelIds, planName } from "../compiler/egress/kernel-ids.ts";
import { type Outcome, outgoingInterfaces } from "../compiler/policy/outcome.ts";
import { egressName, egressNameVia } from "../compiler/egress/egresses.ts";
import { decidedMark, valid } from "../engines/nftables/marks.model.ts";
import type { KernelNeighbour } from "./kernel.parse.ts";

export type Family = 4 | 6;
export type Posture = "protected" | "blocked" | "exposed";

/** A device as it is attacked and audited: who it is, where its packets come from and where they may go. */
export interface Subject {
  readonly id: string;
  readonly name: string;
  readonly mac: string | null;
  readonly posture: Posture;
  readonly origins: readonly Origin[];
}

/** A device by one of its addresses. */
export interface Origin {
  readonly family: Family;
  readonly address: string;
  /** The LAN it is on. */
  readonly lan: string;
  readonly posture: Posture;
  /** What may carry its packets. */
  readonly interfaces: readonly string[];
  readonly egresses: readonly number[];
  /** What steering gives its packets; several where connections are spread. */
  readonly marks: readonly number[];
  readonly policyId: string | null;
  readonly exceptionId: string | null;
  /** Its hops are down, and its policy lets it go then. */
  readonly isFallback: boolean;
  readonly reason: string;
}

/** What is compiled, as far as it says where devices' packets should go. */
export interface Plan {
  readonly intent: Intent;
  readonly facts: Facts;
  readonly decisions: Decisions;
  readonly kernelIds: KernelIds;
}

export function subjectsOf(
  plan: Plan,
  devices: readonly IntentDevice[],
  nameOf: (id: string) => string,
  neighbours: readonly KernelNeighbour[],
): Subject[] {
  const places = placesOf(plan, neighbours);
  return devices
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((device) => {
      const origins = places(device).map((place) => originOf(plan, device, place));
      return {
        id: device.id,
        name: nameOf(device.id),
        mac: device.mac,
        posture: leastProtected(origins.map(({ posture }) => posture)),
        origins,
      };
    });
}

const leastProtected = (all: readonly Posture[]): Posture =>
  (["exposed", "protected"] as const).find((posture) => all.includes(posture)) ?? "blocked";

interface Place {
  readonly address: Address;
  readonly lan: string;
}

/** Its addresses, by family: those it answers for now and those it was given by name; else one that it could have. */
function placesOf({ intent, facts }: Plan, neighbours: readonly KernelNeighbour[]): (device: IntentDevice) => Place[] {
  const { lan } = intent.network;
  const near = facts.links
    .filter(({ name }) => lan.includes(name))
    .flatMap(({ name, networks = [] }) => networks.map((network) => ({ lan: name, network: parseCidr(network)! })));
  const byMac = Map.groupBy(
    neighbours.filter((it) => lan.includes(it.interface)),
    ({ mac }) => mac,
  );
  const lanOf = (address: Address): string =>
    near.find(({ network }) => network.family === address.family && isIn(network, address))?.lan ?? lan[0]!;
  const free = near.map(
    (it): Place => ({
      lan: it.lan,
      address: { family: it.network.family, value: lastAddress(it.network) - 1n },
    }),
  );
  return ({ mac, ips }) => {
    const answering = (mac === null ? [] : (byMac.get(mac) ?? [])).flatMap((it): Place[] => {
      const address = parseAddress(it.address);
      return address && !it.address.startsWith("fe80:") ? [{ address, lan: it.interface }] : [];
    });
    const given = ips.flatMap((ip) => parseAddress(ip) ?? []).map((address) => ({ address, lan: lanOf(address) }));
    const home = answering[0]?.lan ?? given[0]?.lan ?? lan[0];
    // Who is known by its address only is somebody else with another one.
    const possible = mac === null ? [] : free.filter((it) => it.lan === home);
    return ([4, 6] as const).flatMap((family) => {
      const isOf = ({ address }: Place): boolean => address.family === family;
      const known = distinct([...answering, ...given].filter(isOf)).slice(0, mostAddresses);
      return known.length > 0 ? known : possible.filter(isOf).slice(0, 1);
    });
  };
}

/** Of IPv6 most devices have several at a time. Who has more than these is looked at by the first ones. */
const mostAddresses = 4;

const distinct = (places: readonly Place[]): Place[] => [
  ...new Map(places.map((place) => [place.address.value, place])).values(),
];

const isIn = ({ base, bits, family }: NonNullable<ReturnType<typeof parseCidr>>, { value }: Address): boolean => {
  const rest = BigInt((family === 4 ? 32 : 128) - bits);
  return base >> rest === value >> rest;
};

function originOf({ intent, decisions, kernelIds }: Plan, { mac }: IntentDevice, { address, lan }: Place): Origin {
  const packet = { interface: lan, mac: mac ?? undefined, source: address };
  const { outcome, policyId, exception } = decisionOn(packet, decisions, intent);
  const policy = decisions.ranked.find((it) => it.policy.id === policyId)?.policy;
  const plan = policy ? (kernelIds.plans.get(planName(policy)) ?? 0) : 0;
  const interfaces = outgoingInterfaces(outcome, intent.network.wan);
  const outside = outsideOf(intent.network);
  const egresses = egressesOf(outcome, intent, kernelIds);
  return {
    family: address.family,
    address: formatAddress(address),
    lan,
    posture:
      interfaces.length === 0 ? "blocked" : interfaces.some((name) => outside.includes(name)) ? "exposed" : "protected",
    interfaces,
    egresses,
    marks: egresses.map((egress) => (decidedMark(outcome.kind === "split" ? 0 : plan, egress) | valid) >>> 0),
    policyId: policyId ?? null,
    exceptionId: exception?.id ?? null,
    isFallback: outcome.kind === "direct" && !exception && (policy?.hops.length ?? 0) > 0,
    reason: outcome.reason,
  };
}

const egressesOf = (outcome: Outcome, { network }: Intent, kernelIds: KernelIds): number[] =>
  outcome.kind === "split"
    ? outcome.members.map((it) => egressNumber(egressNameVia(it.interface, outcome.failsOpen), kernelIds))
    : [egressNumber(egressName(outcome, network), kernelIds)];
