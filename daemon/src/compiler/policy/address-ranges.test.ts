import { lastAddress, parseCidr } from "../../net/addresses.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rangeAt, disjointRanges } from "./address-ranges.ts";

const network = fc
  .record({
    a: fc.constantFrom(10, 192),
    b: fc.constantFrom(0, 1),
    c: fc.nat(3),
    bits: fc.integer({ min: 0, max: 32 }),
  })
  .map(({ a, b, c, bits }) => parseCidr(`${a}.${b}.${c}.0/${bits}`)!);
const networks = fc.array(fc.record({ network, rank: fc.integer({ min: 1, max: 50 }) }), { maxLength: 40 });
const address = fc
  .tuple(fc.constantFrom(10n, 192n, 11n), fc.bigInt(0n, 0xffffffn))
  .map(([a, rest]) => (a << 24n) | rest);

test("address ranges: an address is in a range of the lowest rank that covers it, and in none when nothing does", () =>
  fc.assert(
    fc.property(networks, address, (given, at) => {
      const covering = given
        .filter((it) => it.network.base <= at && at <= lastAddress(it.network))
        .map(({ rank }) => rank);
      const expected = covering.length === 0 ? undefined : Math.min(...covering);
      expect(rangeAt(disjointRanges(given), at)?.rank).toBe(expected);
    }),
    { numRuns: 2000 },
  ));

test("address ranges: they are in order, do not touch a neighbour of the same rank and never overlap", () =>
  fc.assert(
    fc.property(networks, (given) => {
      const cells = disjointRanges(given);
      expect(cells.every(({ first, last }) => first <= last)).toBe(true);
      const neighbours = cells.slice(1).map((cell, index) => [cells[index]!, cell] as const);
      expect(neighbours.every(([left, right]) => left.last < right.first)).toBe(true);
      const touching = neighbours.filter(([left, right]) => left.last + 1n === right.first);
      expect(touching.every(([left, right]) => left.rank !== right.rank)).toBe(true);
    }),
  ));
