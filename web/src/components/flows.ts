import { useState } from "react";

/** Bytes per second in both directions at one time. */
export interface Rate {
  readonly at: number;
  readonly rx: number;
  readonly tx: number;
}
/** Rates of one pair of counters since the page was opened. */
export interface Flow {
  /** The counters at the last reading; undefined: not read. */
  readonly last: Reading | undefined;
  /** When this page saw them change, on its own clock. */
  readonly seenAt: number;
  readonly rates: readonly Rate[];
  /** The current rate; undefined before the second reading, and when the counters are no longer read. */
  readonly now: Rate | undefined;
}
export type Flows = ReadonlyMap<string, Flow>;

interface Reading {
  readonly at: number;
  readonly rx: number;
  readonly tx: number;
}

/** Counters with the time at which the gateway read them, by the gateway's clock; null: not read. */
interface Counted {
  readonly key: string;
  readonly rx: number;
  readonly tx: number;
  readonly at: number | null;
}

/** Half an hour, at a reading every two seconds. */
export const keptRates = 900;
/** Between two readings closer than this, timing errors dominate the rate. */
const minGapMs = 500;
/** Three times the longest interval at which the gateway reads a counter. */
const lastsMs = 15_000;

/**
 * The flows after another reading of the counters. A rate is the difference of the bytes over the difference of the
 * counters' own times: the gateway reads some counters less often than the page requests them.
 */
export function flowsAfter(flows: Flows, counted: readonly Counted[], readAt: number): Flows {
  return new Map(counted.map((it) => [it.key, flowAfter(flows.get(it.key) ?? none, it, readAt)]));
}

const none: Flow = { last: undefined, seenAt: 0, rates: [], now: undefined };

function flowAfter(before: Flow, { rx, tx, at }: Counted, readAt: number): Flow {
  const { last, rates } = before;
  if (at === null || at === last?.at) return readAt - before.seenAt > lastsMs ? { ...before, now: undefined } : before;
  const next = { last: { at, rx, tx }, seenAt: readAt };
  // The clock or the counter was reset: the rate of this interval is unknown.
  if (!last || at < last.at || rx < last.rx || tx < last.tx) return { ...next, rates, now: undefined };
  const gapMs = at - last.at;
  if (gapMs < minGapMs) return before;
  const now = { at, rx: ((rx - last.rx) * 1000) / gapMs, tx: ((tx - last.tx) * 1000) / gapMs };
  return { ...next, rates: [...rates, now].slice(-keptRates), now };
}

/** Flows from counters that are read repeatedly, kept while the page is open. `readAt` distinguishes readings. */
export function useFlows(counted: readonly Counted[] | undefined, readAt: number): Flows {
  const [kept, keep] = useState<{ readonly at: number; readonly flows: Flows }>({ at: 0, flows: new Map() });
  if (counted === undefined || readAt === kept.at) return kept.flows;
  const next = { at: readAt, flows: flowsAfter(kept.flows, counted, readAt) };
  keep(next);
  return next.flows;
}

interface Counters {
  readonly rx_bytes: number;
  readonly tx_bytes: number;
  readonly counters_at?: string | null;
}

/** The counters of one resource, under its key. */
export const countedAs = (key: string, { rx_bytes, tx_bytes, counters_at }: Counters): Counted => ({
  key,
  rx: rx_bytes,
  tx: tx_bytes,
  at: counters_at == null ? null : Date.parse(counters_at),
});
