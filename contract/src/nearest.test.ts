import fc from "fast-check";
import { expect, test } from "vitest";
import { ownSec } from "../../testing/clock.ts";
import { expectWithin, repeatable } from "../../testing/deadline.ts";
import { nearest } from "./nearest.ts";

const known = ["devices", "device-groups", "drift", "snapshots", "status"];

test.each([
  ["device", "devices"],
  ["devcies", "devices"],
  ["DEVICES", "devices"],
  ["snapshot", "snapshots"],
  ["stat", "status"],
  ["dirft", "drift"],
])("nearest word: %s is taken for %s", (typed, meant) => expect(nearest(typed, known)).toBe(meant));

test.each(["", "x", "zebra", "d", "portcullis"])("nearest word: %j is like nothing known", (typed) =>
  expect(nearest(typed, known)).toBeUndefined(),
);

test("nearest word: of two equally near words the first wins", () =>
  expect(nearest("bat", ["cat", "hat"])).toBe("cat"));

test("nearest word: a word of a megabyte is refused at once", repeatable, () => {
  const started = ownSec();
  expect(nearest("d".repeat(1_000_000), known)).toBeUndefined();
  expectWithin(0.1, { "search for a word of a megabyte": ownSec() - started });
});

test("nearest word: a known word is nearest to itself", () =>
  fc.assert(
    fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z-]{1,12}$/), { minLength: 1 }), (words) => {
      for (const word of words) expect(nearest(word, words)).toBe(word);
    }),
  ));

test("nearest word: swapping two neighbours is one mistake", () =>
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{4,12}$/), fc.nat({ max: 2 }), (word, at) => {
      const swapped = word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
      expect(nearest(swapped, [word])).toBe(word);
    }),
  ));
