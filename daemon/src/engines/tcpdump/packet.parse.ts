import { formatAddress } from "../../net/addresses.ts";
import { dnsInfo } from "./dns-message.parse.ts";

/** What a packet is, as far as its captured bytes show. The bytes are hostile: nothing of them is trusted. */
export interface PacketSummary {
  readonly protocol: string;
  readonly source: string | null;
  readonly destination: string | null;
  readonly sourcePort: number | null;
  readonly destinationPort: number | null;
  readonly info: string;
}

/** Link types of tcpdump.org that interfaces of the gateway have. */
export const linkTypes = {
  ethernet: 1,
  rawIp: 12,
  rawIp101: 101,
  cooked: 113,
  ipv4: 228,
  ipv6: 229,
  cooked2: 276,
} as const;

/** Enough bytes of a packet for a summary. */
export const summaryBytes = 512;

export function summarize(bytes: Buffer, linkType: number): PacketSummary {
  switch (linkType) {
    case linkTypes.ethernet:
      return ethernet(bytes);
    case linkTypes.cooked:
      return bytes.length < 16 ? cut("sll") : network(bytes, 16, bytes.readUInt16BE(14), {});
    case linkTypes.cooked2:
      return bytes.length < 20 ? cut("sll") : network(bytes, 20, bytes.readUInt16BE(0), {});
    default:
      return bytes.length === 0 ? cut("ip") : network(bytes, 0, bytes[0]! >> 4 === 6 ? ipv6Type : ipv4Type, {});
  }
}

type Part = Partial<PacketSummary>;

const packet = (protocol: string, part: Part = {}): PacketSummary => ({
  source: null,
  destination: null,
  sourcePort: null,
  destinationPort: null,
  info: "",
  ...part,
  protocol,
});

const cut = (protocol: string, part: Part = {}): PacketSummary => packet(protocol, { ...part, info: "cut off" });

function ethernet(bytes: Buffer): PacketSummary {
  if (bytes.length < 14) return cut("ethernet");
  const macs = { source: macAt(bytes, 6), destination: macAt(bytes, 0) };
  let at = 12;
  // A frame has few VLAN tags; a hostile one may consist of nothing else.
  while (isVlan(bytes.readUInt16BE(at)) && bytes.length >= at + 6) at += 4;
  const type = bytes.readUInt16BE(at);
  if (type < lengthLimit) return packet("llc", macs);
  return network(bytes, at + 2, type, macs);
}

const ipv4Type = 0x0800;
const ipv6Type = 0x86dd;
const arpType = 0x0806;
const lengthLimit = 0x0600;
const isVlan = (type: number): boolean => type === 0x8100 || type === 0x88a8;

function network(bytes: Buffer, at: number, type: number, macs: Part): PacketSummary {
  if (type === ipv4Type) return ipv4(bytes, at, macs);
  if (type === ipv6Type) return ipv6(bytes, at, macs);
  if (type === arpType) return arp(bytes, at, macs);
  return packet(`ethernet 0x${type.toString(16).padStart(4, "0")}`, macs);
}

function arp(bytes: Buffer, at: number, macs: Part): PacketSummary {
  if (bytes.length < at + 28) return cut("arp", macs);
  const [source, destination] = [v4At(bytes, at + 14), v4At(bytes, at + 24)];
  const isRequest = bytes.readUInt16BE(at + 6) === 1;
  const info = isRequest ? `who has ${destination}` : `${source} is at ${macAt(bytes, at + 8)}`;
  return packet("arp", { source, destination, info });
}

function ipv4(bytes: Buffer, at: number, macs: Part): PacketSummary {
  if (bytes.length < at + 20) return cut("ip", macs);
  const ends = { source: v4At(bytes, at + 12), destination: v4At(bytes, at + 16) };
  const protocol = bytes[at + 9]!;
  if ((bytes.readUInt16BE(at + 6) & 0x1fff) !== 0) return packet(nameOf(protocol), { ...ends, info: "fragment" });
  return transport(bytes, at + (bytes[at]! & 15) * 4, protocol, ends);
}

function ipv6(bytes: Buffer, start: number, macs: Part): PacketSummary {
  if (bytes.length < start + 40) return cut("ip6", macs);
  const ends = { source: v6At(bytes, start + 8), destination: v6At(bytes, start + 24) };
  let protocol = bytes[start + 6]!;
  let at = start + 40;
  // Each extension header is at least 8 bytes, so this ends with the bytes.
  while (isExtension(protocol) && bytes.length >= at + 8) {
    if (protocol === fragmentHeader && (bytes.readUInt16BE(at + 2) & 0xfff8) !== 0)
      return packet(nameOf(bytes[at]!), { ...ends, info: "fragment" });
    const headerBytes = protocol === fragmentHeader ? 8 : (bytes[at + 1]! + 1) * 8;
    protocol = bytes[at]!;
    at += headerBytes;
  }
  return transport(bytes, at, protocol, ends);
}

const fragmentHeader = 44;
const isExtension = (protocol: number): boolean => [0, 43, fragmentHeader, 60].includes(protocol);

function transport(bytes: Buffer, at: number, protocol: number, ends: Part): PacketSummary {
  const name = nameOf(protocol);
  if (protocol === icmp || protocol === icmp6)
    return bytes.length < at + 2 ? cut(name, ends) : packet(name, { ...ends, info: icmpInfo(bytes, at, protocol) });
  if (protocol !== tcp && protocol !== udp) return packet(name, ends);
  if (bytes.length < at + (protocol === tcp ? 20 : 8)) return cut(name, ends);
  const ports = { sourcePort: bytes.readUInt16BE(at), destinationPort: bytes.readUInt16BE(at + 2) };
  if (protocol === tcp) return packet(name, { ...ends, ...ports, info: tcpInfo(bytes, at) });
  const isDns = [ports.sourcePort, ports.destinationPort].some((port) => port === 53 || port === 5353);
  const dns = isDns ? dnsInfo(bytes, at + 8) : undefined;
  return packet(dns === undefined ? name : "dns", { ...ends, ...ports, info: dns ?? "" });
}

const icmp = 1;
const tcp = 6;
const udp = 17;
const icmp6 = 58;
const names: Readonly<Record<number, string>> = {
  1: "icmp",
  2: "igmp",
  6: "tcp",
  17: "udp",
  47: "gre",
  50: "esp",
  58: "icmp6",
};
const nameOf = (protocol: number): string => names[protocol] ?? `ip ${protocol}`;

const flags = ["FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"];

function tcpInfo(bytes: Buffer, at: number): string {
  const set = flags.filter((_, bit) => bytes[at + 13]! & (1 << bit));
  return `${set.join(" ") || "no flags"}, seq ${bytes.readUInt32BE(at + 4)}, window ${bytes.readUInt16BE(at + 14)}`;
}

const icmpTypes: Readonly<Record<number, string>> = {
  0: "echo reply",
  3: "unreachable",
  5: "redirect",
  8: "echo request",
  11: "time exceeded",
};
const icmp6Types: Readonly<Record<number, string>> = {
  1: "unreachable",
  2: "packet too big",
  3: "time exceeded",
  128: "echo request",
  129: "echo reply",
  133: "router solicitation",
  134: "router advertisement",
  135: "neighbour solicitation",
  136: "neighbour advertisement",
};

function icmpInfo(bytes: Buffer, at: number, protocol: number): string {
  const [type, code] = [bytes[at]!, bytes[at + 1]!];
  const name = (protocol === icmp ? icmpTypes : icmp6Types)[type] ?? `type ${type}`;
  return code === 0 ? name : `${name}, code ${code}`;
}

const macAt = (bytes: Buffer, at: number): string => bytes.toString("hex", at, at + 6).replace(/..(?!$)/g, "$&:");
const v4At = (bytes: Buffer, at: number): string => bytes.subarray(at, at + 4).join(".");
const v6At = (bytes: Buffer, at: number): string =>
  formatAddress({ family: 6, value: BigInt(`0x${bytes.toString("hex", at, at + 16)}`) });
