import { expect, test } from "vitest";
import { de } from "./de/de.ts";
import { en } from "./en/en.ts";

/** Every entry of a catalogue with its path: a text, or a function of values. */
function texts(messages: unknown, path = ""): [string, string][] {
  if (typeof messages === "string") return [[path, "text"]];
  if (typeof messages === "function") return [[path, "sentence"]];
  if (typeof messages !== "object" || messages === null) return [[path, `a ${typeof messages}, which is no text`]];
  return Object.entries(messages).flatMap(([key, inner]) => texts(inner, path === "" ? key : `${path}.${key}`));
}

const at = (messages: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], messages);

const english = new Map(texts(en));

test.each([["de", de]] as const)("catalogue %s: has the same entries as English", (_, messages) => {
  const paths = new Map(texts(messages));
  expect([...paths.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  expect([...paths].filter(([path, kind]) => english.get(path) !== kind)).toEqual([]);
});

test.each([["de", de]] as const)("catalogue %s: no function takes more values than the English one", (_, messages) => {
  const wanting = [...english]
    .filter(([, kind]) => kind === "sentence")
    .map(([path]) => path)
    .filter((path) => (at(messages, path) as { length: number }).length > (at(en, path) as { length: number }).length);
  expect(wanting).toEqual([]);
});

test.each([
  ["en", en],
  ["de", de],
])("catalogue %s: no entry is empty or has surrounding spaces", (_, messages) => {
  const all = texts(messages);
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter(([, kind]) => kind !== "text" && kind !== "sentence")).toEqual([]);
  const bad = all.filter(([path, kind]) => {
    const text = at(messages, path);
    return kind === "text" && (text === "" || text !== (text as string).trim());
  });
  expect(bad).toEqual([]);
});
