import { expect, test } from "vitest";
import { addDistinct, addElement, decayed, distinctIn, hasElement, hashOf } from "./sketches.ts";

const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => hashOf(`${prefix}${n}.example`));

test("Bloom filter: it has what was added, and of a thousand others less than three percent", () => {
  const filter = new Uint8Array(1024);
  const added = names(800, "a");
  for (const hash of added) addElement(filter, hash);
  expect(added.every((hash) => hasElement(filter, hash))).toBe(true);
  const wrong = names(1000, "b").filter((hash) => hasElement(filter, hash)).length;
  expect(wrong).toBeLessThan(30);
});

test("Bloom filter: few elements collide with almost none of many others", () => {
  const filter = new Uint8Array(1024);
  for (const hash of names(200, "a")) addElement(filter, hash);
  expect(names(20_000, "b").filter((hash) => hasElement(filter, hash)).length).toBeLessThan(20);
});

test("linear counting: repeated elements count once, and the number of different ones is within 15 percent", () => {
  for (const count of [10, 100, 300]) {
    const words = new Uint32Array(8);
    for (const hash of [...names(count, "a"), ...names(count, "a")]) addDistinct(words, hash);
    expect(Math.abs(distinctIn(words) - count)).toBeLessThanOrEqual(Math.max(2, count * 0.15));
  }
});

test("decay: half of a value is left after its half-life, all of it without elapsed time", () => {
  expect([decayed(8, 0, 10), decayed(8, 10, 10), decayed(8, 30, 10), decayed(8, -5, 10)]).toEqual([8, 4, 1, 8]);
});
