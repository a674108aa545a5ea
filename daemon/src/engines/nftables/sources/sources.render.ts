import { exceptionMark, hex } from "../marks.model.ts";
import { elementsIn } from "../nftables.parse.ts";
import { type HeldSources, rangeSets, type SetChange } from "./sources.model.ts";

export const protectedCounter = "leak_source";

/** Sets of the guard that hold protected senders, by name. */
export const sourceSets = {
  protected_mac: "ether_addr",
  exempt_mac: "ether_addr",
  ...Object.fromEntries(rangeSets.v4.map((name) => [name, "ifname . ipv4_addr\n\t\tflags interval"])),
  ...Object.fromEntries(rangeSets.v6.map((name) => [name, "ifname . ipv6_addr\n\t\tflags interval"])),
} as const satisfies Record<string, string>;

/** Marks of flows that leave by an exception, without the egress. No plan has this number. */
const exception = { mask: 0x00ff_ff00, value: exceptionMark & 0x00ff_ff00 };
const dropped = `counter name ${protectedCounter} drop`;

/**
 * A second check of the sender for packets that steering sends to an uplink. An exception has its own mark, set only on
 * packets that match a set of exceptions, whose elements expire in the kernel.
 */
export const sourceRules: readonly string[] = [
  `meta mark and ${hex(exception.mask)} == ${hex(exception.value)} accept`,
  `ether saddr @protected_mac ${dropped}`,
  "ether saddr @exempt_mac accept",
  ...rangeSets.v4.map((set) => `iifname . ip saddr @${set} ${dropped}`),
  ...rangeSets.v6.map((set) => `iifname . ip6 saddr @${set} ${dropped}`),
  "accept",
];

/** Changes of the guard's sets as one transaction. */
export const renderSetChanges = (table: string, changes: readonly SetChange[]): string =>
  changes
    .flatMap(({ set, isEmptied, removed, added }) => [
      ...(isEmptied ? [`flush set ${table} ${set}`] : []),
      ...(removed.length === 0 ? [] : [`delete element ${table} ${set} { ${removed.join(", ")} }`]),
      ...(added.length === 0 ? [] : [`add element ${table} ${set} { ${added.join(", ")} }`]),
    ])
    .map((line) => `${line}\n`)
    .join("");

/** What the guard's sets hold, from `nft -j list …`. */
export const sourcesIn = (json: string): HeldSources =>
  new Map(
    [...elementsIn(json)]
      .filter(([name]) => name in sourceSets)
      .map(([name, elements]) => [name, new Set(elements.keys())]),
  );
