import { because, type Reason } from "@portcullis/contract/reason";
import { type Address, contains, parseAddress, parseCidr } from "../../net/addresses.ts";
import type { Control } from "@portcullis/contract/privacy-controls";
import { rangeAt, type RangesByFamily } from "./address-ranges.ts";
import { controlAt } from "./controls.ts";
import {
  type Decisions,
  tunnelRequired,
  failoverExhausted,
  firstRank,
  local,
  type Ranked,
  unmatched,
} from "./decide.ts";
import { exceptionAt, exceptionOutcome } from "./exceptions.ts";
import type { Facts } from "../input/facts.ts";
import { vlanOf } from "../input/vlans.ts";
import type { Intent, IntentDevice, IntentException, IntentPolicy } from "../input/intent.ts";
import { byOrder, inOrder } from "../input/policy-order.ts";
import type { Outcome } from "./outcome.ts";
import { localOutcome } from "./segments.ts";
import type { Packet } from "./packet.ts";

/** Why a policy did or did not decide, in the order of evaluation. */
export interface Step {
  readonly policyId: string;
  readonly matched: boolean;
  readonly decided: boolean;
  readonly reason: Reason;
}

export interface Decision {
  readonly outcome: Outcome;
  /** Absent when no policy decided. */
  readonly policyId?: string;
  /** Set if an exception decided: no policy was evaluated. */
  readonly exception?: IntentException;
  /** Set if a control decided: the same. */
  readonly control?: Control;
}

export interface Verdict extends Decision {
  readonly trace: readonly Step[];
}

/** The outcome for a packet, from the same tables that the kernel gets, with a trace. */
export function evaluate(packet: Packet, decisions: Decisions, intent: Intent, facts: Facts): Verdict {
  const ruling = decisionOn(packet, decisions, intent);
  if (ruling.exception || ruling.control || isOutsideLan(packet, intent)) return { ...ruling, trace: [] };
  const rank = rankOf(packet, decisions);
  const evaluated = decisions.ranked.filter((it) => it.rank <= rank);
  const steps = new Map(
    evaluated.map((it) => [it.policy, step(it, it.policy.id === ruling.policyId, packet, intent, facts)]),
  );
  return { ...ruling, trace: traceOf(steps, rank, ruling, intent.waiting ?? []) };
}

/** The steps in order, with the policies that would have been evaluated if their schedule were active. */
function traceOf(
  steps: ReadonlyMap<IntentPolicy, Step>,
  rank: number,
  { policyId }: Decision,
  waiting: readonly IntentPolicy[],
): readonly Step[] {
  const decider = [...steps.keys()].find(({ id }) => id === policyId);
  const before = rank === local ? [] : waiting.filter((it) => !decider || byOrder(it, decider) < 0);
  if (before.length === 0) return [...steps.values()];
  return inOrder([...steps.keys(), ...before]).map(
    (policy) =>
      steps.get(policy) ?? {
        policyId: policy.id,
        matched: false,
        decided: false,
        reason: because("schedule_inactive"),
      },
  );
}

/** The same without the trace, for many packets. */
export function decisionOn(packet: Packet, decisions: Decisions, intent: Pick<Intent, "network">): Decision {
  const steered = steeringDecision(packet, decisions, intent);
  if (steered.exception || isOutsideLan(packet, intent)) return steered;
  return controlAt(packet, decisions.controls, steered.outcome.kind === "local") ?? steered;
}

/** The steering of a packet, without privacy controls. */
export function steeringDecision(packet: Packet, decisions: Decisions, intent: Pick<Intent, "network">): Decision {
  if (isOutsideLan(packet, intent))
    return { outcome: { kind: "block", reason: because("outside_lan", { interface: packet.interface ?? "" }) } };
  const exception = exceptionAt(packet, decisions.exceptions);
  const rank = rankOf(packet, decisions);
  // A bypass applies to packets that leave; local packets do not take the uplink because of it.
  if (exception && !(exception.effect === "direct" && rank === local))
    return { outcome: exceptionOutcome(exception), exception };
  if (rank === local) return { outcome: localOutcome(packet, decisions.segments) };
  const decider = decisions.ranked[rank - firstRank];
  return decider
    ? { outcome: decider.outcome, policyId: decider.policy.id }
    : { outcome: specialOutcome(rank, intent) };
}

/** The guard drops packets from other interfaces before anything else is evaluated. */
const isOutsideLan = ({ interface: name }: Packet, { network }: Pick<Intent, "network">): boolean =>
  name !== undefined && !network.lan.includes(name);

/** The lowest rank any of the tables has for the packet. */
export function rankOf({ interface: name, mac, source, destination, domain }: Packet, decisions: Decisions): number {
  const named = domain === undefined ? [] : decisions.byDomain.filter((it) => isWithin(domain, it.domain));
  return Math.min(
    unmatched,
    (mac !== undefined ? decisions.byMac.get(mac) : undefined) ?? unmatched,
    name === undefined ? unmatched : sourceRank(name, source, decisions),
    rankIn(decisions.byDestination, destination),
    ...named.map((it) => it.rank),
  );
}

const sourceRank = (name: string, source: Address | undefined, { bySource, byInterface }: Decisions): number =>
  source ? rankIn(bySource.get(name), source) : (byInterface.get(name) ?? unmatched);

function rankIn(ranges: RangesByFamily | undefined, address: Address | undefined): number {
  if (!ranges || !address) return unmatched;
  return rangeAt(address.family === 4 ? ranges.v4 : ranges.v6, address.value)?.rank ?? unmatched;
}

export function specialOutcome(rank: number, { network }: Pick<Intent, "network">): Outcome {
  if (rank === local) return { kind: "local", reason: because("lan_destination") };
  if (rank === failoverExhausted) return { kind: "block", reason: because("failed_over") };
  if (rank === tunnelRequired) return { kind: "block", reason: because("tunnel_required") };
  return {
    kind: network.defaultEgress,
    reason: because("default_egress", { egress: network.defaultEgress }),
  };
}

/** A domain contains itself and its subdomains. */
export const isWithin = (name: string, domain: string): boolean => {
  const [low, wide] = [name.toLowerCase().replace(/\.$/, ""), domain.replace(/^\*\./, "")];
  return low === wide || low.endsWith(`.${wide}`);
};

function step(it: Ranked, decided: boolean, packet: Packet, intent: Intent, facts: Facts): Step {
  const matched = matches(it, packet, intent, facts);
  const reason = !matched ? mismatch(it) : it.outcome.reason;
  return { policyId: it.policy.id, matched, decided, reason };
}

const mismatch = ({ policy: { sourceType, sourceValue: value } }: Ranked): Reason =>
  sourceType === "all" ? because("mismatch_all") : because(`mismatch_${sourceType}`, { value });

/** Whether a policy matches a packet, computed without the tables: tests compare the two. */
export function matches(
  { policy }: Pick<Ranked, "policy">,
  packet: Packet,
  { devices, network }: Pick<Intent, "devices" | "network">,
  facts: Facts,
): boolean {
  const { sourceType, sourceValue } = policy;
  switch (sourceType) {
    case "all":
      return packet.interface !== undefined;
    case "interface":
      return packet.interface === sourceValue;
    case "vlan":
      return packet.interface !== undefined && String(vlanOf(packet.interface, network, facts)) === sourceValue;
    case "subnet":
      return isIn(sourceValue, packet.source);
    case "destination":
      return isIn(sourceValue, packet.destination);
    case "domain":
      return packet.domain !== undefined && isWithin(packet.domain, sourceValue.toLowerCase());
    case "device":
      return devices.some((device) => device.id === sourceValue && isFrom(device, packet));
    case "device_group":
      return devices.some((device) => device.groupIds.includes(sourceValue) && isFrom(device, packet));
  }
}

function isFrom({ mac, ips }: IntentDevice, packet: Packet): boolean {
  if (mac !== null) return packet.mac === mac;
  return ips.some((ip) => isIn(ip, packet.source));
}

function isIn(text: string, address: Address | undefined): boolean {
  if (!address) return false;
  const single = parseAddress(text);
  if (single) return single.family === address.family && single.value === address.value;
  const network = parseCidr(text);
  return network !== undefined && contains(network, address);
}
