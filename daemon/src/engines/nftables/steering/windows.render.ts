import { forgedDropped } from "./attempts.render.ts";
import { directLookups, staysInside } from "./exceptions.render.ts";
import type { Ruleset, Window } from "../nftables.model.ts";
import { dnsQuery } from "../redirect/dns-redirect.render.ts";
import { type Chain, interfaces, type NamedSet } from "../table.model.ts";

/** What the packets of one window are recognised by: a set, and the key that is looked up in it. */
interface Lookup {
  readonly set: NamedSet;
  readonly key: string;
}

/** Interval sets of one window, by the generation that needed them first. */
export type WindowRanges = readonly Lookup[];

type MakeRanges = (role: string, type: string, keys: readonly string[]) => NamedSet;

/** Sets of addresses. Those without elements do not exist, and are not looked up. */
export const windowRanges = ({ windows = [] }: Ruleset, make: MakeRanges): readonly WindowRanges[] =>
  windows.map(({ from, to }, index) =>
    [
      { role: "from4", type: "ipv4_addr", key: "ip saddr", keys: from.v4 },
      { role: "from6", type: "ipv6_addr", key: "ip6 saddr", keys: from.v6 },
      { role: "to4", type: "ipv4_addr", key: "ip daddr", keys: to.v4 },
      { role: "to6", type: "ipv6_addr", key: "ip6 daddr", keys: to.v6 },
    ]
      .filter(({ keys }) => keys.length > 0)
      .map(({ role, type, key, keys }) => ({ key, set: make(`scheduled_${role}_${index + 1}`, type, keys) })),
  );

export const windowSets = ({ windows = [], lan }: Ruleset, ranges: readonly WindowRanges[]): NamedSet[] =>
  windows.flatMap((window, index) => [
    {
      name: `window_${index + 1}`,
      kind: "set",
      type: "ifname",
      flags: "timeout",
      elements: lan.map((name) => ({
        key: `"${name}"`,
        comment: `${window.cause}, until ${window.untilUptimeSec} s after the start`,
        untilMs: window.untilSec * 1000 + timeoutReserveMs,
      })),
    },
    {
      name: `scheduled_mac_${index + 1}`,
      kind: "set",
      type: "ether_addr",
      elements: window.macs.map((key) => ({ key })),
    },
    ...ranges[index]!.map(({ set }) => set),
  ]);

/**
 * Before the connection is considered, so that none outlives the window. The wall clock decides to the nanosecond. The timeout
 * does not depend on it: a clock that is set back does not make the window longer.
 */
export const windowLookups = ({ windows = [] }: Ruleset): string[] =>
  windows.flatMap((window, index) => {
    const over = `jump over_${index + 1}`;
    return [`iifname != @window_${index + 1} ${over}`, `meta time != ${window.fromSec}-${window.untilSec} ${over}`];
  });

export const windowChains = (ruleset: Ruleset, ranges: readonly WindowRanges[]): Chain[] =>
  (ruleset.windows ?? []).flatMap((window, index) => [
    { name: `over_${index + 1}`, rules: packetsOf(window, index + 1, ranges[index]!) },
    { name: `lapsed_${index + 1}`, rules: lapsedRules(window, ruleset) },
  ]);

/** A clock that is adjusted while it runs must not end the timeout before the wall clock reaches the end. */
const timeoutReserveMs = 2000;

/** Packets of the first seconds are only dropped: connections that stay where they are continue with the next rules. */
const reloadSec = 10;

const packetsOf = ({ macs, interfaces: names }: Window, number: number, ranges: WindowRanges): string[] =>
  [
    ...(macs.length > 0 ? [`ether saddr @scheduled_mac_${number}`] : []),
    ...(names.length > 0 ? [`iifname ${interfaces(names)}`] : []),
    ...ranges.map(({ key, set }) => `${key} @${set.name}`),
  ].map((match) => `${match} goto lapsed_${number}`);

/** As for a blocked device; its queries have no resolver, since the resolver depends on the egress. */
const lapsedRules = ({ untilSec }: Window, { exceptions, dnsListener, lan }: Ruleset): string[] => [
  "ct state invalid drop",
  ...directLookups(exceptions),
  ...(dnsListener ? [`${dnsQuery(dnsListener)} drop`] : []),
  "fib daddr type { local, broadcast, multicast } accept",
  forgedDropped,
  "ct state untracked drop",
  ...staysInside(lan),
  `meta time ${untilSec}-${untilSec + reloadSec} drop`,
  "goto blocked",
];
