import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { linux } from "../../system/system.ts";
import { ignoresDates } from "./clock.model.ts";
import { isClockSynchronised } from "./clock.ts";
import { parseDates, soaQuery } from "./dates.parse.ts";

announceSeed("clock");

const signatures = [{ inceptionSec: 1_000_000, expirationSec: 2_000_000 }];
const facts = { signatures, nowSec: 1_500_000, isSynchronised: false, ignoresDates: false };

test("DNSSEC clock: a clock that agrees with the root is trusted, synchronized or not", () => {
  for (const isSynchronised of [true, false])
    for (const before of [true, false])
      expect(ignoresDates({ ...facts, isSynchronised, ignoresDates: before })).toBe(false);
});

test("DNSSEC clock: a clock that contradicts the root is trusted only if it is synchronized", () => {
  for (const nowSec of [0, 999_999, 2_000_001]) {
    expect(ignoresDates({ ...facts, nowSec })).toBe(true);
    expect(ignoresDates({ ...facts, nowSec, isSynchronised: true })).toBe(false);
  }
});

test("DNSSEC clock: without an answer the state stays, and a synchronized clock is trusted", () => {
  expect(ignoresDates({ ...facts, signatures: [] })).toBe(false);
  expect(ignoresDates({ ...facts, signatures: [], ignoresDates: true })).toBe(true);
  expect(ignoresDates({ ...facts, signatures: [], ignoresDates: true, isSynchronised: true })).toBe(false);
});

/** One SOA and its signature, as the root would answer. */
const answer = Uint8Array.fromHex(
  [
    "123481900001000200000000",
    "0000060001",
    `00000600010001518000160000${"07".repeat(20)}`,
    "c00c002e000100015180001300060800000151806500000164000002504d00",
  ].join(""),
);

test("dates are read from the answer", () => {
  expect(parseDates(answer, 0x1234)).toEqual([{ expirationSec: 0x6500_0001, inceptionSec: 0x6400_0002 }]);
  expect(parseDates(answer, 0x1235)).toEqual([]);
  expect(parseDates(soaQuery(7), 7)).toEqual([]);
});

test("whatever arrives instead, there are no dates in it and nothing breaks", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => void parseDates(bytes, 0x1234)));
  fc.assert(
    fc.property(fc.nat(answer.length - 12), (length) => {
      expect(parseDates(answer.slice(0, length), 0x1234)).toEqual([]);
    }),
  );
});

test("DNSSEC clock: the kernel reports whether the clock is synchronized; unknown is false", async () => {
  const output: string[] = [];
  const run: typeof linux.run = async (...words) => {
    output.push(await linux.run(...words));
    return output[0]!;
  };
  await isClockSynchronised({ ...linux, list: () => [], run });
  expect(output[0]).toMatch(/^[0-5]$/);
  const saying = (text: string) => isClockSynchronised({ ...linux, list: () => [], run: async () => text });
  expect(await Promise.all(["0", "5", "-1", ""].map(saying))).toEqual([true, false, false, false]);
  const run_ = async () => Promise.reject(new Error("perl is not installed"));
  expect(await isClockSynchronised({ ...linux, list: () => [], run: run_ })).toBe(false);
  expect(await isClockSynchronised({ ...linux, list: () => ["synchronized"], run: run_ })).toBe(true);
});
