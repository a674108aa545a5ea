import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openClockWatch } from "./clock-check.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watching(answers: (before: boolean) => Promise<boolean>) {
  const probe = vi.fn<(before: boolean) => Promise<boolean>>(answers);
  const changes: boolean[] = [];
  const clock = openClockWatch({ probe, onChange: (it) => changes.push(it) });
  return { probe, changes, clock };
}

test("clock check: often after a start, and seldom once the clock is known to be right", async () => {
  const { probe, changes, clock } = watching(async () => false);
  await vi.advanceTimersByTimeAsync(1000 + 14 * 2000);
  expect(probe).toHaveBeenCalledTimes(15);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(probe).toHaveBeenCalledTimes(17);
  expect(changes).toEqual([]);
  clock.close();
});

test("clock check: a change is reported, and a wrong clock is checked more often", async () => {
  let isWrong = true;
  const { probe, changes, clock } = watching(async () => isWrong);
  await vi.advanceTimersByTimeAsync(1000);
  expect([clock.ignoresDates(), changes]).toEqual([true, [true]]);
  await vi.advanceTimersByTimeAsync(14 * 2000);
  const looked = probe.mock.calls.length;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(probe.mock.calls.length - looked).toBe(2);
  isWrong = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect([clock.ignoresDates(), changes]).toEqual([false, [true, false]]);
  clock.close();
});

test("clock check: a failed check changes nothing, and one that ends after close is not reported", async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const answers = [async () => true, () => Promise.reject(new Error("no answer")), () => promise];
  const { probe, changes, clock } = watching(() => answers[probe.mock.calls.length - 1]!());
  await vi.advanceTimersByTimeAsync(3000);
  expect([clock.ignoresDates(), changes]).toEqual([true, [true]]);
  await vi.advanceTimersByTimeAsync(2000);
  clock.close();
  resolve(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(changes).toEqual([true]);
  expect(probe).toHaveBeenCalledTimes(3);
});
