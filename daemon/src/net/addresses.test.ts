import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Address,
  addressBytes,
  clientNetwork,
  contains,
  formatAddress,
  formatMac,
  overlaps,
  parseAddress,
  parseCidr,
  parseLiteral,
  parseNetwork,
} from "./addresses.ts";

/** Text that is an address, or nearly one: random letters would never come close to the interesting mistakes. */
const group = fc.oneof(fc.constantFrom("0", "1", "ffff", "FFFF", "00ff", ""), fc.stringMatching(/^[0-9a-fA-F]{0,5}$/));
const octet = fc.oneof(fc.nat(300).map(String), fc.constantFrom("0", "00", "01", "256", "", "1e1", " 1", "+1"));
const likeV4 = fc.array(octet, { minLength: 3, maxLength: 5 }).map((parts) => parts.join("."));
const likeV6 = fc
  .array(fc.oneof({ weight: 8, arbitrary: group }, { weight: 1, arbitrary: likeV4 }), { minLength: 2, maxLength: 9 })
  .map((parts) => parts.join(":"));
const addressText = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4().map((it) => `::ffff:${it}`),
);
const likeAddress = fc.oneof(addressText, likeV4, likeV6, fc.string());

test("addresses: what is an address is what Node's own check takes for one", () =>
  fc.assert(
    fc.property(likeAddress, (text) => {
      fc.pre(!text.includes("%"));
      expect(parseAddress(text) !== undefined).toBe(isIP(text) !== 0);
    }),
    { numRuns: 5000 },
  ));

test.each(["10.1", "010.0.0.1", "1.2.3.4 ", "0x7f.0.0.1", "fe80::1%eth0", "1::2::3", "::1.2.3.4:5", "12345::", ""])(
  "addresses: %j is no address",
  (text) => expect(parseAddress(text)).toBeUndefined(),
);

test("addresses: the canonical form parses to the same address", () =>
  fc.assert(
    fc.property(addressText, (text) => {
      const address = parseAddress(text)!;
      expect(parseAddress(formatAddress(address))).toEqual(address);
      expect(formatAddress(address)).toBe(address.family === 4 ? text.replace(/^.*:/, "") : canonicalV6(text));
    }),
  ));

/** The URL standard prints IPv6 by the same rules, so Node's URL is the oracle. */
const canonicalV6 = (text: string): string => new URL(`http://[${text}]`).hostname.slice(1, -1);

test("addresses: an IPv4 address in IPv6 clothes is the IPv4 address", () => {
  expect(parseAddress("::ffff:127.0.0.1")).toEqual(parseAddress("127.0.0.1"));
  expect(parseAddress("::FFFF:7f00:1")).toEqual(parseAddress("127.0.0.1"));
  expect(parseCidr("::ffff:127.0.0.0/104")).toEqual(parseCidr("127.0.0.0/8"));
  expect(contains(parseCidr("127.0.0.0/8")!, parseAddress("::ffff:127.0.0.1")!)).toBe(true);
  expect(parseAddress("::127.0.0.1")!.family).toBe(6);
});

test.each([
  "10.0.0.0",
  "10.0.0.0/33",
  "10.0.0.0/08",
  "10.0.0.0/-1",
  "10.0.0.0/",
  "/8",
  "10.0.0.0/8/8",
  "::/129",
  "::ffff:10.0.0.0/33",
])("addresses: %j is no range", (text) => expect(parseCidr(text)).toBeUndefined());

const cidrText = fc.oneof(
  fc.tuple(fc.ipV4(), fc.nat(32)).map((parts) => parts.join("/")),
  fc.tuple(fc.ipV6(), fc.nat(128)).map((parts) => parts.join("/")),
);

/** An address that shares some leading bits with a range, so that both answers come up often. */
const cidrAndAddress = fc.tuple(cidrText, addressText, fc.nat(128)).map(([cidr, address, shared]) => {
  const { family, base } = parseCidr(cidr)!;
  const other = parseAddress(address)!;
  const width = family === 4 ? 32 : 128;
  const low = (1n << BigInt(width - Math.min(shared, width))) - 1n;
  return { cidr, address: other.family === family ? near(family, base, other.value, low) : other };
});
const near = (family: 4 | 6, base: bigint, value: bigint, low: bigint): Address =>
  parseAddress(formatAddress({ family, value: (base & ~low) | (value & low) }))!;

test("addresses: a range holds the addresses Node's block list says it holds", () =>
  fc.assert(
    fc.property(cidrAndAddress, ({ cidr, address }) => {
      const range = parseCidr(cidr)!;
      // Node treats IPv4 as part of IPv6; here a range contains addresses of its own family only.
      fc.pre(!(range.family === 6 && address.family === 4));
      const list = new BlockList();
      const [network = "", bits] = cidr.split("/");
      list.addSubnet(network, Number(bits), network.includes(":") ? "ipv6" : "ipv4");
      expect(contains(range, address)).toBe(list.check(formatAddress(address), address.family === 4 ? "ipv4" : "ipv6"));
    }),
    { numRuns: 3000 },
  ));

test("addresses: no IPv6 range holds an IPv4 address", () => {
  expect(contains(parseCidr("::/0")!, parseAddress("10.0.0.1")!)).toBe(false);
  expect(overlaps(parseCidr("::/0")!, parseCidr("0.0.0.0/0")!)).toBe(false);
});

test("addresses: ranges overlap exactly when an end of one is inside the other", () =>
  fc.assert(
    fc.property(cidrAndAddress, fc.nat(128), ({ cidr, address }, length) => {
      const a = parseCidr(cidr)!;
      const b = parseCidr(`${formatAddress(address)}/${Math.min(length, address.family === 4 ? 32 : 128)}`)!;
      const share = a.family === b.family && a.base <= last(b) && b.base <= last(a);
      expect(overlaps(a, b)).toBe(share);
      expect(overlaps(b, a)).toBe(share);
    }),
  ));

const last = ({ family, base, bits }: { family: 4 | 6; base: bigint; bits: number }): bigint =>
  base | ((1n << BigInt((family === 4 ? 32 : 128) - bits)) - 1n);

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["fe80::1%eth0", "fe80::/64"],
  ["::1", "::/64"],
  ["", ""],
])("addresses: the client with address %j is counted as %j", (address, network) =>
  expect(clientNetwork(address)).toBe(network),
);

test.each([
  ["10.1.2.3", "0a010203/32"],
  ["10.1.2.3/20", "0a010000/20"],
  ["0.0.0.0/0", "00000000/0"],
  ["2001:db8::1:2", "20010db8000000000000000000010002/128"],
  ["2001:db8:ffff::/35", "20010db8e00000000000000000000000/35"],
  ["::", "00000000000000000000000000000000/128"],
  ["::ffff:10.1.2.3", "0a010203/32"],
  ["::ffff:10.1.2.3/120", "0a010200/24"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008/128"],
  ["1:2:3:4:5:6:7", undefined],
  ["1::2::3", undefined],
  ["10.1.2", undefined],
  ["10.1.2.256", undefined],
  ["10.1.2.3/33", undefined],
  ["", undefined],
])("addresses: the network %s is %s in bytes", (text, expected) => {
  const network = parseNetwork(text);
  const bytes = network && addressBytes({ family: network.family, value: network.base });
  expect(bytes && `${Buffer.from(bytes).toString("hex")}/${network!.bits}`).toBe(expected);
});

test("addresses: a literal in IPv4-mapped form remains an IPv6 address", () => {
  expect(parseLiteral("::ffff:192.0.2.1")?.family).toBe(6);
  expect(parseLiteral("192.0.2.1")).toEqual(parseAddress("::ffff:192.0.2.1"));
});

test("MAC addresses: every accepted notation has one canonical form", () => {
  for (const text of ["02:00:00:aa:BB:01", "02-00-00-aa-BB-01", "0200.00aa.BB01", "020000aaBB01"])
    expect(formatMac(text)).toBe("02:00:00:aa:bb:01");
});
