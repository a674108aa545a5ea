import { winningRanges } from "./comparison.render.ts";
import { directLookups, exceptionChains, exceptionHolders, quarantineLookups } from "./exceptions.render.ts";
import { classid, cutMark, decidedMark, epochMark, hex, planMark } from "./marks.model.ts";
import type { Ranked, Ruleset } from "./nftables.model.ts";

/** A named map or set of the table, and what it holds. */
export interface Holder {
  readonly name: string;
  readonly kind: "map" | "set";
  readonly type: string;
  readonly flags?: "interval" | "timeout" | "interval, timeout";
  readonly elements: readonly Element[];
  /** Filled by others (the resolver): an apply leaves what is in it. */
  readonly kept?: true;
}

/** One element in nft's own words. */
export interface Element {
  readonly key: string;
  /** What a map leads to; an element of a set has none. */
  readonly data?: string;
  readonly comment?: string;
  /** When the kernel forgets it by itself, in milliseconds of the clock. */
  readonly untilMs?: number;
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
    ...exceptionHolders(ruleset.exceptions),
    {
      name: "mac_rank",
      kind: "map",
      type: "ether_addr : mark",
      elements: byMac.map(({ key, rank }) => ({ key, data: hex(rank) })),
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
      elements: byDomain.map(({ number, rank }) => ({ key: classid(number), data: classid(rank) })),
    },
    duel("source_wins", sourceRanks, defenders),
    duel("destination_wins", destinationRanks, [...defenders, ...sourceRanks]),
    duel("domain_wins", domainRanks, [...defenders, ...sourceRanks, ...destinationRanks]),
    {
      name: "taken",
      kind: "map",
      type: "classid : mark",
      elements: scratch.map((rank) => ({ key: classid(rank), data: hex(rank) })),
    },
    {
      name: "action",
      kind: "map",
      type: "mark : mark",
      elements: actions.map(({ rank, plan, cause }) => ({
        key: hex(rank),
        data: hex(planMark(plan)),
        comment: cause,
      })),
    },
    {
      name: "plan",
      kind: "map",
      type: "mark : mark",
      elements: plans.map(({ plan, egress }) => ({ key: hex(planMark(plan)), data: hex(decidedMark(plan, egress)) })),
    },
    {
      name: "same",
      kind: "set",
      type: "mark . mark",
      elements: samePairs(ruleset).map(([was, is]) => ({ key: `${hex(was)} . ${hex(is)}` })),
    },
    {
      name: "split",
      kind: "map",
      type: "mark : verdict",
      elements: splits.map(({ egress }) => ({ key: hex(egress), data: `goto split_${egress}` })),
    },
    {
      name: canaryName(generation),
      kind: "map",
      type: "ifname : verdict",
      elements: lan.map((name) => ({ key: `"${name}"`, data: "goto validate" })),
    },
    {
      name: movingName(generation),
      kind: "map",
      type: "ifname : verdict",
      elements: lan.map((name) => ({ key: `"${name}"`, data: "goto move" })),
    },
  ];
}

const addressMap = (name: string, type: string, ranked: readonly Ranked[]): Holder => ({
  name,
  kind: "map",
  type: `${type} : classid`,
  flags: "interval",
  elements: ranked.map(({ key, rank }) => ({ key, data: classid(rank) })),
});

const duel = (name: string, challengers: readonly number[], defenders: readonly number[]): Holder => ({
  name,
  kind: "map",
  type: "mark . classid : verdict",
  flags: "interval",
  elements: winningRanges(challengers, defenders).map((key) => ({ key, data: "jump take" })),
});

/** Which old egress may stay when the decision says a new one: itself, and a member of the split that is chosen now. */
function samePairs({ plans, splits }: Ruleset): [number, number][] {
  const members = new Map(splits.map(({ egress, members }) => [egress, members]));
  const chosen = [...new Set(plans.map(({ egress }) => egress))].toSorted((a, b) => a - b);
  return chosen.flatMap((egress) => (members.get(egress) ?? [egress]).map((was): [number, number] => [was, egress]));
}

function chains(
  { lan, bySource, byDestination, byDomain, splits, unmatchedRank, exceptions }: Ruleset,
  generation: number,
): Chain[] {
  const epoch = hex(epochMark(generation));
  const hasDestinations = byDestination.v4.length + byDestination.v6.length > 0;
  return [
    {
      // An established flow leaves after three rules. Exceptions come first: they must bite flows that already run, and
      // quarantine bites answers too.
      name: "prerouting",
      rules: [
        `iifname != ${interfaces(lan)} accept`,
        ...quarantineLookups(exceptions),
        "ct direction reply accept",
        ...directLookups(exceptions),
        `ct mark and 0xff000000 == ${epoch} meta mark set ct mark and 0x00ffffff or 0xc0000000 accept`,
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
    ...exceptionChains,
  ];
}

export const interfaces = (names: readonly string[]): string =>
  names.length === 1 ? `"${names[0]}"` : `{ ${names.map((name) => `"${name}"`).join(", ")} }`;

/** Interface names may hold signs that nft's names may not. */
export const encoded = (name: string): string =>
  name.replace(/[^A-Za-z0-9]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}_`);
