import fc from "fast-check";
import { expect, test } from "vitest";
import { winningRanges } from "./rank-comparison.render.ts";

const ranks = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 30 });

/** What the kernel would make of the ranges: is there an element that holds both? */
function wins(elements: readonly string[], candidate: number, current: number): boolean {
  return elements.some((element) => {
    const [marks, classes] = element.split(" . ") as [string, string];
    const [low, high] = marks.split("-").map(Number) as [number, number];
    const [first, last = first] = classes
      .split("-")
      .map((it) => Number.parseInt(it.replace(":", "").padStart(8, "0"), 16));
    return low <= current && current <= high && first! <= candidate && candidate <= last!;
  });
}

test("rank comparison: a candidate wins exactly when its rank is lower", () =>
  fc.assert(
    fc.property(ranks, ranks, (candidates, currents) => {
      const all = [...currents, 0x1_ffff];
      const elements = winningRanges(candidates, all);
      for (const candidate of candidates)
        for (const current of all)
          expect(wins(elements, candidate, current), `${candidate} against ${current}`).toBe(candidate < current);
    }),
    { numRuns: 500 },
  ));

test("policies of one kind in a row are one element", () => {
  expect(winningRanges([1, 2, 3, 7, 8], [5, 100])).toHaveLength(2);
});
