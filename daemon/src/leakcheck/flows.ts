import { because, literal } from "@portcullis/contract/reason";
import { formatAddress, parseAddress } from "../net/addresses.ts";
import { rankOf, steeringDecision } from "../compiler/policy/evaluate.ts";
import { outsideOf } from "../compiler/input/intent.ts";
import { type Outcome, outgoingInterfaces } from "../compiler/policy/outcome.ts";
import { domainNumber } from "../compiler/egress/steering.ts";
import { classid, epochMark, epochMask, openEpochMark } from "../engines/nftables/marks.model.ts";
import { directEgress } from "../engines/nftables/nftables.model.ts";
import { elementsIn } from "../engines/nftables/nftables.parse.ts";
import { evidence, type Finding, anyOrigin } from "./finding.ts";
import type { Kernel } from "./kernel.ts";
import type { KernelFlow } from "./kernel.parse.ts";
import type { Origin, Plan, Subject } from "./subjects.ts";

type Seen = Pick<Kernel, "flows" | "ip" | "ruleset" | "steering">;

/**
 * Flows that leave by an uplink though no policy allows it. A flow of an earlier epoch is decided again with its next packet,
 * and so is no leak; nor is a flow that an exception allows, which is looked up with each packet.
 */
export function staleFlows(wanted: Plan, { flows, ip, ruleset, steering }: Seen): Finding[] {
  if (typeof flows === "string") return [];
  const { intent, kernelIds } = wanted;
  const outside = new Set(outsideOf(intent.network));
  const open = new Set(addressesOn(ip, outside));
  const openEgresses = new Set([directEgress, ...[...outside].flatMap((name) => kernelIds.egresses.get(name) ?? [])]);
  const generation = Number(/canary_(\d+)/.exec(ruleset)?.[1] ?? 0);
  const epochs = new Set([epochMark(generation), openEpochMark(generation)]);
  const goesOn = ({ mark }: KernelFlow): boolean =>
    openEgresses.has(mark & 0xff) && epochs.has((mark & epochMask) >>> 0);
  const isAllowed = allowedOut(wanted, elementsIn(steering));
  return flows
    .filter((flow) => open.has(flow.answerTo) && (goesOn(flow) || flow.mark === 0))
    .map((flow) => ({
      cause: "stale-connection",
      severity: "leak",
      message: because("leak_connection", { protocol: flow.protocol, destination: flow.destination }),
      of: flow.source,
      evidence: [
        evidence(literal(`conntrack -L -f ipv${flow.family}`), because("seen_no_uplink_flow"), literal(flow.text)),
      ],
      appliesTo: anyOrigin((origin, subject) => origin.address === flow.source && !isAllowed(flow, origin, subject)),
    }));
}

/** Whether a policy for the flow's destination allows it to leave directly, unlike others of its sender. */
function allowedOut({ intent, decisions, kernelIds }: Plan, elements: ReturnType<typeof elementsIn>) {
  const outside = outsideOf(intent.network);
  const isOpen = (outcome: Outcome): boolean =>
    outgoingInterfaces(outcome, intent.network.wan).some((name) => outside.includes(name));
  const byNumber = new Map(
    decisions.ranked
      .filter(({ policy }) => policy.sourceType === "domain")
      .map((it) => [classid(domainNumber(it.policy.id, kernelIds)), it]),
  );
  return (flow: KernelFlow, { lan }: Origin, { mac }: Subject): boolean => {
    const [source, destination] = [parseAddress(flow.source), parseAddress(flow.destination)];
    if (!source || !destination) return false;
    const packet = { interface: lan, mac: mac ?? undefined, source, destination };
    if (isOpen(steeringDecision(packet, decisions, intent).outcome)) return true;
    const number = elements.get(`domain${flow.family}`)?.get(formatAddress(destination));
    const named = number === undefined ? undefined : byNumber.get(number);
    return named !== undefined && isOpen(named.outcome) && named.rank < rankOf(packet, decisions);
  };
}

function addressesOn(ip: Kernel["ip"], interfaces: ReadonlySet<string>): string[] {
  type Listed = { ifname?: string; addr_info?: { local?: string }[] };
  return [ip.v4, ip.v6]
    .flatMap(({ addresses }) => JSON.parse(addresses || "[]") as Listed[])
    .filter(({ ifname }) => ifname !== undefined && interfaces.has(ifname))
    .flatMap(({ addr_info = [] }) => addr_info.flatMap(({ local }) => local ?? []));
}

/** A foreign resolver learns the queries of a device, whatever egress they take. */
export function foreignResolvers({ intent: { dns } }: Plan, { flows }: Pick<Kernel, "flows">): Finding[] {
  if (typeof flows === "string" || !dns) return [];
  return flows
    .filter(({ port, destination, answerFrom }) => (port === 53 || port === 853) && destination === answerFrom)
    .filter(({ answerTo, source }) => answerTo !== source) // A resolver on the LAN is not foreign.
    .map((flow) => ({
      cause: "foreign-resolver",
      severity: "risk",
      message: because("leak_foreign_resolver", { destination: flow.destination }),
      of: flow.source,
      evidence: [
        evidence(literal(`conntrack -L -f ipv${flow.family}`), because("seen_no_queries"), literal(flow.text)),
      ],
      appliesTo: anyOrigin((origin) => origin.address === flow.source),
    }));
}
