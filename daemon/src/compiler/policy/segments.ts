import { because } from "@portcullis/contract/reason";
import { type Address, type Cidr, contains, parseCidr } from "../../net/addresses.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent } from "../input/intent.ts";
import type { Outcome } from "./outcome.ts";
import type { Packet } from "./packet.ts";

/** The LANs as segments: devices of one reach another only if that is configured. */
export interface Segments {
  /** By LAN interface. */
  readonly names: ReadonlyMap<string, string>;
  /** "from to", of interfaces. Each reaches itself. */
  readonly reached: ReadonlySet<string>;
  /** The longest prefix first, as the kernel's routes. */
  readonly networks: readonly { readonly network: Cidr; readonly interface: string }[];
}

type Read = Pick<Intent, "network" | "segments">;

export function segmentsOf(intent: Read, { links }: Pick<Facts, "links">): Segments {
  const { lan } = intent.network;
  return {
    names: new Map(lan.map((name) => [name, intent.segments.find((it) => it.interface === name)?.name ?? name])),
    reached: new Set(segmentPairs(intent).map(({ from, to }) => pairKey(from, to))),
    networks: links
      .filter(({ name }) => lan.includes(name))
      .flatMap(({ name, networks = [] }) =>
        networks.flatMap((it) => parseCidr(it) ?? []).map((network) => ({ network, interface: name })),
      )
      .toSorted((a, b) => b.network.bits - a.network.bits),
  };
}

/** Which LAN interface reaches which, in a stable order. With a single LAN there is nothing to decide. */
export function segmentPairs({ network: { lan }, segments }: Read): { readonly from: string; readonly to: string }[] {
  if (lan.length === 1) return [];
  return lan.toSorted().flatMap((from) => {
    const reaches = segments.find((it) => it.interface === from)?.reaches ?? [];
    return lan
      .toSorted()
      .filter((to) => to === from || reaches.includes(to))
      .map((to) => ({ from, to }));
  });
}

/** For a packet to a LAN of the gateway. */
export function localOutcome(packet: Packet, segments: Segments): Outcome {
  const to = segmentAt(packet.destination, segments);
  const from = packet.interface ?? segmentAt(packet.source, segments);
  const called = (name: string): string => segments.names.get(name) ?? name;
  if (to === undefined) return { kind: "local", reason: because("lan_destination") };
  if (from === undefined) return { kind: "local", reason: because("segment_maybe", { segment: called(to) }) };
  if (!segments.reached.has(pairKey(from, to)))
    return { kind: "block", reason: because("segment_unreached", { from: called(from), to: called(to) }) };
  return { kind: "local", reason: because("segment_destination", { segment: called(to) }) };
}

const segmentAt = (address: Address | undefined, { networks }: Segments): string | undefined =>
  address && networks.find(({ network }) => contains(network, address))?.interface;

const pairKey = (from: string, to: string): string => `${from} ${to}`;
