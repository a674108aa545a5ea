import fc from "fast-check";
import { expect, test } from "vitest";
import { winningRanges } from "./rank-comparison.render.ts";

const ranks = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 30 });

/** What the kernel would make of the ranges: is there an element that holds both? */
function wins(elements: readonly string[], challenger: number, defender: number): boolean {
  return elements.some((element) => {
    const [marks, classes] = element.split(" . ") as [string, string];
    const [low, high] = marks.split("-").map(Number) as [number, number];
    const [first, last = first] = classes
      .split("-")
      .map((it) => Number.parseInt(it.replace(":", "").padStart(8, "0"), 16));
    return low <= defender && defender <= high && first! <= challenger && challenger <= last!;
  });
}

test("a challenger wins exactly when its rank is lower", () =>
  fc.assert(
    fc.property(ranks, ranks, (challengers, defenders) => {
      const everybody = [...defenders, 0x1_ffff];
      const elements = winningRanges(challengers, everybody);
      for (const challenger of challengers)
        for (const defender of everybody)
          expect(wins(elements, challenger, defender), `${challenger} against ${defender}`).toBe(challenger < defender);
    }),
    { numRuns: 500 },
  ));

test("policies of one kind in a row are one element", () => {
  expect(winningRanges([1, 2, 3, 7, 8], [5, 100])).toHaveLength(2);
});
