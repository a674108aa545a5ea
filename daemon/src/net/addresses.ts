/**
 * IP addresses as numbers. The IPv4-mapped form `::ffff:127.0.0.1` becomes `127.0.0.1`, because a dual-stack
 * socket reports its IPv4 peers in that form.
 */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** Every address that shares the first `bits` bits with `base`, whose other bits are zero. */
export interface Cidr {
  readonly family: 4 | 6;
  readonly base: bigint;
  readonly bits: number;
}

/** In bits. */
export const addressWidth = { 4: 32, 6: 128 } as const;

/** Parses an address; undefined for `10.1`, leading zeros and zone identifiers such as `%eth0`. */
export function parseAddress(text: string): Address | undefined {
  const address = parseLiteral(text);
  return address && unmapped(address);
}

/** The same, but the IPv4-mapped form remains the IPv6 address that is written, as in a zone file. */
export function parseLiteral(text: string): Address | undefined {
  const v4 = parseV4(text);
  if (v4 !== undefined) return { family: 4, value: v4 };
  const v6 = parseV6(text);
  return v6 === undefined ? undefined : { family: 6, value: v6 };
}

/** `10.0.0.0/8`, `fd00::/8`. Host bits are cleared, so `10.1.2.3/8` is `10.0.0.0/8`. */
export function parseCidr(text: string): Cidr | undefined {
  const [, written = "", length = ""] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = parseAddress(written);
  if (!address) return undefined;
  const bits = Number(length) - (address.family === 4 && written.includes(":") ? mappedBits : 0);
  return bits < 0 || bits > addressWidth[address.family] ? undefined : networkAround(address, bits);
}

/**
 * An IPv4 address of an interface with the length of its network, such as `192.168.50.1/24`; undefined for the address of a network, its
 * broadcast address, and networks in which no host has an address.
 */
export function parseHost(text: string): { readonly address: Address; readonly network: Cidr } | undefined {
  const network = parseCidr(text);
  const address = parseAddress(text.replace(/\/.*$/, ""));
  if (network?.family !== 4 || address === undefined || network.bits < 8 || network.bits > 30) return undefined;
  return address.value === network.base || address.value === lastAddress(network) ? undefined : { address, network };
}

/** The network of the given prefix length that contains the address. */
export function networkAround({ family, value }: Address, bits: number): Cidr {
  const hostBits = BigInt(addressWidth[family] - bits);
  return { family, base: (value >> hostBits) << hostBits, bits };
}

/** The canonical form of an address; for IPv6 the one of RFC 5952. */
export const formatAddress = ({ family, value }: Address): string => (family === 4 ? formatV4(value) : formatV6(value));

export const formatCidr = ({ family, base, bits }: Cidr): string => `${formatAddress({ family, value: base })}/${bits}`;

/** As in a packet: 4 or 16 bytes. */
export const addressBytes = ({ family, value }: Address): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: addressWidth[family] / 8 }, (_, index) =>
    Number((value >> BigInt(addressWidth[family] - 8 * (index + 1))) & 255n),
  );

/** The canonical form of a MAC address that has one of the accepted notations. */
export const formatMac = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^0-9a-f]/g, "")
    .replaceAll(/(..)(?=.)/g, "$1:");

/** The highest address of a network. */
export const lastAddress = ({ family, base, bits }: Cidr): bigint =>
  base | ((1n << BigInt(addressWidth[family] - bits)) - 1n);

/** A network, or a single address as a network of one host. */
export function parseNetwork(text: string): Cidr | undefined {
  const address = parseAddress(text);
  return address
    ? { family: address.family, base: address.value, bits: addressWidth[address.family] }
    : parseCidr(text);
}

/** A network or a single address in canonical form; undefined if it is neither. */
export function formatNetwork(text: string): string | undefined {
  const address = parseAddress(text);
  if (address) return formatAddress(address);
  const network = parseCidr(text);
  return network && formatCidr(network);
}

/** A range contains addresses of its own family only: `::/0` is all of IPv6 and nothing of IPv4. */
export const contains = ({ family, base, bits }: Cidr, address: Address): boolean =>
  family === address.family && (base ^ address.value) >> BigInt(addressWidth[family] - bits) === 0n;

/** What counts as one client: an IPv4 address, or a /64, in which a single IPv6 host chooses its addresses freely. */
export function clientNetwork(text: string): string {
  if (!text.includes(":")) return text;
  const address = parseAddress(text.replace(/%.*$/, ""));
  if (address?.family !== 6) return address ? formatAddress(address) : text;
  return formatCidr(networkAround(address, 64));
}

/** Of two ranges that share an address, one contains the other. */
export const overlaps = (a: Cidr, b: Cidr): boolean =>
  contains(a, { family: b.family, value: b.base }) || contains(b, { family: a.family, value: a.base });

const mappedBits = 96;
const mappedPrefix = 0xffffn;

const unmapped = ({ family, value }: Address): Address =>
  family === 6 && value >> 32n === mappedPrefix ? { family: 4, value: value & 0xffff_ffffn } : { family, value };

function parseV4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every(isOctet)) return undefined;
  return joined(parts.map(BigInt), 8n);
}

const isOctet = (part: string): boolean => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255;

function parseV6(text: string): bigint | undefined {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  if (tail === undefined) {
    const groups = parseGroups(head, { mayEndInV4: true });
    return groups?.length === 8 ? joined(groups, 16n) : undefined;
  }
  const before = parseGroups(head, { mayEndInV4: false });
  const after = parseGroups(tail, { mayEndInV4: true });
  if (!before || !after || before.length + after.length > 7) return undefined;
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0n);
  return joined([...before, ...zeros, ...after], 16n);
}

/** Groups of 16 bits between colons. The last 32 bits of an address may be written as IPv4. */
function parseGroups(text: string, { mayEndInV4 }: { mayEndInV4: boolean }): bigint[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const v4 = mayEndInV4 ? parseV4(parts.at(-1)!) : undefined;
  const hex = v4 === undefined ? parts : parts.slice(0, -1);
  if (!hex.every((part) => /^[0-9A-Fa-f]{1,4}$/.test(part))) return undefined;
  const groups = hex.map((part) => BigInt(`0x${part}`));
  return v4 === undefined ? groups : [...groups, v4 >> 16n, v4 & 0xffffn];
}

const joined = (parts: readonly bigint[], width: bigint): bigint =>
  parts.reduce((value, part) => (value << width) | part, 0n);

const formatV4 = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");

function formatV6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  const { start, length } = longestZeros(groups);
  if (length < 2) return groups.join(":");
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`;
}

/** The first of the longest runs of zero groups. */
function longestZeros(groups: readonly string[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === "0" ? length + 1 : 0;
    if (length > longest.length) longest = { start: index - length + 1, length };
  }
  return longest;
}
