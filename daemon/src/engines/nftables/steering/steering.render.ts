import { attemptNamedSets, countingHeld, forgedChain, forgedDropped, heldChain, heldSet } from "./attempts.render.ts";
import { clampChain } from "./clamp.render.ts";
import { controlChains, controlMaps, controlLookups, isForcing } from "./controls.render.ts";
import { directLookups, exceptionChains, exceptionSets, quarantineLookups } from "./exceptions.render.ts";
import { classid, cutMark, decidedMark, epochMark, epochMask, hex, openEpochMark, planMark } from "../marks.model.ts";
import { type Numbering, numberingOf } from "./hits.model.ts";
import {
  countedElements,
  counting,
  countingChain,
  decidedSets,
  hitsSet,
  recording,
  recordingChain,
} from "./hits.render.ts";
import type { LimitedDnsListener, Ruleset } from "../nftables.model.ts";
import { dnsQuery, zoneOfGeneration } from "../redirect/dns-redirect.render.ts";
import { type RangeMaps, rangeMaps, ranksOf } from "./ranges.render.ts";
import { blockedPackets, refusalChains, refusalSet } from "./refusals.render.ts";
import { windowChains, windowLookups, windowSets } from "./windows.render.ts";
import { type Chain, type Element, encoded, type NamedSet, interfaces } from "../table.model.ts";

/** The objects of the steering table, for one generation. */
export interface Steering {
  readonly ruleset: Ruleset;
  readonly generation: number;
  readonly sets: readonly NamedSet[];
  readonly chains: readonly Chain[];
  /** The numbers under which connections are counted. */
  readonly numbering: Numbering;
  /** The chains without their generation. */
  readonly meaning: string;
}

/** Names of one generation: the last lookup of a packet must be of the same generation as all the others. */
const canaryName = (generation: number): string => `canary_${generation}`;
const movingName = (generation: number): string => `moving_${generation}`;

/** `known` is the loaded steering: unchanged parts are reused, above all interval maps. */
export function steering(ruleset: Ruleset, generation: number, known?: Steering): Steering {
  const ranges = rangeMaps(ruleset, generation, known?.sets);
  const numbering =
    known?.ruleset.actions === ruleset.actions
      ? known.numbering
      : numberingOf(ruleset.actions, generation, known?.numbering);
  return {
    ruleset,
    generation,
    numbering,
    sets: setsOf(ruleset, ranges, numbering, generation, known),
    chains: chains(ruleset, ranges, generation),
    meaning: JSON.stringify(chains(ruleset, ranges, 0)),
  };
}

function setsOf(
  ruleset: Ruleset,
  ranges: RangeMaps,
  numbering: Numbering,
  generation: number,
  known: Steering | undefined,
): NamedSet[] {
  const again = unchangedElements(ruleset, known);
  const { lan, byMac, bySource, byDestination, byDomain, actions, plans, splits, dnsListener } = ruleset;
  const scratch = new Set([...ranksOf(bySource), ...ranksOf([byDestination]), ...byDomain.map(({ rank }) => rank)]);
  return [
    ...exceptionSets(ruleset.exceptions),
    ...windowSets(ruleset, ranges.windows),
    ...controlMaps(ruleset.controls, (name) => again(name, "controls")),
    ...attemptNamedSets,
    refusalSet,
    {
      name: "mac_rank",
      kind: "map",
      type: "ether_addr : mark",
      elements: again("mac_rank", "byMac") ?? byMac.map(({ key, rank }) => ({ key, data: hex(rank) })),
    },
    {
      name: "known_mac",
      kind: "set",
      type: "ether_addr",
      elements: again("known_mac", "byMac") ?? byMac.map(({ key }) => ({ key })),
    },
    {
      name: "closed_mac",
      kind: "set",
      type: "ether_addr",
      elements:
        (isSame(known?.ruleset.closedRanks, ruleset.closedRanks) && again("closed_mac", "byMac")) ||
        closedMacs(ruleset),
    },
    ...ranges.sources.flatMap(({ v4, v6, known4, known6 }) => [v4, v6, known4, known6]),
    ranges.destinations.v4,
    ranges.destinations.v6,
    {
      name: "domain4",
      kind: "map",
      type: "ipv4_addr : classid",
      flags: "timeout",
      elements: [],
      isFilledElsewhere: true,
    },
    {
      name: "domain6",
      kind: "map",
      type: "ipv6_addr : classid",
      flags: "timeout",
      elements: [],
      isFilledElsewhere: true,
    },
    ...(dnsListener && dnsListener.ratePerSec > 0 ? dnsClientSets : []),
    {
      name: "domain_rank",
      kind: "map",
      type: "classid : classid",
      elements: byDomain.map(({ number, rank }) => ({ key: classid(number), data: classid(rank) })),
    },
    ...Object.values(ranges.comparisons).filter((it) => it !== undefined),
    ...(ranges.resolvers ? [ranges.resolvers.v4, ranges.resolvers.v6] : []),
    {
      name: "candidate_rank",
      kind: "map",
      type: "classid : mark",
      elements: [...scratch].toSorted((a, b) => a - b).map((rank) => ({ key: classid(rank), data: hex(rank) })),
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
      name: "counted",
      kind: "map",
      type: "mark : classid",
      elements: again("counted", "actions") ?? countedElements(actions, numbering),
    },
    hitsSet,
    ...decidedSets,
    {
      name: "plan",
      kind: "map",
      type: "mark : mark",
      elements: plans.map(({ plan, egress }) => ({ key: hex(planMark(plan)), data: hex(decidedMark(plan, egress)) })),
    },
    heldSet(ruleset),
    {
      name: "compatible_egress",
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
      isPerGeneration: true,
    },
    {
      name: movingName(generation),
      kind: "map",
      type: "ifname : verdict",
      elements: lan.map((name) => ({ key: `"${name}"`, data: "goto move_flow" })),
      isPerGeneration: true,
    },
  ];
}

/** Filled by the kernel: clients that sent a query within the last seconds. */
const dnsClientSets: readonly NamedSet[] = [
  {
    name: "dns_clients4",
    kind: "set",
    type: "ipv4_addr",
    flags: "dynamic, timeout",
    elements: [],
    isFilledElsewhere: true,
  },
  {
    name: "dns_clients6",
    kind: "set",
    type: "ipv6_addr",
    flags: "dynamic, timeout",
    elements: [],
    isFilledElsewhere: true,
  },
];

/** Elements of a map whose input is unchanged: reusing them is cheaper than rendering. */
const unchangedElements =
  (ruleset: Ruleset, known: Steering | undefined) =>
  (name: string, table: keyof Ruleset): readonly Element[] | undefined =>
    known?.ruleset[table] === ruleset[table] ? known?.sets.find((it) => it.name === name)?.elements : undefined;

/** Senders whose packets may not leave in the clear. */
function closedMacs({ byMac, closedRanks }: Ruleset): Element[] {
  const closed = new Set(closedRanks);
  return byMac.filter(({ rank }) => closed.has(rank)).map(({ key }) => ({ key }));
}

const isSame = (a: readonly number[] | undefined, b: readonly number[]): boolean =>
  a !== undefined && a.length === b.length && a.every((it, index) => it === b[index]);

/** Which old egress may stay when the decision says a new one: itself, a member of the split that is chosen now, and an uplink that still works. */
function samePairs({ plans, splits, staying }: Ruleset): [number, number][] {
  const members = new Map(splits.map((split) => [split.egress, split.members.map(({ egress }) => egress)]));
  const chosen = [...new Set(plans.map(({ egress }) => egress))].toSorted((a, b) => a - b);
  return [
    ...chosen.flatMap((egress) => (members.get(egress) ?? [egress]).map((was): [number, number] => [was, egress])),
    ...staying.map(({ was, is }): [number, number] => [was, is]),
  ];
}

function chains(ruleset: Ruleset, ranges: RangeMaps, generation: number): Chain[] {
  const { lan, splits, clamps, unmatchedRank, dnsListener, exceptions, controls, openEgresses } = ruleset;
  const { sources, destinations, comparisons } = ranges;
  const [epoch, openEpoch] = [hex(epochMark(generation)), hex(openEpochMark(generation))];
  const markedAgain = "meta mark set ct mark and 0x000000ff or 0xc0000000 accept";
  /** Writes the egress of a mark into the connection. */
  const recorded = (mark: "meta mark" | "ct mark"): string[] => [
    `${mark} and 0x000000ff ${oneOf(openEgresses.map((egress) => hex(egress)))} ct mark set ${mark} and 0x000000ff or ${openEpoch} return`,
    `ct mark set ${mark} and 0x000000ff or ${epoch}`,
  ];
  const bySender = [
    "ct state untracked drop", // Except neighbour discovery, which is never tracked.
    `ct mark and ${hex(epochMask)} == ${hex(cutMark)} goto cut_flow`,
    `meta mark set ${hex(unmatchedRank)}`,
    "meta mark set ether saddr map @mac_rank",
    ...compared(comparisons.source, [
      `iifname vmap { ${sources.map(({ interface: name }) => `"${name}" : jump source_${encoded(name)}`).join(", ")} }`,
    ]),
    `meta mark ${hex(unmatchedRank)} jump unknown_sender`,
  ];
  const decided = ["meta priority set 0:0", "meta mark set meta mark map @action", "meta mark set meta mark map @plan"];
  return [
    {
      // Packets of a connection that was decided in this epoch leave the chain early, those through tunnels first. Bypasses
      // are not looked up for them: an exception begins with a new epoch, and its connections have a mark without an epoch,
      // so that they are decided again when it ends. Quarantine comes first because it applies to replies too. An address
      // may pass to another device while a connection exists: a connection that can use an uplink is decided again if its
      // sender may not use one.
      name: "prerouting",
      rules: [
        `iifname != ${interfaces(lan)} accept`,
        ...quarantineLookups(exceptions),
        ...windowLookups(ruleset),
        `ct direction original ct mark and ${hex(epochMask)} == ${epoch} ${markedAgain}`,
        "ct direction reply accept",
        `ct mark and ${hex(epochMask)} == ${openEpoch} ether saddr != @closed_mac ${markedAgain}`,
        "goto decide",
      ],
    },
    {
      name: "decide",
      rules: [
        // Without a connection there is no masquerading: it would show the device's own address outside.
        "ct state invalid drop",
        ...directLookups(exceptions),
        "meta mark set 0",
        "jump classify",
        `iifname vmap @${canaryName(generation)}`,
      ],
    },
    {
      name: "classify",
      rules: [
        ...(dnsListener ? [`${dnsQuery(dnsListener)} goto dns_query`] : []),
        "fib daddr type { local, broadcast, multicast } return",
        forgedDropped,
        ...controlLookups(controls),
        ...bySender,
        ...compared(comparisons.destination, [
          `meta priority set ip daddr map @${destinations.v4.name}`,
          `meta priority set ip6 daddr map @${destinations.v6.name}`,
        ]),
        ...compared(comparisons.domain, [
          "meta priority set ip daddr map @domain4",
          "meta priority set ip6 daddr map @domain6",
          "meta priority set meta priority map @domain_rank",
        ]),
        counting,
        recording,
        ...decided,
        countingHeld,
        "goto resolve_flow",
      ],
    },
    // A query has the egress of the client's other packets, whatever the destination of those.
    ...(dnsListener
      ? [
          { name: "dns_query", rules: [...rateLimit(dnsListener), ...bySender, ...decided, "goto resolve_flow"] },
          { name: "dns_zone", rules: [zoneOfGeneration(dnsListener, lan, generation, isForcing(controls))] },
        ]
      : []),
    ...sources.map(({ interface: name, v4, v6 }) => ({
      name: `source_${encoded(name)}`,
      rules: [`meta priority set ip saddr map @${v4.name}`, `meta priority set ip6 saddr map @${v6.name}`],
    })),
    {
      // A known sender without a rank: another program removed it. It must not be treated as an unknown device.
      name: "unknown_sender",
      rules: [
        "ether saddr @known_mac drop",
        ...sources.flatMap(({ interface: name, known4, known6 }) => [
          ...knownBy(name, "ip saddr", known4),
          ...knownBy(name, "ip6 saddr", known6),
        ]),
      ],
    },
    countingChain,
    recordingChain,
    heldChain,
    forgedChain,
    { name: "take_candidate", rules: ["meta mark set meta priority map @candidate_rank"] },
    {
      name: "resolve_flow",
      rules: [
        "meta mark and 0x40000000 == 0 drop",
        "ct mark != 0 ct mark and 0x000000ff . meta mark and 0x000000ff @compatible_egress goto keep_flow",
        `ct mark != 0 iifname vmap @${movingName(generation)}`,
        "ct mark != 0 drop",
        "goto commit",
      ],
    },
    {
      name: "commit",
      rules: ["meta mark and 0x000000ff vmap @split", ...recorded("meta mark")],
    },
    ...splits.map(({ egress, members }) => ({
      name: `split_${egress}`,
      rules: [
        `meta mark set numgen inc mod ${members.reduce((sum, { weight }) => sum + weight, 0)} map { ${shares(members)} }`,
        ...recorded("meta mark"),
      ],
    })),
    {
      name: "keep_flow",
      rules: ["meta mark set ct mark and 0x000000ff or 0x40000000", ...recorded("ct mark")],
    },
    {
      // Another egress for a flow that runs: masquerading forgets a UDP flow whose interface changes, so it may move.
      // TCP would hang with a foreign address, and a redirected flow cannot go elsewhere: both are cut.
      name: "move_flow",
      rules: ["ct status dnat goto cut_flow", "meta l4proto tcp goto cut_flow", "goto commit"],
    },
    { name: "cut_flow", rules: [`ct mark set ${hex(cutMark)}`, "meta l4proto tcp goto refuse", "drop"] },
    {
      // Only here is it certain that one generation has decided all of it: before, a packet in flight might be refused by mistake.
      name: "validate",
      rules: ["meta mark and 0x40000000 != 0 meta mark set meta mark or 0x80000000", `${blockedPackets} goto blocked`],
    },
    ...refusalChains(lan),
    ...exceptionChains(lan, dnsListener),
    ...windowChains(ruleset, ranges.windows),
    ...controlChains({ controls, lan, dnsListener }, ranges.resolvers),
    ...clampChain(clamps),
  ];
}

const oneOf = (texts: readonly string[]): string => (texts.length === 1 ? texts[0]! : `{ ${texts.join(", ")} }`);

const knownBy = (interface_: string, key: string, { name, elements }: NamedSet): string[] =>
  elements.length === 0 ? [] : [`iifname "${interface_}" ${key} @${name} drop`];

/** Before conntrack confirms the flow: packets dropped here take no entry in the conntrack table. */
const rateLimit = ({ ratePerSec }: LimitedDnsListener): string[] =>
  ratePerSec === 0
    ? []
    : [4, 6].map((family) => {
        const key = `${family === 4 ? "ip" : "ip6"} saddr`;
        const limit = `limit rate over ${ratePerSec}/second burst ${ratePerSec} packets`;
        return `update @dns_clients${family} { ${key} timeout 10s ${limit} } drop`;
      });

/** Each member gets a share of the numbers according to its weight. */
function shares(members: Ruleset["splits"][number]["members"]): string {
  let next = 0;
  return members
    .map(({ egress, weight }) => {
      const first = next;
      next += weight;
      return `${weight === 1 ? first : `${first}-${next - 1}`} : ${hex(decidedMark(0, egress))}`;
    })
    .join(", ");
}

/** Loads the candidate's rank into the second register; without one there is no comparison. */
const compared = (comparison: NamedSet | undefined, lookups: readonly string[]): string[] =>
  comparison
    ? ["meta priority set 0:0", ...lookups, `meta priority != 0:0 meta mark . meta priority vmap @${comparison.name}`]
    : [];
