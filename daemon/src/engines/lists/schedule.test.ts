import fc from "fast-check";
import { expect, test } from "vitest";
import { nextRequestMs } from "./schedule.model.ts";

const hour = 3_600_000;

test("lists: the refresh interval is kept within ten percent, and spread", () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 60, max: 1e6 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (refreshSec, chance) => {
        const waitMs = nextRequestMs({ requestedAtMs: 0, refreshSec, failures: 0, chance });
        expect(Math.abs(waitMs / refreshSec - 1000)).toBeLessThanOrEqual(100.001);
      },
    ),
  ));

test("lists: after a failure the retry comes sooner, with a growing delay", () => {
  const waits = [1, 2, 3, 20].map((failures) =>
    nextRequestMs({ requestedAtMs: 0, refreshSec: 86_400, failures, chance: 0.5 }),
  );
  expect(waits).toEqual([60_000, 120_000, 240_000, 17.066666666666666 * hour]);
});
