import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, expect, test, vi } from "vitest";
import { monotonicSec, ownSec, stolenIn, stolenSec } from "./clock.ts";
import {
  currentSlowness,
  DeadlineMissed,
  deadlineMissed,
  expectWithin,
  judgeDeadlines,
  repeatable,
} from "./deadline.ts";
import { measureSlowness } from "./slowness.ts";

const farBeyond = 1000;

beforeEach(() => void vi.stubEnv("FIGURES", undefined)); // These values must not be recorded.

test("clock: time that the host took from the machine is read from the kernel, as the average of all processors", () => {
  const stat =
    "cpu  10 0 20 300 0 0 0 500 0 0\ncpu0 5 0 10 150 0 0 0 450 0 0\ncpu1 5 0 10 150 0 0 0 50 0 0\nintr 1 2\n";
  expect(stolenIn(stat)).toBe(2.5);
  expect(stolenIn("cpu  10 0 20 300\ncpu0 10 0 20 300\n")).toBe(0); // A kernel that does not report stolen time.
});

test("clock: the clock for deadlines is the machine's clock without the stolen time", async () => {
  const [wall, own, stolen] = [monotonicSec(), ownSec(), stolenSec()];
  await wait(300);
  const [ownTook, taken, wallTook] = [ownSec() - own, stolenSec() - stolen, monotonicSec() - wall];
  expect(ownTook).toBeLessThanOrEqual(wallTook);
  expect(Math.abs(wallTook - taken - ownTook)).toBeLessThan(0.1);
});

test("slowness is never below 1, and a file keeps the largest one it measured", async () => {
  expect(await measureSlowness()).toBeGreaterThanOrEqual(1);
  const first = await currentSlowness();
  expect(await currentSlowness()).toBeGreaterThanOrEqual(first);
});

test("deadline: a duration below its limit passes", async () => {
  expectWithin(2, { detection: 1.9, recovery: 0 });
  await expect(judgeDeadlines(false)).resolves.toBeUndefined();
});

test("deadline: a duration far beyond its limit is reported at the end of the test as DeadlineMissed", async () => {
  expectWithin(2, { detection: 2 * farBeyond, recovery: 1 });
  const verdict = judgeDeadlines(false);
  await expect(verdict).rejects.toBeInstanceOf(DeadlineMissed);
  await expect(verdict).rejects.toThrow(/^Deadline missed: detection took 2.00e\+3 s, allowed 2 s × [\d.]+$/);
});

test("deadline: a test that failed already keeps its own error, and its misses do not reach the next test", async () => {
  expectWithin(2, { detection: 2 * farBeyond });
  await expect(judgeDeadlines(true)).resolves.toBeUndefined();
  await expect(judgeDeadlines(false)).resolves.toBeUndefined();
});

test("deadline: a duration that was not measured is a failure, not a missed deadline", () => {
  expect(() => expectWithin(2, { detection: Number.NaN })).toThrow(/^No duration was measured: detection/);
});

let attempts = 0;
test("deadline: a missed one is measured again", repeatable, () => {
  attempts += 1;
  expectWithin(1, { it: attempts < 3 ? farBeyond : 0.5 });
});
test("deadline: a missed one is measured three times at most", () => expect(attempts).toBe(3));

test("deadline: no other failure counts as a missed deadline", () => {
  expect(new DeadlineMissed(["x"]).message).toMatch(deadlineMissed);
  expect(new DeadlineMissed(["x"]).stack).toMatch(deadlineMissed);
  expect("AssertionError: expected [ { from: '192.0.2.1' } ] to deeply equal []").not.toMatch(deadlineMissed);
  expect("Error: Never reached: Deadline missed: x").not.toMatch(deadlineMissed);
});
