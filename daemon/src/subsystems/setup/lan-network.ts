import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";
import {
  type Address,
  type Cidr,
  contains,
  formatAddress,
  lastAddress,
  overlaps,
  parseCidr,
  parseHost,
} from "../../net/addresses.ts";

type Addressed = Pick<NetworkInterface, "name" | "addresses" | "dynamic_addresses">;

/** RFC 1918. A LAN with public addresses is configured in the file. */
const privateNetworks = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"].map((text) => parseCidr(text)!);

/** Networks for a LAN that has none yet, in order of preference: seldom used by routers, which the uplink may lead to. */
const candidates = [
  ...Array.from({ length: 10 }, (_, index) => `192.168.${50 + index}.1/24`),
  ...Array.from({ length: 10 }, (_, index) => `10.${50 + index}.0.1/24`),
  ...Array.from({ length: 10 }, (_, index) => `172.${20 + index}.50.1/24`),
];

/** `192.168.50.1/24` → its parts; undefined unless it is a private address that a host can have. */
export function parseLanAddress(text: string) {
  const host = parseHost(text);
  return host && privateNetworks.some((it) => contains(it, host.address)) && host.network.bits <= 29 ? host : undefined;
}

/** An address that the operator has given to the interface: private, and not from a DHCP server. */
export const ownAddress = ({ addresses, dynamic_addresses: dynamic }: Addressed): string | undefined =>
  addresses.find((it) => !dynamic.includes(it) && parseLanAddress(it) !== undefined);

export const dynamicAddress = ({ dynamic_addresses: dynamic }: Addressed): string | undefined =>
  dynamic.find((it) => !it.includes(":"));

/** Another interface whose network shares addresses with this one. */
export function overlapping(network: Cidr, lan: string, interfaces: readonly Addressed[]) {
  for (const { name, addresses } of interfaces) {
    const found = name === lan ? undefined : addresses.find((it) => isIn(parseCidr(it), network));
    if (found !== undefined) return { name, address: found };
  }
  return undefined;
}

const isIn = (other: Cidr | undefined, network: Cidr): boolean =>
  other !== undefined && other.family === network.family && overlaps(other, network);

/** An address in a network that no other interface has; undefined if all candidates are taken. */
export const freeAddress = (lan: string, interfaces: readonly Addressed[]): string | undefined =>
  candidates.find((it) => overlapping(parseHost(it)!.network, lan, interfaces) === undefined);

/** The range to lease from: addresses 100 to 250 of 256, in proportion, without the gateway's own. */
export function rangeIn({ address, network }: { readonly address: Address; readonly network: Cidr }) {
  const size = lastAddress(network) - network.base + 1n;
  const inside = (value: bigint) => network.base + (value < 1n ? 1n : value > size - 2n ? size - 2n : value);
  const [low, high] = [inside((size * 100n) / 256n), inside((size * 250n) / 256n)];
  const own = address.value;
  const isAbove = own >= low && own <= high;
  // The larger part beside the gateway's own address.
  const [first, last] = !isAbove ? [low, high] : own - low > high - own ? [low, own - 1n] : [own + 1n, high];
  const text = (value: bigint) => formatAddress({ family: 4, value });
  return { first: text(first), last: text(last) };
}
