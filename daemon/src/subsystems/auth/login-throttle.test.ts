import { expect, test } from "vitest";
import { openLoginThrottle } from "./login-throttle.ts";

function counting(free = 3) {
  const clock = { ms: 1_700_000_000_000 };
  const guesses = openLoginThrottle({ free, nowMs: () => clock.ms });
  return { clock, guesses, from: (network: string) => guesses.take("ada", network) };
}

test("login throttle: the wait doubles with every attempt beyond the free ones, up to five minutes, from whatever network", () => {
  const { clock, from } = counting();
  const waits: number[] = [];
  let admitted = 0;
  for (let turn = 0; turn < 60; turn += 1) {
    const waitSec = from(`192.0.2.${turn}`);
    if (waitSec === undefined) admitted += 1;
    else {
      waits.push(waitSec);
      clock.ms += waitSec * 1000;
    }
  }
  expect(waits.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  expect(admitted).toBe(3 + Math.floor((60 - 3) / 2));
});

test("login throttle: attempts that come at the same moment are all counted", () => {
  const { from } = counting();
  expect(Array.from({ length: 5 }, () => from("192.0.2.1"))).toEqual([undefined, undefined, undefined, 1, 1]);
});

test("login throttle: a subject that others guess at does not slow down another", () => {
  const { guesses, from } = counting(1);
  expect([from("192.0.2.1"), from("192.0.2.1")]).toEqual([undefined, 1]);
  expect(guesses.take("bob", "192.0.2.1")).toBeUndefined();
});

test("login throttle: attackers on other networks do not lock out a network with a successful login", () => {
  const { guesses, from } = counting();
  from("10.0.0.7");
  guesses.succeeded("ada", "10.0.0.7");
  for (let turn = 0; turn < 20; turn += 1) from("192.0.2.1");
  expect(from("192.0.2.1")).toBeGreaterThan(0);
  expect(from("10.0.0.7")).toBeUndefined();
  // Failures on that network are counted separately.
  expect([from("10.0.0.7"), from("10.0.0.7"), from("10.0.0.7")]).toEqual([undefined, undefined, 1]);
});

test("login throttle: after an hour without attempts the count restarts, and a clock that is set back does not lengthen the wait beyond five minutes", () => {
  const { clock, from } = counting();
  for (let turn = 0; turn < 30; turn += 1) clock.ms += (from("192.0.2.1") ?? 0) * 1000;
  from("192.0.2.1");
  expect(from("192.0.2.1")).toBeGreaterThan(0);
  clock.ms -= 86_400_000;
  expect(from("192.0.2.1")).toBe(300);
  clock.ms += 3_600_000 + 86_400_000;
  expect([from("192.0.2.1"), from("192.0.2.1"), from("192.0.2.1"), from("192.0.2.1")]).toEqual([
    undefined,
    undefined,
    undefined,
    1,
  ]);
});
