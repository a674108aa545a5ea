import { expect, test } from "vitest";
import { pauseAfterMs, shortestTimeoutMs } from "./reading-pace.ts";

test.each([
  [10, 5000],
  [400, 10_000],
  [1000, 24_000],
  [6000, 19_000],
  [40_000, 5000],
])("traffic: after a reading of %d ms the next one begins %d ms later", (tookMs, expected) =>
  expect(pauseAfterMs(tookMs)).toBe(expected),
);

test("traffic: a connection is listed once more before the kernel forgets it, as long as a reading takes less than 20 seconds", () => {
  for (let tookMs = 0; tookMs < 20_000; tookMs += 100)
    expect(tookMs + pauseAfterMs(tookMs)).toBeLessThan(shortestTimeoutMs);
});
