import { expect, test } from "vitest";
import { countedAs, type Flows, flowsAfter, keptRates } from "./flows.ts";

const none: Flows = new Map();
const read = (rx: number, tx: number, at: number | null) => [{ key: "a", rx, tx, at }];
const rateOf = (flows: Flows) => flows.get("a")!.now;

test("rates: two readings make one rate, over the counters' own times and not the page's", () => {
  const first = flowsAfter(none, read(1000, 0, 10_000), 50_000);
  expect(first.get("a")).toMatchObject({ rates: [], now: undefined });
  const second = flowsAfter(first, read(5000, 300, 14_000), 50_500);
  expect(second.get("a")!.rates).toEqual([{ at: 14_000, rx: 1000, tx: 75 }]);
});

test("rates: steady traffic that the gateway counts every 5 s and the page reads every 2 s is a steady rate", () => {
  let flows = none;
  const seen: (number | undefined)[] = [];
  for (let atMs = 0; atMs <= 60_000; atMs += 2000) {
    const countedMs = Math.floor(atMs / 5000) * 5000;
    flows = flowsAfter(flows, read(countedMs, 0, 1_000_000 + countedMs), atMs + 1);
    seen.push(rateOf(flows)?.rx);
  }
  const shown = seen.filter((it) => it !== undefined);
  expect(new Set(shown)).toEqual(new Set([1000]));
  // Nothing is shown before the second reading of the counters, and no gap after it.
  expect(seen.findIndex((it) => it !== undefined)).toBe(3);
  expect(shown).toHaveLength(seen.length - 3);
  expect(flows.get("a")!.rates).toHaveLength(12);
});

test("rates: none for counters without a time, nor for counters that are no longer read", () => {
  const untimed = [0, 2000, 4000].reduce((so, at) => flowsAfter(so, read(at, at, null), at + 1), none);
  expect(untimed.get("a")).toMatchObject({ rates: [], now: undefined });
  let flows = flowsAfter(flowsAfter(none, read(0, 0, 1000), 1), read(5000, 0, 6000), 5001);
  expect(rateOf(flows)).toMatchObject({ rx: 1000 });
  flows = flowsAfter(flows, read(5000, 0, 6000), 15_000);
  expect(rateOf(flows)).toMatchObject({ rx: 1000 });
  flows = flowsAfter(flows, read(5000, 0, 6000), 30_000);
  expect(rateOf(flows)).toBeUndefined();
});

test("rates: a counter or clock that was reset has no rate for that interval, and counts from there", () => {
  const readings = [read(9000, 9000, 1000), read(100, 50, 3000), read(300, 150, 5000), read(500, 150, 4000)];
  const flows = readings.map((_, index) =>
    readings.slice(0, index + 1).reduce((so, it, at) => flowsAfter(so, it, (at + 1) * 2000), none),
  );
  expect(flows.map(rateOf)).toEqual([undefined, undefined, { at: 5000, rx: 100, tx: 50 }, undefined]);
});

test("rates: readings too close together count as one", () => {
  const first = flowsAfter(none, read(0, 0, 10_000), 1);
  expect(flowsAfter(first, read(500, 500, 10_100), 101)).toEqual(first);
});

test("rates: only the newest samples are kept, and none of removed counters", () => {
  let flows = none;
  for (let second = 1; second <= keptRates + 10; second++)
    flows = flowsAfter(flows, read(second, second, second * 1000), second * 1000);
  const { rates } = flows.get("a")!;
  expect(rates).toHaveLength(keptRates);
  expect(rates.at(-1)!.at).toBe((keptRates + 10) * 1000);
  expect(flowsAfter(flows, [], 1e9).size).toBe(0);
});

test("rates: counters without a time were not read", () => {
  expect(countedAs("k", { rx_bytes: 1, tx_bytes: 2 }).at).toBeNull();
});
