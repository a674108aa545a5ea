import { useState } from "react";

/** Bytes in a second, in both directions, at one moment. */
export interface Rate {
  readonly at: number;
  readonly rx: number;
  readonly tx: number;
}
/** What passed one counter since the page was opened. */
export interface Flow {
  readonly last: { readonly at: number; readonly rx: number; readonly tx: number };
  readonly rates: readonly Rate[];
}
export type Flows = ReadonlyMap<string, Flow>;

/** Counters as they stood at one moment. */
interface Counted {
  readonly key: string;
  readonly rx: number;
  readonly tx: number;
}

/** Half an hour, at a reading every two seconds. */
export const keptRates = 900;
/** Two readings closer than this say more about their timing than about the traffic. */
const leastGapMs = 500;

/** The flows after one more reading of the counters. */
export function flowsAfter(flows: Flows, counted: readonly Counted[], at: number): Flows {
  return new Map(counted.map((it) => [it.key, flowAfter(flows.get(it.key), it, at)]));
}

function flowAfter(before: Flow | undefined, { rx, tx }: Counted, at: number): Flow {
  const last = { at, rx, tx };
  if (!before) return { last, rates: [] };
  const gapMs = at - before.last.at;
  if (gapMs < leastGapMs) return before;
  const rate = { at, rx: perSecond(rx - before.last.rx, gapMs), tx: perSecond(tx - before.last.tx, gapMs) };
  return { last, rates: [...before.rates, rate].slice(-keptRates) };
}

/** A counter that went back began anew: nothing is known of that stretch. */
const perSecond = (bytes: number, gapMs: number): number => (Math.max(0, bytes) * 1000) / gapMs;

/** Flows from counters that are read again and again, kept for as long as the page stands. `at` tells one reading from the next. */
export function useFlows(counted: readonly Counted[] | undefined, at: number): Flows {
  const [kept, keep] = useState<{ readonly at: number; readonly flows: Flows }>({ at: 0, flows: new Map() });
  if (counted === undefined || at === kept.at) return kept.flows;
  const next = { at, flows: flowsAfter(kept.flows, counted, at) };
  keep(next);
  return next.flows;
}

interface Plug {
  readonly rx_bytes: number;
  readonly tx_bytes: number;
}

/** The counters of one thing that has them, under the name it is asked for by. */
export const countedAs = (key: string, { rx_bytes, tx_bytes }: Plug): Counted => ({ key, rx: rx_bytes, tx: tx_bytes });
