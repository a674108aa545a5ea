import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "./hopping.ts";
import { monotonicSec, ownSec, stolenIn, stolenSec } from "../testing/clock.ts";
import { expectWithin, measuresTime } from "./timing.ts";

test("what the host took is read from the kernel, as the average of all processors", () => {
  const stat =
    "cpu  10 0 20 300 0 0 0 500 0 0\ncpu0 5 0 10 150 0 0 0 450 0 0\ncpu1 5 0 10 150 0 0 0 50 0 0\nintr 1 2\n";
  expect(stolenIn(stat)).toBe(2.5);
  expect(stolenIn("cpu  10 0 20 300\ncpu0 10 0 20 300\n")).toBe(0); // A kernel that knows nothing of a host.
});

test("the clock of our own goes as the machine's does, but for what the host took", async () => {
  const [wall, own, stolen] = [monotonicSec(), ownSec(), stolenSec()];
  await wait(300);
  const [ownTook, taken, wallTook] = [ownSec() - own, stolenSec() - stolen, monotonicSec() - wall];
  expect(ownTook).toBeLessThanOrEqual(wallTook);
  expect(Math.abs(wallTook - taken - ownTook)).toBeLessThan(0.05);
});

test("what is as fast as it should be is fine", () => {
  expect(() => expectWithin(2, { noticing: 1.9, "its return": 0 })).not.toThrow();
});

test("whatever took too long is named, also what has no figure", () => {
  expect(() => expectWithin(2, { noticing: 2, "its return": 1, "its end": Number.NaN })).toThrow(
    "Too slow: noticing took 2.00 s, its end took NaN s; less than 2 s is allowed",
  );
});

let tries = 0;
test("what was too slow is measured again", measuresTime, () => {
  tries += 1;
  expectWithin(1, { it: tries < 3 ? 1.5 : 0.5 });
  expect(tries).toBe(3);
});

test("and nothing else is", async () => {
  const { condition } = measuresTime.retry;
  await expect(until("it is back", async () => false, 0.1)).rejects.toThrow(condition);
  expect(() => expect([{ from: "192.0.2.1" }]).toEqual([])).not.toThrow(condition);
});
