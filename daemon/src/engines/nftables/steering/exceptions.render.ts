import { forgedDropped } from "./attempts.render.ts";
import { decided, exceptionLocalMark, exceptionMark, hex, quarantineMark, valid } from "../marks.model.ts";
import { dnsQuery } from "../redirect/dns-redirect.render.ts";
import { blockEgress, directEgress, type Exceptions, type Timed } from "../nftables.model.ts";
import type { DnsListener } from "../redirect/redirect.model.ts";
import { type Chain, type NamedSet, interfaces } from "../table.model.ts";

/** One set of exceptions and its lookup key. */
interface Table {
  readonly name: string;
  readonly type: string;
  readonly flags: "timeout" | "interval, timeout";
  readonly key: string;
  readonly timed: readonly Timed[];
}

export const exceptionSets = (exceptions: Exceptions): NamedSet[] =>
  [...quarantineTables(exceptions), ...directTables(exceptions)].map(({ name, type, flags, timed }) => ({
    name,
    kind: "set",
    type,
    flags,
    elements: timed.map(({ key, untilMs, cause }) => ({
      key,
      comment: cause,
      ...(untilMs !== null && { untilMs }),
    })),
  }));

/** Empty sets have no rule: without exceptions, packets pay nothing for them. */
export const quarantineLookups = (exceptions: Exceptions): string[] =>
  lookups(quarantineTables(exceptions), "exception_quarantine");
export const directLookups = (exceptions: Exceptions): string[] =>
  lookups(directTables(exceptions), "exception_direct");

const lookups = (tables: readonly Table[], chain: string): string[] =>
  tables.filter(({ timed }) => timed.length > 0).map(({ name, key }) => `${key} @${name} goto ${chain}`);

const quarantineTables = ({ quarantined: { mac, v4, v6 } }: Exceptions): Table[] => [
  { name: "quarantined_mac", type: "ether_addr", flags: "timeout", key: "ether saddr", timed: mac },
  { name: "quarantined4", type: "ipv4_addr", flags: "timeout", key: "ip saddr", timed: v4 },
  { name: "quarantined6", type: "ipv6_addr", flags: "timeout", key: "ip6 saddr", timed: v6 },
];

const directTables = ({ direct, allowed }: Exceptions): Table[] => [
  { name: "direct_mac", type: "ether_addr", flags: "timeout", key: "ether saddr", timed: direct.mac },
  { name: "direct4", type: "ipv4_addr", flags: "timeout", key: "ip saddr", timed: direct.v4 },
  { name: "direct6", type: "ipv6_addr", flags: "timeout", key: "ip6 saddr", timed: direct.v6 },
  pairs("allowed_mac4", "ether_addr . ipv4_addr", "ether saddr . ip daddr", allowed.mac4),
  pairs("allowed_mac6", "ether_addr . ipv6_addr", "ether saddr . ip6 daddr", allowed.mac6),
  pairs("allowed4", "ipv4_addr . ipv4_addr", "ip saddr . ip daddr", allowed.v4),
  pairs("allowed6", "ipv6_addr . ipv6_addr", "ip6 saddr . ip6 daddr", allowed.v6),
];

const pairs = (name: string, type: string, key: string, timed: readonly Timed[]): Table => ({
  name,
  type,
  flags: "interval, timeout",
  key,
  timed,
});

const elsewhere = `ct mark != 0 ct mark and 0x000000ff != ${hex(directEgress)}`;

/** Packets to another LAN stay local, whatever exception their sender has. */
export const staysInside = (lan: readonly string[]): string[] =>
  lan.length === 1 ? [] : [`fib daddr oifname ${interfaces(lan)} goto exception_local`];

export const exceptionChains = (lan: readonly string[], dnsListener: DnsListener | null): Chain[] => [
  {
    // Packets to the gateway need no egress. A flow with another egress moves if it can, as with any other change
    // of its egress; otherwise it is cut and starts again.
    name: "exception_direct",
    rules: [
      ...(dnsListener ? [`${dnsQuery(dnsListener)} goto exception_dns`] : []),
      "fib daddr type { local, broadcast, multicast } accept",
      forgedDropped,
      "ct state untracked drop",
      ...staysInside(lan),
      `${elsewhere} ct status dnat goto cut_flow`,
      `${elsewhere} meta l4proto tcp goto cut_flow`,
      `ct mark set ${hex(exceptionMark)}`,
      `meta mark set ${hex(valid | decided | exceptionMark)}`,
      "accept",
    ],
  },
  ...(dnsListener ? [dnsChain] : []),
  {
    name: "exception_local",
    rules: [
      `ct mark set ${hex(exceptionLocalMark)}`,
      `meta mark set ${hex(valid | decided | exceptionLocalMark)}`,
      "accept",
    ],
  },
  {
    // A quarantined device may still use DNS, DHCP, the captive page and neighbour discovery of the gateway.
    // The mark has an egress without an interface, so that replies to earlier connections are dropped, too.
    name: "exception_quarantine",
    rules: [
      ...(dnsListener
        ? [
            // It gets answers from local zones only: its earlier queries went to another resolver.
            `${dnsQuery(dnsListener)} ct status dnat ct mark != ${hex(quarantineMark)} goto cut_flow`,
            `${dnsQuery(dnsListener)} ct mark set ${hex(quarantineMark)} meta mark set ${hex(valid | decided | blockEgress)} accept`,
          ]
        : []),
      "fib daddr type local udp dport { 53, 67, 547 } accept",
      "fib daddr type { broadcast, multicast } udp dport { 67, 547 } accept",
      "fib daddr type local tcp dport { 53, 80, 443 } accept",
      "fib daddr type { local, multicast } icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-solicit } accept",
      "meta l4proto tcp goto cut_flow",
      `ct mark set ${hex(quarantineMark)}`,
      "counter goto refuse",
    ],
  },
];

/** A bypassed device's queries use the uplink, too: the same egress as its packets. */
const dnsChain: Chain = {
  name: "exception_dns",
  rules: [
    `${elsewhere} ct status dnat goto cut_flow`,
    `ct mark set ${hex(exceptionMark)}`,
    `meta mark set ${hex(valid | decided | exceptionMark)}`,
    "accept",
  ],
};
