import { withObservedAddresses } from "../../compiler/dns/device-addresses.ts";
import { privacyIn } from "../../compiler/dns/filter-policy.ts";
import type { Resources } from "../../compiler/input/read-document.ts";
import type { CountedFlow } from "../../engines/conntrack/flows.parse.ts";
import { blockEgress, localEgress } from "../../engines/nftables/nftables.model.ts";
import type { DestinationUsage, Subject } from "../../ledger/traffic-store.ts";
import { isNoUsage, type Usage } from "../../ledger/traffic-rollup.ts";
import type { Neighbour } from "../../monitors/neighbours.ts";
import { contains, parseAddress, parseCidr } from "../../net/addresses.ts";
import type { FlowDelta } from "./flow-meter.ts";

/** How much of a device's traffic is recorded: with destinations, only the sums, or nothing. */
export type RecordingLevel = "full" | "counts" | "none";

export interface Owner {
  /** Undefined: a client that is no device of the inventory. Only sums of all devices contain it. */
  readonly device: string | undefined;
  readonly level: RecordingLevel;
}

/** The owner of an address, for as long as inventory and neighbour table are the same. */
export type OwnerOf = (address: string) => Owner;

type Inventory = Pick<Resources, "device" | "privacy_class" | "trust_class">;

/** A new address may belong to any device until the neighbour table has it: the strictest level of all applies. */
export function ownersIn({ device, ...classes }: Inventory, neighbours: readonly Neighbour[]): OwnerOf {
  const levelOf = privacyIn(classes);
  const levels = new Map(device.map((it) => [it.id, levelOf(it).log]));
  const byAddress = new Map(
    withObservedAddresses(device, neighbours).flatMap(({ id, ips }) =>
      ips.map((ip) => [ip, { device: id, level: levels.get(id)! }] as const),
    ),
  );
  const identified = new Set(neighbours.map(({ address }) => address));
  const strictest = (["none", "counts"] as const).find((it) => [...levels.values()].includes(it)) ?? "full";
  return (address) =>
    byAddress.get(address) ?? { device: undefined, level: identified.has(address) ? "counts" : strictest };
}

/** The level of each device; one that does not exist any more has none. Prepared once for many devices. */
export function levelIn({ device, ...classes }: Inventory): (id: string) => RecordingLevel {
  const levelOf = privacyIn(classes);
  const devices = new Map(device.map((it) => [it.id, it]));
  return (id) => {
    const found = devices.get(id);
    return found ? levelOf(found).log : "none";
  };
}

/**
 * Whether a connection leaves the gateway: its mark has the egress that was decided. Blocked connections, those between
 * LANs, and queries to our resolver do not leave; the leak check's probes are no traffic of a device.
 */
function isForwarded({ mark, isDns, isRedirected, destination }: CountedFlow, isProbe: IsProbe): boolean {
  const egress = mark & 0xff;
  if (egress === 0 || egress === localEgress || egress === blockEgress) return false;
  return !(isDns && isRedirected) && !isProbe(destination);
}

type IsProbe = (destination: string) => boolean;

/** Whether a destination is of the leak check's probes. Many connections have the same one, and text is slow to compare. */
function probeCheck(): IsProbe {
  const known = new Map<string, boolean>();
  return (destination) => {
    const found = known.get(destination);
    if (found !== undefined) return found;
    const address = parseAddress(destination);
    const isProbe = address === undefined || probed.some((network) => contains(network, address));
    known.set(destination, isProbe);
    return isProbe;
  };
}

const probed = ["198.18.0.0/15", "2001:2::/48"].map((it) => parseCidr(it)!);

/** What one connection of a device transferred. */
export interface DeviceFlow {
  readonly device: string;
  /** undefined: the log level permits no destinations. */
  readonly to: { readonly address: string; readonly name: string | undefined } | undefined;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly connections: number;
}

interface Attribution {
  readonly ownerOf: OwnerOf;
  /** The policy that decided the connection. */
  readonly policyOf: (flow: CountedFlow) => string | undefined;
  readonly nameOf: (client: string, address: string) => string | undefined;
}

export interface Attributed {
  /** Of devices whose traffic may be recorded. */
  readonly flows: readonly DeviceFlow[];
  readonly subjects: readonly (Subject & { readonly usage: Usage })[];
  readonly destinations: readonly DestinationUsage[];
}

/** Connections → what each device and policy transferred, and to which destinations. */
export function attribute(deltas: readonly FlowDelta[], { ownerOf, policyOf, nameOf }: Attribution): Attributed {
  const usages = { total: new Map<string, Sum>(), policy: new Map<string, Sum>(), device: new Map<string, Sum>() };
  const destinations = new Map<string, DestinationUsage>();
  const flows: DeviceFlow[] = [];
  const isProbe = probeCheck();
  for (const { flow, usage } of deltas) {
    if (isNoUsage(usage) || !isForwarded(flow, isProbe)) continue;
    const { device, level } = ownerOf(flow.source);
    if (level === "none") continue;
    const policy = policyOf(flow);
    addTo(usages.total, totalSubject.id, usage);
    if (policy !== undefined) addTo(usages.policy, policy, usage);
    if (device === undefined) continue;
    addTo(usages.device, device, usage);
    const name = level === "full" ? nameOf(flow.source, flow.destination) : undefined;
    const to = level === "full" ? { address: flow.destination, name } : undefined;
    const { sentBytes, receivedBytes, connections } = usage;
    flows.push({ device, to, sentBytes, receivedBytes, connections });
    if (level !== "full") continue;
    const destination = name ?? flow.destination;
    addDestination(destinations, { device, destination, sentBytes, receivedBytes, connections });
  }
  const subjects = (["total", "policy", "device"] as const).flatMap((kind) =>
    [...usages[kind]].map(([id, usage]) => ({ kind, id, usage })),
  );
  return { flows, subjects, destinations: [...destinations.values()] };
}

/** A sum that is added to in place: there are tens of thousands of connections. */
type Sum = { -readonly [Field in keyof Usage]: number };

function addTo(all: Map<string, Sum>, id: string, usage: Usage): void {
  const sum = all.get(id);
  if (!sum) {
    all.set(id, { ...usage });
    return;
  }
  sum.sentBytes += usage.sentBytes;
  sum.receivedBytes += usage.receivedBytes;
  sum.sentPackets += usage.sentPackets;
  sum.receivedPackets += usage.receivedPackets;
  sum.connections += usage.connections;
}

export const totalSubject: Subject = { kind: "total", id: "" };
export const subjectKey = ({ kind, id }: Subject): string => `${kind} ${id}`;

export const destinationKey = ({ device, destination }: DestinationUsage): string => `${device} ${destination}`;

export function addDestination(all: Map<string, DestinationUsage>, it: DestinationUsage): void {
  const key = destinationKey(it);
  const before = all.get(key);
  all.set(key, {
    device: it.device,
    destination: it.destination,
    sentBytes: it.sentBytes + (before?.sentBytes ?? 0),
    receivedBytes: it.receivedBytes + (before?.receivedBytes ?? 0),
    connections: it.connections + (before?.connections ?? 0),
  });
}
