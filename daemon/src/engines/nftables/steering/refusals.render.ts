import { aims, attempts } from "./attempts.render.ts";
import { forced, hex, stoppedMark, valid } from "../marks.model.ts";
import { blockEgress } from "../nftables.model.ts";
import { type Chain, type NamedSet, interfaces } from "../table.model.ts";

/** Refusals per device: enough for every connection of a browser at once. What exceeds it is dropped silently. */
const rate = "200/second burst 500 packets";

/** The kernel fills it: which devices were refused within the last seconds. */
export const refusalSet: NamedSet = {
  name: "refusals",
  kind: "set",
  type: "ether_addr",
  size: attempts.maxSenders,
  flags: "dynamic, timeout",
  elements: [],
  isFilledElsewhere: true,
};

/** Blocked packets. A DNS query that was redirected to our resolver is answered there. */
export const blockedPackets = `meta mark and ${hex(valid | forced | 0xff)} == ${hex(valid | blockEgress)}`;

/**
 * A blocked connection fails at once instead of timing out: the device gets a TCP reset, or an ICMP error for all else.
 * Both go into the LAN or are not sent; outside sees neither them nor the packet they are about. Without these chains
 * the routes refuse the same packets: ICMP only, a few per second, and a TCP connection that was established hangs.
 */
export const refusalChains = (lan: readonly string[]): Chain[] => [
  {
    name: "blocked",
    rules: [
      "fib daddr type local accept",
      // Packets of our own leak check: the device whose address they have knows nothing of them.
      ...aims.map((aim) => `${aim} drop`),
      // Without an epoch: each packet is decided anew, also after the connection is allowed again.
      `ct mark set ${hex(stoppedMark)}`,
      "goto refuse",
    ],
  },
  {
    name: "refuse",
    rules: [
      `fib saddr oifname != ${interfaces(lan)} drop`,
      `update @${refusalSet.name} { ether saddr timeout 10s limit rate over ${rate} } drop`,
      "meta l4proto tcp reject with tcp reset",
      "reject with icmpx admin-prohibited",
    ],
  },
];
