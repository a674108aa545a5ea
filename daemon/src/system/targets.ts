import { lookup as getaddrinfo, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { type Address, contains, parseAddress, parseCidr } from "../net/addresses.ts";
import { RefusedSource } from "./refused-source.ts";

/** The server may not be contacted. The message does not contain the address: its reader may not know the network. */
const insideTarget = (): RefusedSource => new RefusedSource({ kind: "inside" });

/** Fails when the host of a URL is such an address itself: then nothing is looked up, and no lookup could check it. */
export function refuseInside(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (parseAddress(host) && isInside(host)) throw insideTarget();
}

/**
 * getaddrinfo that answers only if every address is on the Internet. A connection made with it goes to an address that was
 * checked, whatever the name resolves to a moment later.
 */
export const lookupOutside: LookupFunction = (hostname, options, answer) => {
  getaddrinfo(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return answer(error, "");
    if (addresses.some(({ address }) => isInside(address))) return answer(insideTarget(), "");
    const [first] = addresses as [LookupAddress];
    return options.all ? answer(null, addresses) : answer(null, first.address, first.family);
  });
};

/** Whether an address is not on the Internet: of the machine, a private network or reserved, in any spelling. */
export function isInside(text: string): boolean {
  const address = parseAddress(withoutZone(text));
  return !address || isInsideAddress(address);
}

function isInsideAddress(address: Address): boolean {
  if (isOwn(address) || reserved.some((it) => contains(it, address))) return true;
  const embedded = embeddedIn(address);
  return embedded !== undefined && isInsideAddress(embedded);
}

/** A zone follows an address that is valid on one link only. */
const withoutZone = (text: string): string => text.replace(/%.*$/, "");

const reserved = [
  "0.0.0.0/8", // this host
  "10.0.0.0/8",
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24", // protocol assignments
  "192.168.0.0/16",
  "198.18.0.0/15", // benchmarks
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
  "::/128",
  "::1/128",
  "64:ff9b:1::/48", // translation of local use
  "100::/64", // discard
  "2001::/23", // protocol assignments, Teredo among them
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
].map((it) => parseCidr(it)!);

/** A public address of the machine leads to its own listeners as well. */
const isOwn = ({ family, value }: Address): boolean =>
  Object.values(networkInterfaces())
    .flatMap((it) => it ?? [])
    .map(({ address }) => parseAddress(withoutZone(address)))
    .some((own) => own?.family === family && own.value === value);

/** The IPv4 address inside an IPv6 one: compatible, translated (NAT64) or 6to4. A mapped one is parsed as IPv4. */
function embeddedIn({ family, value }: Address): Address | undefined {
  const v4 = (bits: bigint): Address => ({ family: 4, value: bits & 0xffff_ffffn });
  if (family === 4) return undefined;
  if (value >> 32n === 0n || value >> 32n === nat64Prefix) return v4(value);
  return value >> 112n === 0x2002n ? v4(value >> 80n) : undefined;
}

/** 64:ff9b::/96 */
const nat64Prefix = 0x0064_ff9bn << 64n;
