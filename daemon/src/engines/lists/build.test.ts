import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { announceSeed } from "../../../../testing/seed.ts";
import type { Listed } from "../dnsdist/filter-policy.model.ts";
import { parseCdb } from "../dnsdist/cdb.parse.ts";
import { listLookup } from "../dnsdist/lists.render.ts";
import { buildLists } from "./build.ts";
import { listedNames } from "./listed-names.ts";
import type { Entry } from "./lists.model.ts";
import { openLookup } from "./lookup.ts";

announceSeed("building of lists");

const label = fc.string({ unit: fc.constantFrom("a", "b", "1", "-"), minLength: 1, maxLength: 3 });

const said = fc.record({
  name: fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => [...labels, "example"].join(".")),
  scope: fc.constantFrom<Entry["scope"]>("exact", "below", "both"),
  isException: fc.boolean(),
  bit: fc.nat(31),
  action: fc.constantFrom("block" as const, "allow" as const),
});

test("every name has the bits of all that was said of it, and no other name has any", () =>
  fc.assert(
    fc.property(fc.array(said, { maxLength: 300 }), (entries) => {
      const names = listedNames();
      const expected = new Map<string, Listed>();
      for (const { bit, action, ...entry } of entries) {
        names.add(entry, bit, action);
        expected.set(entry.name, withBits(expected.get(entry.name), entry, bit, action));
      }
      const read = new Map<string, Listed>();
      names.forEach((key, keyLength, value, valueLength) => {
        read.set(textOf(key.slice(0, keyLength)), bitsOf(value.slice(0, valueLength)));
      });
      expect(names.size()).toBe(expected.size);
      expect(read).toEqual(expected);
    }),
  ));

test("a hundred thousand names are found in the file, by a reader of bytes and by one of the file", () => {
  using folder = temporaryFolder();
  const count = 100_000;
  const path = `${folder.path}/sample.txt`;
  writeFileSync(path, Array.from({ length: count }, (_, n) => `n${n}.example${n % 10}.com\n`).join(""));
  const built = `${folder.path}/lists.cdb`;
  const list = { id: "one", bit: 5, action: "block" as const, format: "domains" as const, path };
  const answer = buildLists({ kind: "build", lists: [list], ownNames: [], maxNames: count, path: built });
  expect(answer).toMatchObject({ names: count, found: [{ id: "one", entries: count, skipped: 0 }] });
  const inBytes = listLookup(parseCdb(readFileSync(built))!);
  const inFile = openLookup(built)!;
  const listed: Listed = { exact: 32, below: 32, allowExact: 0, allowBelow: 0 };
  const samples = Array.from({ length: 2000 }, (_, n) => n * 50);
  expect(samples.filter((n) => inBytes(`n${n}.example${n % 10}.com`)?.exact !== 32)).toEqual([]);
  expect(samples.filter((n) => inFile.lookup(`n${n}.example${n % 10}.com`)?.exact !== 32)).toEqual([]);
  expect(samples.filter((n) => inFile.lookup(`n${n}.example${(n + 1) % 10}.com`) !== undefined)).toEqual([]);
  expect(inFile.lookup("n7.example7.com")).toEqual(listed);
  inFile.close();
});

test("a file that is cut short is searched to no avail, but without harm", () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/lists.cdb`;
  const text = `${folder.path}/sample.txt`;
  writeFileSync(text, "ads.example\nmore.example\n");
  const list = { id: "one", bit: 0, action: "block" as const, format: "domains" as const, path: text };
  buildLists({ kind: "build", lists: [list], ownNames: [], maxNames: 10, path });
  const whole = readFileSync(path);
  for (const length of [0, 7, 2047, 2049, whole.length - 9]) {
    writeFileSync(path, whole.subarray(0, length));
    const cut = openLookup(path)!;
    expect([undefined, 1]).toContain(cut.lookup("ads.example")?.exact);
    cut.close();
  }
});

function withBits(before: Listed | undefined, entry: Entry, bit: number, action: "block" | "allow"): Listed {
  const { exact, below, allowExact, allowBelow } = before ?? { exact: 0, below: 0, allowExact: 0, allowBelow: 0 };
  const isAllowed = entry.isException || action === "allow";
  const set = (mask: number, isSet: boolean): number => (isSet ? (mask | (1 << bit)) >>> 0 : mask);
  const ofItself = entry.scope !== "below";
  const ofOthers = entry.scope !== "exact";
  return {
    exact: set(exact, ofItself && !isAllowed),
    below: set(below, ofOthers && !isAllowed),
    allowExact: set(allowExact, ofItself && isAllowed),
    allowBelow: set(allowBelow, ofOthers && isAllowed),
  };
}

function textOf(wire: Uint8Array): string {
  const labels: string[] = [];
  for (let at = 0; wire[at] !== 0; at += 1 + wire[at]!)
    labels.push(String.fromCharCode(...wire.subarray(at + 1, at + 1 + wire[at]!)));
  return labels.join(".");
}

function bitsOf(value: Uint8Array): Listed {
  const view = new DataView(value.buffer);
  const at = (place: number): number => (place < value.length ? view.getUint32(place, true) : 0);
  return { exact: at(0), below: at(4), allowExact: at(8), allowBelow: at(12) };
}
