import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../testing/seed.ts";
import { bucketOf, canonical, digestOf } from "./canonical.ts";

announceSeed("canonical");

const json = fc.jsonValue();

test("canonical JSON: the text of a value reads back as the value", () =>
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(canonical(value))).toEqual(withoutNegativeZero(value));
    }),
  ));

test("canonical JSON: equal values have equal bytes, in whatever order their fields came", () =>
  fc.assert(
    fc.property(json, (value) => {
      expect(canonical(backwards(value))).toBe(canonical(value));
    }),
  ));

test("canonical JSON: different values have different bytes", () => {
  const texts = [{ a: 1 }, { a: "1" }, { a: [1] }, { a: { b: 1 } }, { "a.b": 1 }, { a: null }, {}, [], "", null, 0];
  expect(new Set(texts.map((it) => canonical(it))).size).toBe(texts.length);
});

test("a list keeps its order: it is part of what was said", () =>
  expect(canonical([2, 1])).not.toBe(canonical([1, 2])));

test("canonical JSON: a field that was left out and one that is undefined are the same", () =>
  expect(canonical({ a: 1, b: undefined })).toBe(canonical({ a: 1 })));

test("canonical JSON: ids spread over 256 buckets, and an id stays in its own", () => {
  const ids = Array.from({ length: 5000 }, (_, number) => `id ${number}`);
  const buckets = ids.map(bucketOf);
  expect(buckets).toEqual(ids.map(bucketOf));
  expect(buckets.every((it) => Number.isInteger(it) && it >= 0 && it < 256)).toBe(true);
  expect(new Set(buckets).size).toBe(256);
});

test("canonical JSON: a digest is SHA-256 of the text in UTF-8", () => {
  expect(digestOf("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(digestOf("ü")).toBe("607474ca475a9724d7360aba71a56d5df77e61350e3f724cfa1f46e857e2d85f");
});

/** JSON has one zero. */
const withoutNegativeZero = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** The same value with the fields of every object in reverse. */
function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, backwards(inner)]),
  );
}
