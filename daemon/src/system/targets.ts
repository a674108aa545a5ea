import { lookup as getaddrinfo, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";

/** The server may not be contacted. The message does not contain the address: its reader may not know the network. */
export class InsideTarget extends Error {
  constructor() {
    super("It leads to an address that is not on the Internet; such a list needs allow_private");
  }
}

/** Fails when the host of a URL is such an address itself: then nothing is looked up, and no lookup could check it. */
export function refuseInside(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && isInside(host)) throw new InsideTarget();
}

/**
 * getaddrinfo that answers only if every address is on the Internet. A connection made with it goes to an address that was
 * checked, whatever the name resolves to a moment later.
 */
export const lookupOutside: LookupFunction = (hostname, options, answer) => {
  getaddrinfo(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return answer(error, "");
    if (addresses.some(({ address }) => isInside(address))) return answer(new InsideTarget(), "");
    const [first] = addresses as [LookupAddress];
    return options.all ? answer(null, addresses) : answer(null, first.address, first.family);
  });
};

/** Whether an address is not on the Internet: of the machine, a private network or reserved, in any spelling. */
export function isInside(address: string): boolean {
  const [plain = ""] = address.split("%"); // A zone stands behind addresses of one link.
  const family = isIP(plain);
  if (family === 0) return true;
  if (own().check(plain, family === 4 ? "ipv4" : "ipv6")) return true;
  if (family === 4) return reserved.check(plain, "ipv4");
  const embedded = embeddedIn(plain);
  return reserved.check(plain, "ipv6") || (embedded !== undefined && isInside(embedded));
}

const reserved = blockList([
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
]);

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [base = "", bits] = network.split("/");
    list.addSubnet(base, Number(bits), isIP(base) === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

/** A public address of the machine leads to its own listeners as well. */
function own(): BlockList {
  const list = new BlockList();
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((it) => it ?? []))
    list.addAddress(address, family === "IPv4" ? "ipv4" : "ipv6");
  return list;
}

/** The IPv4 address inside an IPv6 one: mapped, compatible, translated (NAT64) or 6to4. */
function embeddedIn(address: string): string | undefined {
  const groups = groupsOf(address);
  const at = (index: number) =>
    `${groups[index]! >> 8}.${groups[index]! & 255}.${groups[index + 1]! >> 8}.${groups[index + 1]! & 255}`;
  if (groups.slice(0, 5).every((it) => it === 0) && (groups[5] === 0xffff || groups[5] === 0)) return at(6);
  if (groups[0] === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((it) => it === 0)) return at(6);
  return groups[0] === 0x2002 ? at(1) : undefined;
}

/** The eight numbers of an IPv6 address in any spelling; a URL writes an embedded IPv4 address in hexadecimal. */
function groupsOf(address: string): number[] {
  const [, written = ""] = /^\[(.*)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  const [head = "", tail] = written.split("::");
  const numbers = (text: string) => (text === "" ? [] : text.split(":").map((it) => Number.parseInt(it, 16)));
  if (tail === undefined) return numbers(head);
  const [before, after] = [numbers(head), numbers(tail)];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
