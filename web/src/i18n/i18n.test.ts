import { expect, test } from "vitest";
import { de } from "./de/de.ts";
import { en } from "./en/en.ts";

/** Every text with the way to it: a sentence, or how many values a sentence takes. */
function texts(words: unknown, way = ""): [string, string][] {
  if (typeof words === "string") return [[way, "text"]];
  if (typeof words === "function") return [[way, "sentence"]];
  if (typeof words !== "object" || words === null) return [[way, `a ${typeof words}, which is no word`]];
  return Object.entries(words).flatMap(([key, inner]) => texts(inner, way === "" ? key : `${way}.${key}`));
}

const at = (words: unknown, way: string): unknown =>
  way.split(".").reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], words);

const english = new Map(texts(en));

test.each([["de", de]] as const)("%s says everything English says, and nothing else", (_, words) => {
  const ways = new Map(texts(words));
  expect([...ways.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  expect([...ways].filter(([way, kind]) => english.get(way) !== kind)).toEqual([]);
});

test.each([["de", de]] as const)("no sentence of %s wants a value that English does not give", (_, words) => {
  const wanting = [...english]
    .filter(([, kind]) => kind === "sentence")
    .map(([way]) => way)
    .filter((way) => (at(words, way) as { length: number }).length > (at(en, way) as { length: number }).length);
  expect(wanting).toEqual([]);
});

test.each([
  ["en", en],
  ["de", de],
])("%s has no empty text, none with a space at its end, and no other thing among them", (_, words) => {
  const all = texts(words);
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter(([, kind]) => kind !== "text" && kind !== "sentence")).toEqual([]);
  const bad = all.filter(([way, kind]) => {
    const text = at(words, way);
    return kind === "text" && (text === "" || text !== (text as string).trim());
  });
  expect(bad).toEqual([]);
});
