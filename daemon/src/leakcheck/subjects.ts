import type { Reason } from "@portcullis/contract/reason";
import { type Address, contains, formatAddress, lastAddress, parseAddress, parseCidr } from "../net/addresses.ts";
import type { Decisions } from "../compiler/policy/decide.ts";
import { decisionOn } from "../compiler/policy/evaluate.ts";
import { pauseException } from "../compiler/input/read-pauses.ts";
import type { Facts } from "../compiler/input/facts.ts";
import { type Intent, type IntentDevice, type IntentPolicy, outsideOf } from "../compiler/input/intent.ts";
import { egressNumber, type KernelIds, planName } from "../compiler/egress/kernel-ids.ts";
import { type Outcome, outgoingInterfaces } from "../compiler/policy/outcome.ts";
import { egressName, egressNameVia } from "../compiler/egress/egresses.ts";
import { decidedMark, valid } from "../engines/nftables/marks.model.ts";
import type { KernelNeighbour } from "./kernel.parse.ts";

export type Family = 4 | 6;
export type Posture = "protected" | "blocked" | "exposed";

/** A device under check: its identity, the origins of its packets and their allowed egresses. */
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
  /** Interfaces by which its packets may leave. */
  readonly interfaces: readonly string[];
  readonly egresses: readonly number[];
  /** Marks that steering sets; several with splitting. */
  readonly marks: readonly number[];
  readonly policyId: string | null;
  /** Of the exception or the pause that lets it out. */
  readonly exceptionId: string | null;
  readonly isPaused: boolean;
  /** Its hops are down, and its policy fails open. */
  readonly isFallback: boolean;
  readonly reason: Reason;
}

/** The compiled state, as far as it decides where packets of devices go. */
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
  const addresses = addressesOf(plan, neighbours);
  const policies = new Map(plan.decisions.ranked.map(({ policy }) => [policy.id, policy]));
  return devices
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((device) => {
      const origins = addresses(device).map((address) => originOf(plan, policies, device, address));
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

interface DeviceAddress {
  readonly address: Address;
  readonly lan: string;
}

/** Its addresses, by family: those in the neighbour table and those of its entry; else one that it could have. */
function addressesOf(
  { intent, facts }: Plan,
  neighbours: readonly KernelNeighbour[],
): (device: IntentDevice) => DeviceAddress[] {
  const { lan } = intent.network;
  const near = facts.links
    .filter(({ name }) => lan.includes(name))
    .flatMap(({ name, networks = [] }) => networks.map((network) => ({ lan: name, network: parseCidr(network)! })));
  const byMac = Map.groupBy(
    neighbours.filter((it) => lan.includes(it.interface)),
    ({ mac }) => mac,
  );
  const lanOf = (address: Address): string => near.find(({ network }) => contains(network, address))?.lan ?? lan[0]!;
  const free = near.map(
    (it): DeviceAddress => ({
      lan: it.lan,
      address: { family: it.network.family, value: lastAddress(it.network) - 1n },
    }),
  );
  return ({ mac, ips }) => {
    const answering = (mac === null ? [] : (byMac.get(mac) ?? [])).flatMap((it): DeviceAddress[] => {
      const address = parseAddress(it.address);
      return address && !it.address.startsWith("fe80:") ? [{ address, lan: it.interface }] : [];
    });
    const given = ips.flatMap((ip) => parseAddress(ip) ?? []).map((address) => ({ address, lan: lanOf(address) }));
    const home = answering[0]?.lan ?? given[0]?.lan ?? lan[0];
    // A device that is identified by its addresses would be an unknown device with another one.
    const possible = mac === null ? [] : free.filter((it) => it.lan === home);
    return ([4, 6] as const).flatMap((family) => {
      const isOf = ({ address }: DeviceAddress): boolean => address.family === family;
      const known = distinct([...answering, ...given].filter(isOf)).slice(0, maxAddresses);
      return known.length > 0 ? known : possible.filter(isOf).slice(0, 1);
    });
  };
}

/** Most devices have several IPv6 addresses at a time. Only the first ones are checked. */
const maxAddresses = 4;

const distinct = (addresses: readonly DeviceAddress[]): DeviceAddress[] => [
  ...new Map(addresses.map((it) => [it.address.value, it])).values(),
];

function originOf(
  { intent, decisions, kernelIds }: Plan,
  policies: ReadonlyMap<string, IntentPolicy>,
  { mac }: IntentDevice,
  { address, lan }: DeviceAddress,
): Origin {
  const packet = { interface: lan, mac: mac ?? undefined, source: address };
  const { outcome, policyId, exception } = decisionOn(packet, decisions, intent);
  const policy = policyId === undefined ? undefined : policies.get(policyId);
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
    isPaused: exception?.type === pauseException,
    isFallback: outcome.kind === "direct" && !exception && (policy?.hops.length ?? 0) > 0,
    reason: outcome.reason,
  };
}

const egressesOf = (outcome: Outcome, { network }: Intent, kernelIds: KernelIds): number[] =>
  outcome.kind === "split"
    ? outcome.members.map((it) => egressNumber(egressNameVia(it.interface, outcome.failsOpen), kernelIds))
    : [egressNumber(egressName(outcome, network), kernelIds)];
