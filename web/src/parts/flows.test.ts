import { expect, test } from "vitest";
import { type Flows, flowsAfter, keptRates } from "./flows.ts";

const none: Flows = new Map();
const read = (rx: number, tx: number) => [{ key: "a", rx, tx }];

test("two readings make a rate", () => {
  const first = flowsAfter(none, read(1000, 0), 10_000);
  expect(first.get("a")!.rates).toEqual([]);
  const second = flowsAfter(first, read(5000, 300), 12_000);
  expect(second.get("a")!.rates).toEqual([{ at: 12_000, rx: 2000, tx: 150 }]);
});

test("a counter that began anew counts nothing, and what follows counts from there", () => {
  const readings = [read(9000, 9000), read(100, 50), read(300, 150)];
  const flows = readings.reduce((so, reading, place) => flowsAfter(so, reading, (place + 1) * 2000), none);
  expect(flows.get("a")!.rates.map(({ rx, tx }) => [rx, tx])).toEqual([
    [0, 0],
    [100, 50],
  ]);
});

test("readings too close together are one", () => {
  const first = flowsAfter(none, read(0, 0), 10_000);
  expect(flowsAfter(first, read(500, 500), 10_100)).toEqual(first);
});

test("only so many are kept, the newest, and of what is gone none", () => {
  let flows = none;
  for (let second = 1; second <= keptRates + 10; second++)
    flows = flowsAfter(flows, read(second, second), second * 1000);
  const { rates } = flows.get("a")!;
  expect(rates).toHaveLength(keptRates);
  expect(rates.at(-1)!.at).toBe((keptRates + 10) * 1000);
  expect(flowsAfter(flows, [], 1e9).size).toBe(0);
});
