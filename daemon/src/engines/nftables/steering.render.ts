import { winningRanges } from "./comparison.render.ts";
import { classid, cutMark, decidedMark, epochMark, exceptionMark, hex, planMark } from "./marks.model.ts";
import { blockEgress, type Ranked, type Ruleset } from "./nftables.model.ts";

/** A named map or set of the table, and what it holds. */
export interface Holder {
  readonly name: string;
  readonly kind: "map" | "set";
  readonly type: string;
  readonly flags?: string;
  readonly elements: readonly string[];
  /** Filled by others (the resolver, exceptions): an apply leaves what is in it. */
  readonly kept?: true;
}

export interface Chain {
  readonly name: string;
  readonly rules: readonly string[];
}

/** Everything the steering table is made of, for one generation. Text comes later. */
export interface Steering {
  readonly holders: readonly Holder[];
  readonly chains: readonly Chain[];
}

/** Names that belong to one generation only: the last look-up of a packet must be of the generation of all the others. */
export const canaryName = (generation: number): string => `canary_${generation}`;
export const movingName = (generation: number): string => `moving_${generation}`;

export function steering(ruleset: Ruleset, generation: number): Steering {
  return { holders: holders(ruleset, generation), chains: chains(ruleset, generation) };
}

function holders(ruleset: Ruleset, generation: number): Holder[] {
  const { lan, byMac, bySource, byDestination, byDomain, actions, plans, splits } = ruleset;
  const macRanks = byMac.map(({ rank }) => rank);
  const sourceRanks = bySource.flatMap(({ v4, v6 }) => [...v4, ...v6]).map(({ rank }) => rank);
  const destinationRanks = [...byDestination.v4, ...byDestination.v6].map(({ rank }) => rank);
  const domainRanks = byDomain.map(({ rank }) => rank);
  const scratch = [...new Set([...sourceRanks, ...destinationRanks, ...domainRanks])].toSorted((a, b) => a - b);
  const defenders = [...macRanks, ruleset.unmatchedRank];
  return [
    { name: "exceptions", kind: "map", type: "ether_addr : verdict", flags: "timeout", elements: [], kept: true },
    {
      name: "mac_rank",
      kind: "map",
      type: "ether_addr : mark",
      elements: byMac.map(({ key, rank }) => `${key} : ${hex(rank)}`),
    },
    ...bySource.flatMap(({ interface: name, v4, v6 }) => [
      addressMap(`source4_${encoded(name)}`, "ipv4_addr", v4),
      addressMap(`source6_${encoded(name)}`, "ipv6_addr", v6),
    ]),
    addressMap("destination4", "ipv4_addr", byDestination.v4),
    addressMap("destination6", "ipv6_addr", byDestination.v6),
    { name: "domain4", kind: "map", type: "ipv4_addr : classid", flags: "timeout", elements: [], kept: true },
    { name: "domain6", kind: "map", type: "ipv6_addr : classid", flags: "timeout", elements: [], kept: true },
    {
      name: "domain_rank",
      kind: "map",
      type: "classid : classid",
      elements: byDomain.map(({ number, rank }) => `${classid(number)} : ${classid(rank)}`),
    },
    duel("source_wins", sourceRanks, defenders),
    duel("destination_wins", destinationRanks, [...defenders, ...sourceRanks]),
    duel("domain_wins", domainRanks, [...defenders, ...sourceRanks, ...destinationRanks]),
    {
      name: "taken",
      kind: "map",
      type: "classid : mark",
      elements: scratch.map((rank) => `${classid(rank)} : ${hex(rank)}`),
    },
    {
      name: "action",
      kind: "map",
      type: "mark : mark",
      elements: actions.map(({ rank, plan, cause }) => `${hex(rank)} comment "${cause}" : ${hex(planMark(plan))}`),
    },
    {
      name: "plan",
      kind: "map",
      type: "mark : mark",
      elements: plans.map(({ plan, egress }) => `${hex(planMark(plan))} : ${hex(decidedMark(plan, egress))}`),
    },
    {
      name: "same",
      kind: "set",
      type: "mark . mark",
      elements: samePairs(ruleset).map(([was, is]) => `${hex(was)} . ${hex(is)}`),
    },
    {
      name: "split",
      kind: "map",
      type: "mark : verdict",
      elements: splits.map(({ egress }) => `${hex(egress)} : goto split_${egress}`),
    },
    {
      name: canaryName(generation),
      kind: "map",
      type: "ifname : verdict",
      elements: lan.map((name) => `"${name}" : goto validate`),
    },
    {
      name: movingName(generation),
      kind: "map",
      type: "ifname : verdict",
      elements: lan.map((name) => `"${name}" : goto move`),
    },
  ];
}

const addressMap = (name: string, type: string, ranked: readonly Ranked[]): Holder => ({
  name,
  kind: "map",
  type: `${type} : classid`,
  flags: "interval",
  elements: ranked.map(({ key, rank }) => `${key} : ${classid(rank)}`),
});

const duel = (name: string, challengers: readonly number[], defenders: readonly number[]): Holder => ({
  name,
  kind: "map",
  type: "mark . classid : verdict",
  flags: "interval",
  elements: winningRanges(challengers, defenders).map((range) => `${range} : jump take`),
});

/** Which old egress may stay when the decision says a new one: itself, and a member of the split that is chosen now. */
function samePairs({ plans, splits }: Ruleset): [number, number][] {
  const members = new Map(splits.map(({ egress, members }) => [egress, members]));
  const chosen = [...new Set(plans.map(({ egress }) => egress))].toSorted((a, b) => a - b);
  return chosen.flatMap((egress) => (members.get(egress) ?? [egress]).map((was): [number, number] => [was, egress]));
}

function chains(
  { lan, bySource, byDestination, byDomain, splits, unmatchedRank }: Ruleset,
  generation: number,
): Chain[] {
  const epoch = hex(epochMark(generation));
  const hasDestinations = byDestination.v4.length + byDestination.v6.length > 0;
  return [
    {
      // A flow decided in this epoch leaves after three rules. Exceptions need no look before: one begins with a new
      // epoch, and the flows that run by it carry none, so that they notice when it ends.
      name: "prerouting",
      rules: [
        `iifname != ${interfaces(lan)} accept`,
        "ct direction reply accept",
        `ct mark and 0xff000000 == ${epoch} meta mark set ct mark and 0x00ffffff or 0xc0000000 accept`,
        "ether saddr vmap @exceptions",
        "meta mark set 0",
        "jump classify",
        `iifname vmap @${canaryName(generation)}`,
      ],
    },
    {
      name: "classify",
      rules: [
        "fib daddr type { local, broadcast, multicast } return",
        `ct mark and 0x00ffff00 == ${hex(cutMark)} drop`,
        `meta mark set ${hex(unmatchedRank)}`,
        "meta mark set ether saddr map @mac_rank",
        "meta priority set 0:0",
        `iifname vmap { ${bySource.map(({ interface: name }) => `"${name}" : jump source_${encoded(name)}`).join(", ")} }`,
        "meta priority != 0:0 meta mark . meta priority vmap @source_wins",
        ...(hasDestinations
          ? [
              "meta priority set 0:0",
              "meta priority set ip daddr map @destination4",
              "meta priority set ip6 daddr map @destination6",
              "meta priority != 0:0 meta mark . meta priority vmap @destination_wins",
            ]
          : []),
        ...(byDomain.length > 0
          ? [
              "meta priority set 0:0",
              "meta priority set ip daddr map @domain4",
              "meta priority set ip6 daddr map @domain6",
              "meta priority set meta priority map @domain_rank",
              "meta priority != 0:0 meta mark . meta priority vmap @domain_wins",
            ]
          : []),
        "meta priority set 0:0",
        "meta mark set meta mark map @action",
        "meta mark set meta mark map @plan",
        "goto settle",
      ],
    },
    ...bySource.map(({ interface: name }) => ({
      name: `source_${encoded(name)}`,
      rules: [
        `meta priority set ip saddr map @source4_${encoded(name)}`,
        `meta priority set ip6 saddr map @source6_${encoded(name)}`,
      ],
    })),
    { name: "take", rules: ["meta mark set meta priority map @taken"] },
    {
      name: "settle",
      rules: [
        "meta mark and 0x40000000 == 0 drop",
        "ct mark != 0 ct mark and 0x000000ff . meta mark and 0x000000ff @same goto keep",
        `ct mark != 0 iifname vmap @${movingName(generation)}`,
        "ct mark != 0 drop",
        "goto commit",
      ],
    },
    {
      name: "commit",
      rules: ["meta mark and 0x000000ff vmap @split", `ct mark set meta mark and 0x00ffffff or ${epoch}`],
    },
    ...splits.map(({ egress, members }) => ({
      name: `split_${egress}`,
      rules: [
        `meta mark set numgen inc mod ${members.length} map { ${members.map((member, place) => `${place} : ${hex(decidedMark(0, member))}`).join(", ")} }`,
        `ct mark set meta mark and 0x00ffffff or ${epoch}`,
      ],
    })),
    {
      name: "keep",
      rules: [`ct mark set ct mark and 0x00ffffff or ${epoch}`, "meta mark set ct mark and 0x00ffffff or 0x40000000"],
    },
    {
      // Another egress for a flow that runs: masquerading forgets a UDP flow whose interface changes, so it may move.
      // TCP would hang with a foreign address, and a redirected flow cannot go elsewhere: both are cut.
      name: "move",
      rules: ["ct status dnat goto cut", "meta l4proto tcp goto cut", "goto commit"],
    },
    { name: "cut", rules: [`ct mark set ${hex(cutMark)}`, "meta l4proto tcp reject with tcp reset", "drop"] },
    { name: "validate", rules: ["meta mark and 0x40000000 != 0 meta mark set meta mark or 0x80000000"] },
    {
      name: "exception_direct",
      rules: [
        "fib daddr type { local, broadcast, multicast } accept",
        `ct mark != 0 ct mark and 0x00ffff00 != ${hex(exceptionMark & 0x00ff_ff00)} goto cut`,
        `meta mark set ${hex(0xc0ee_0001)}`,
        `ct mark set ${hex(exceptionMark)}`,
        "accept",
      ],
    },
    {
      // Names, addresses and neighbours are what a quarantined device may still ask the gateway for.
      name: "exception_quarantine",
      rules: [
        "fib daddr type { local, broadcast, multicast } udp dport { 53, 67, 547 } accept",
        "fib daddr type local tcp dport { 53, 80, 443 } accept",
        "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-solicit } accept",
        `meta mark set ${hex(decidedMark(0, blockEgress))}`,
        "counter drop",
      ],
    },
  ];
}

export const interfaces = (names: readonly string[]): string =>
  names.length === 1 ? `"${names[0]}"` : `{ ${names.map((name) => `"${name}"`).join(", ")} }`;

/** Interface names may hold signs that nft's names may not. */
export const encoded = (name: string): string =>
  name.replace(/[^A-Za-z0-9]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}_`);
