import { expect, test } from "vitest";
import { endOf } from "./expiry.ts";

const now = new Date("2026-01-31T10:00:00Z");

test.each([
  ["day", "2026-02-01T10:00:00.000Z"],
  ["month", "2026-03-02T10:00:00.000Z"],
  ["quarter", "2026-05-01T10:00:00.000Z"],
  ["year", "2027-01-31T10:00:00.000Z"],
  ["forever", null],
] as const)("a key for a %s", (lasting, end) => {
  expect(endOf(lasting, now)).toBe(end);
});
