import { winningRanges } from "./comparison.render.ts";
import { classid, cutMark, decidedMark, epochMark, exceptionMark, hex, planMark } from "./marks.model.ts";
import { blockEgress, type Ranked, type Ruleset } from "./nftables.model.ts";

/** A named map or set of the table, and what it holds. */
export interface Holder {
  readonly name: string;
  readonly kind: "map" | "set";
  readonly type: string;
  readonly flags?: "interval" | "timeout" | "interval, timeout";
  readonly elements: readonly Element[];
  /** Filled by others (the resolver, exceptions): an apply leaves what is in it. */
  readonly kept?: true;
  /** Of one generation only. */
  readonly mortal?: true;
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
  readonly ruleset: Ruleset;
  readonly holders: readonly Holder[];
  readonly chains: readonly Chain[];
  /** The chains without what only tells their generation from others. */
  readonly meaning: string;
}

/**
 * Names that belong to one generation only: the last look-up of a packet must be of the generation of all the others.
 * Elements of plain maps change places at the moment a generation begins. Those of interval maps may, and those of
 * concatenated ranges do, appear a little later, in the order they were written. So there is a last element of each.
 */
const canaryName = (generation: number): string => `canary_${generation}`;
const intervalCanary = (generation: number): string => `canary_interval_${generation}`;
const rangesCanary = (generation: number): string => `canary_ranges_${generation}`;
const movingName = (generation: number): string => `moving_${generation}`;

/** `known` is what stands: what has not changed since is used again, maps that are costly to make first of all. */
export function steering(ruleset: Ruleset, generation: number, known?: Steering): Steering {
  const contest = duels(ruleset, duelNames(generation, known));
  return {
    ruleset,
    holders: holders(ruleset, contest, generation, known),
    chains: chains(ruleset, contest, generation),
    meaning: JSON.stringify(chains(ruleset, contest, 0)),
  };
}

/** What settles whose rank is lower; nothing where one side has none. */
interface Duels {
  readonly source: Holder | undefined;
  readonly destination: Holder | undefined;
  readonly domain: Holder | undefined;
}

function duels({ macRanks, bySource, byDestination, byDomain, unmatchedRank }: Ruleset, nameOf: DuelNames): Duels {
  const sourceRanks = bySource.flatMap(({ v4, v6 }) => [...v4, ...v6]).map(({ rank }) => rank);
  const destinationRanks = [...byDestination.v4, ...byDestination.v6].map(({ rank }) => rank);
  const domainRanks = byDomain.map(({ rank }) => rank);
  const defenders = [...macRanks, unmatchedRank];
  return {
    source: duel(nameOf, "source_wins", sourceRanks, defenders),
    destination: duel(nameOf, "destination_wins", destinationRanks, [...defenders, ...sourceRanks]),
    domain: duel(nameOf, "domain_wins", domainRanks, [...defenders, ...sourceRanks, ...destinationRanks]),
  };
}

function holders(ruleset: Ruleset, contest: Duels, generation: number, known: Steering | undefined): Holder[] {
  const again = standingElements(ruleset, known);
  const { lan, byMac, bySource, byDestination, byDomain, actions, plans, splits } = ruleset;
  const sourceRanks = bySource.flatMap(({ v4, v6 }) => [...v4, ...v6]).map(({ rank }) => rank);
  const destinationRanks = [...byDestination.v4, ...byDestination.v6].map(({ rank }) => rank);
  const domainRanks = byDomain.map(({ rank }) => rank);
  const scratch = [...new Set([...sourceRanks, ...destinationRanks, ...domainRanks])].toSorted((a, b) => a - b);
  return [
    { name: "exceptions", kind: "map", type: "ether_addr : verdict", flags: "timeout", elements: [], kept: true },
    {
      name: "mac_rank",
      kind: "map",
      type: "ether_addr : mark",
      elements: again("mac_rank", "byMac") ?? byMac.map(({ key, rank }) => ({ key, data: hex(rank) })),
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
    ...[contest.source, contest.destination, contest.domain].filter((it) => it !== undefined),
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
      elements:
        again("action", "actions") ??
        actions.map(({ rank, plan, cause }) => ({ key: hex(rank), data: hex(planMark(plan)), comment: cause })),
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
      mortal: true,
    },
    {
      name: movingName(generation),
      kind: "map",
      type: "ifname : verdict",
      elements: lan.map((name) => ({ key: `"${name}"`, data: "goto move" })),
      mortal: true,
    },
    // The last two come last: their elements are in place after those of all other maps of their sort.
    {
      name: intervalCanary(generation),
      kind: "map",
      type: "mark : verdict",
      flags: "interval",
      elements: [{ key: anyMark, data: "goto past_intervals" }],
      mortal: true,
    },
    {
      name: rangesCanary(generation),
      kind: "map",
      type: "mark . mark : verdict",
      flags: "interval",
      elements: [{ key: `${anyMark} . ${anyMark}`, data: "goto past_ranges" }],
      mortal: true,
    },
  ];
}

/** Elements of a map that was made of the same table, which costs more to write again than to find. */
const standingElements =
  (ruleset: Ruleset, known: Steering | undefined) =>
  (name: string, table: keyof Ruleset): readonly Element[] | undefined =>
    known?.ruleset[table] === ruleset[table] ? known?.holders.find((it) => it.name === name)?.elements : undefined;

const anyMark = "0x00000000-0xffffffff";

const addressMap = (name: string, type: string, ranked: readonly Ranked[]): Holder => ({
  name,
  kind: "map",
  type: `${type} : classid`,
  flags: "interval",
  elements: ranked.map(({ key, rank }) => ({ key, data: classid(rank) })),
});

function duel(
  nameOf: DuelNames,
  name: string,
  challengers: readonly number[],
  defenders: readonly number[],
): Holder | undefined {
  const ranges = winningRanges(challengers, defenders);
  if (ranges.length === 0) return undefined;
  return {
    name: nameOf(name, ranges),
    kind: "map",
    type: "mark . classid : verdict",
    flags: "interval",
    elements: ranges.map((key) => ({ key, data: "jump take" })),
  };
}

type DuelNames = (name: string, ranges: readonly string[]) => string;

/**
 * To empty and fill a map of concatenated ranges costs the kernel seconds where a new one costs milliseconds. So one
 * that holds the same is left alone, and anything else gets a map of its own, named after its first generation.
 */
function duelNames(generation: number, known: Steering | undefined): DuelNames {
  return (name, ranges) => {
    const standing = known?.holders.find((it) => it.name.startsWith(`${name}_`));
    if (standing && isSameList(standing.elements, ranges)) return standing.name;
    const fresh = `${name}_${generation}`;
    return fresh === standing?.name ? `${fresh}b` : fresh; // Generations begin again after 250.
  };
}

const isSameList = (elements: readonly Element[], keys: readonly string[]): boolean =>
  elements.length === keys.length && elements.every(({ key }, place) => key === keys[place]);

/** Which old egress may stay when the decision says a new one: itself, and a member of the split that is chosen now. */
function samePairs({ plans, splits }: Ruleset): [number, number][] {
  const members = new Map(splits.map(({ egress, members }) => [egress, members]));
  const chosen = [...new Set(plans.map(({ egress }) => egress))].toSorted((a, b) => a - b);
  return chosen.flatMap((egress) => (members.get(egress) ?? [egress]).map((was): [number, number] => [was, egress]));
}

function chains({ lan, bySource, splits, unmatchedRank }: Ruleset, contest: Duels, generation: number): Chain[] {
  const epoch = hex(epochMark(generation));
  return [
    {
      // An established flow leaves after five rules. Exceptions come first: they must bite flows that already run.
      name: "prerouting",
      rules: [
        `iifname != ${interfaces(lan)} accept`,
        "ct direction reply accept",
        "ether saddr vmap @exceptions",
        `ct mark and 0xff000000 == ${epoch} meta mark set ct mark and 0x00ffffff or 0xc0000000 accept`,
        "meta mark set 0",
        "jump classify",
        `meta mark vmap @${intervalCanary(generation)}`,
      ],
    },
    { name: "past_intervals", rules: [`meta mark . ct mark vmap @${rangesCanary(generation)}`] },
    { name: "past_ranges", rules: [`iifname vmap @${canaryName(generation)}`] },
    {
      name: "classify",
      rules: [
        "fib daddr type { local, broadcast, multicast } return",
        `ct mark and 0x00ffff00 == ${hex(cutMark)} drop`,
        `meta mark set ${hex(unmatchedRank)}`,
        "meta mark set ether saddr map @mac_rank",
        ...fought(contest.source, [
          `iifname vmap { ${bySource.map(({ interface: name }) => `"${name}" : jump source_${encoded(name)}`).join(", ")} }`,
        ]),
        ...fought(contest.destination, [
          "meta priority set ip daddr map @destination4",
          "meta priority set ip6 daddr map @destination6",
        ]),
        ...fought(contest.domain, [
          "meta priority set ip daddr map @domain4",
          "meta priority set ip6 daddr map @domain6",
          "meta priority set meta priority map @domain_rank",
        ]),
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

/** The challenger is looked up into the second register; nobody there means no duel. */
const fought = (duel: Holder | undefined, lookups: readonly string[]): string[] =>
  duel
    ? ["meta priority set 0:0", ...lookups, `meta priority != 0:0 meta mark . meta priority vmap @${duel.name}`]
    : [];

export const interfaces = (names: readonly string[]): string =>
  names.length === 1 ? `"${names[0]}"` : `{ ${names.map((name) => `"${name}"`).join(", ")} }`;

/** Interface names may hold signs that nft's names may not. */
export const encoded = (name: string): string =>
  name.replace(/[^A-Za-z0-9]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}_`);
