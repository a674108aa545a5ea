import type { Ruleset } from "../nftables.model.ts";

/**
 * The number under which the kernel counts each cause of a decision. Ranks are unsuitable: they shift when a policy is
 * inserted, and the counts would go to its neighbours.
 */
export interface Numbering {
  /** The generation it began with. Another numbering has other numbers. */
  readonly began: number;
  /** Cause → number. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly next: number;
}

/** The maximum size of a set that packets fill. */
const lastNumber = 0xffff;

/** A cause keeps its number, and the number of a removed cause is not reused: its count would come with it. */
export function numberingOf(actions: Ruleset["actions"], generation: number, known: Numbering | undefined): Numbering {
  const current = known ?? { began: generation, numbers: new Map<string, number>(), next: 1 };
  let { next } = current;
  const numbers = new Map(actions.map(({ cause }) => [cause, current.numbers.get(cause) ?? next++]));
  if (known && next - 1 > lastNumber) return numberingOf(actions, generation, undefined);
  return { began: current.began, numbers, next };
}

/** Practically unlimited. The remaining time shows when a count last grew: nft stores no date. */
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
