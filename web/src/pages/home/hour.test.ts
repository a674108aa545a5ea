import { expect, test } from "vitest";
import { lastHour } from "./hour.ts";

test("DNS hour: sixty minutes, zero without queries", () => {
  const minute = (timestamp: string, queries: number) => ({ timestamp, queries, blocked: 1 });
  const hour = lastHour(
    [minute("2026-01-01T10:00:00Z", 9), minute("2026-01-01T11:00:00Z", 5), minute("2026-01-01T11:30:00Z", 7)],
    new Date("2026-01-01T11:30:59Z"),
  );
  expect(hour.times).toHaveLength(60);
  expect(hour.times[0]).toEqual(new Date("2026-01-01T10:31:00Z"));
  expect(hour.queries.filter((count) => count > 0)).toEqual([5, 7]);
  expect(hour.queries.at(-1)).toBe(7);
  expect(hour.blocked[29]).toBe(1);
});
