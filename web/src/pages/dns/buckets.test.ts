import { expect, test } from "vitest";
import { bucketsOf, share } from "./buckets.ts";

const now = Date.parse("2026-03-01T12:07:00Z");
const minute = (timestamp: string, queries: number, blocked = 0) => ({ timestamp, queries, blocked });

test("DNS chart: a day has 143 complete buckets", () => {
  const { times, queries } = bucketsOf([minute("2026-03-01T11:50:00Z", 3), minute("2026-03-01T11:59:00Z", 4)], now);
  expect(times).toHaveLength(143);
  expect(times.at(-1)).toEqual(new Date("2026-03-01T11:50:00Z"));
  expect(queries.at(-1)).toBe(7);
});

test("DNS chart: the current bucket is shown only if there is none before it", () => {
  const running = minute("2026-03-01T12:06:00Z", 4);
  expect(bucketsOf([running], now).queries.at(-1)).toBe(4);
  expect(bucketsOf([minute("2026-03-01T11:00:00Z", 1), running], now).queries.at(-1)).toBe(0);
});

test("DNS chart: minutes without queries are zero, and minutes older than a day are omitted", () => {
  const minutes = [minute("2026-02-28T12:09:00Z", 9, 9), minute("2026-02-28T12:10:00Z", 1, 1)];
  const { queries, blocked } = bucketsOf(minutes, now);
  expect(queries[0]).toBe(1);
  expect(blocked.reduce((sum, it) => sum + it, 0)).toBe(1);
});

test("DNS chart: a share of zero is zero", () => {
  expect([share(0, 0), share(1, 4)]).toEqual([0, 0.25]);
});
