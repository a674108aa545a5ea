import { aims } from "./attempts.render.ts";
import { type Numbering, remembered } from "./hits.model.ts";
import { classid, hex } from "../marks.model.ts";
import type { Ruleset } from "../nftables.model.ts";
import type { Chain, Element, NamedSet } from "../table.model.ts";

/** Rank → number. */
export const countedElements = (actions: Ruleset["actions"], { numbers }: Numbering): Element[] =>
  actions.map(({ rank, cause }) => ({ key: hex(rank), data: classid(numbers.get(cause)!) }));

/** Packets fill it. */
export const hitsSet: NamedSet = {
  name: "hits",
  kind: "set",
  type: "classid",
  flags: "dynamic, timeout",
  elements: [],
  isFilledElsewhere: true,
};

/** How long a pair of addresses is stored after its last decision, and how many are. A full set loses pairs and nothing else. */
export const pairsKept = { text: "3m", most: 32_768 } as const;

/** Source, destination, and the number of the policy that decided. The traffic of a connection belongs to this policy. */
export const decidedSets: readonly NamedSet[] = [4, 6].map((family) => ({
  name: `decided${family}`,
  kind: "set",
  type: `ipv${family}_addr . ipv${family}_addr . classid`,
  size: pairsKept.most,
  flags: "dynamic, timeout",
  elements: [],
  isFilledElsewhere: true,
}));

/**
 * For a packet whose rank is known: the first of a connection, and the first after each change of the rules. Other packets
 * do not come here, so that they cost nothing more. The decision does not depend on it.
 */
export const recording = "jump record";
export const recordingChain: Chain = {
  name: "record",
  rules: [
    "meta priority set meta mark map @counted",
    ...["ip", "ip6"].map(
      (family, index) =>
        `update @${decidedSets[index]!.name} { ${family} saddr . ${family} daddr . meta priority timeout ${pairsKept.text} }`,
    ),
  ],
};

/**
 * For a packet whose rank is known. Only the first one of a connection has no mark yet, so the others pay nothing. Should
 * a look-up fail, only this chain ends, and nothing that is decided depends on it.
 */
export const counting = "ct mark 0x00000000 jump count";
export const countingChain: Chain = {
  name: "count",
  rules: [
    ...aims.map((aim) => `${aim} return`),
    `meta priority set meta mark map @counted update @hits { meta priority timeout ${remembered.text} counter }`,
  ],
};
