import type { Ruleset } from "../nftables.model.ts";

/**
 * Under which number the kernel counts whatever causes a decision. Ranks would not do: they move when a policy comes in
 * between, and the counts would go to its neighbours.
 */
export interface Numbering {
  /** The generation it began with. The numbers of another one mean others. */
  readonly began: number;
  /** Cause → number. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly next: number;
}

/** As many as the kernel lets a set hold that packets fill. */
const lastNumber = 0xffff;

/** Who has a number keeps it, and the number of who has gone is not given again: its count would come with it. */
export function numberingOf(actions: Ruleset["actions"], generation: number, known: Numbering | undefined): Numbering {
  const standing = known ?? { began: generation, numbers: new Map<string, number>(), next: 1 };
  let { next } = standing;
  const numbers = new Map(actions.map(({ cause }) => [cause, standing.numbers.get(cause) ?? next++]));
  if (known && next - 1 > lastNumber) return numberingOf(actions, generation, undefined);
  return { began: standing.began, numbers, next };
}

/** No count ends by itself in earnest. What is left of this time tells when a count last grew: nft keeps no date. */
export const remembered = { text: "3650d", seconds: 3650 * 86_400 } as const;

/** What was counted under one number. */
export interface Counted {
  readonly connections: number;
  /** Since the last of them began, in whole seconds. */
  readonly idleSec: number;
}

/** What is counted, and since when. */
export interface Tally {
  readonly numbering: Numbering;
  /** Cause → the moment it came into force, or counting began anew. */
  readonly sinceMs: ReadonlyMap<string, number>;
}

/** `before` is of the same numbering, or there is none. */
export const continued = (before: Tally | undefined, numbering: Numbering, nowMs: number): Tally =>
  before?.numbering === numbering
    ? before
    : {
        numbering,
        sinceMs: new Map([...numbering.numbers.keys()].map((cause) => [cause, before?.sinceMs.get(cause) ?? nowMs])),
      };

export interface Hits {
  /** As the ruleset says it. */
  readonly cause: string;
  readonly connections: number;
  readonly sinceMs: number;
  /** When the last connection was counted, give or take a second. */
  readonly lastMs: number | null;
}

export const hitsOf = ({ numbering, sinceMs }: Tally, counted: ReadonlyMap<number, Counted>, nowMs: number): Hits[] =>
  [...numbering.numbers].map(([cause, number]) => {
    const { connections = 0, idleSec } = counted.get(number) ?? {};
    const lastMs = idleSec === undefined ? null : nowMs - idleSec * 1000;
    return { cause, connections, sinceMs: sinceMs.get(cause)!, lastMs };
  });
