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
