import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { parseCdb } from "./cdb.parse.ts";
import { renderCdb } from "./cdb.render.ts";
import { listLookup, renderLists } from "./lists.render.ts";
import { labelsOf, wireOf } from "./name.model.ts";

announceSeed("constant databases");

const bytes = fc.uint8Array({ maxLength: 12 });

test("what was written is found, the first of each key; nothing else is", () =>
  fc.assert(
    fc.property(fc.array(fc.record({ key: bytes, value: bytes }), { maxLength: 300 }), bytes, (entries, other) => {
      const cdb = parseCdb(renderCdb(entries))!;
      for (const key of [...entries.map((entry) => entry.key), other]) {
        expect(cdb.find(key)).toEqual(entries.find((entry) => entry.key.join() === key.join())?.value);
      }
    }),
  ));

test("a file that is cut short is not taken", () => {
  const whole = renderCdb(["a", "b", "c"].map((key) => ({ key: Buffer.from(key), value: Buffer.from(key) })));
  const kept = whole.findLastIndex((byte) => byte !== 0);
  expect(parseCdb(whole)).toBeDefined();
  expect([0, 100, 2048, kept].map((length) => parseCdb(whole.subarray(0, length)))).toEqual(Array(4).fill(undefined));
});

test("cdb: with corrupt bytes, no read leaves the file and every search ends", () =>
  fc.assert(
    fc.property(
      fc.array(fc.record({ key: bytes, value: bytes }), { minLength: 1, maxLength: 20 }),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 7, 255)), { maxLength: 20 }),
      (entries, changes) => {
        const whole = renderCdb(entries);
        for (const [at, byte] of changes) whole[at % whole.length] = byte;
        const found = parseCdb(whole)?.find(entries[0]!.key);
        expect(found?.byteLength ?? 0).toBeLessThan(whole.length);
      },
    ),
  ));

test("a long list is looked up as it was written", () => {
  const all = Array.from({ length: 20_000 }, (_, at) => `host${at}.example`);
  const bits = (at: number) => ({ exact: at, below: 0xffff_ffff, allowExact: at % 2, allowBelow: 0 });
  const lookup = listLookup(parseCdb(renderLists(all.map((name, at) => [name, bits(at)])))!);
  expect(all.map((name) => lookup(name))).toEqual(all.map((_, at) => bits(at)));
  expect([lookup("example"), lookup("no such name")]).toEqual([undefined, undefined]);
});

test.each([
  ["", "00"],
  [".", "00"],
  ["Com.", "03636f6d00"],
  ["a.b", "0161016200"],
  ["a\\.b\\032\\255", "05612e6220ff00"],
  ["a..b", undefined],
  [".a", undefined],
  ["a b", undefined],
  ["ä", undefined],
  ["a\\", undefined],
  ["a\\999", undefined],
  ["x".repeat(64), undefined],
  [`${`${"x".repeat(62)}.`.repeat(4)}xx`, undefined],
])("%s travels as %s", (name, hex) => {
  const wire = wireOf(name);
  expect(wire && Buffer.from(wire).toString("hex")).toBe(hex);
});

test("the longest name is one, and every name reads back", () => {
  const longest = `${`${"x".repeat(62)}.`.repeat(4)}x`;
  expect([wireOf(longest)!.length, wireOf("x".repeat(63))!.length]).toEqual([255, 65]);
  expect(labelsOf(wireOf("A\\.b\\092\\007.Com")!)).toEqual(["a\\.b\\\\\\007", "com"]);
});
