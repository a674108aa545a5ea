import { expect, test } from "vitest";
import type { Row } from "./finding.ts";
import { directionOf, pressed, sortedBy, sortingOf } from "./sorting.ts";

const row = (id: string, state: string, last_seen: string | null = null) =>
  ({ device: { id, name: id, last_seen }, deviceState: { state, hops: [] } }) as unknown as Row;
const rows = [
  row("a", "protected", "2026-01-01T00:00:00Z"),
  row("b", "leaking", null),
  row("c", "blocked", "2026-01-02T00:00:00Z"),
  row("d", "protected", "2025-01-01T00:00:00Z"),
];
const traffic = (id: string, rate: number | null, today: number) =>
  [
    id,
    {
      device_id: id,
      device_name: id,
      received_bytes_per_sec: rate,
      sent_bytes_per_sec: rate === null ? null : 0,
      received_bytes_today: today,
      sent_bytes_today: 0,
    },
  ] as const;
const known = {
  traffic: new Map([traffic("c", 7, 5), traffic("d", 9, 1), traffic("a", null, 9)]),
  online: new Set(["d"]),
  groupOf: ({ device }: Row) => ({ a: "Office", c: "Attic" })[device.id] ?? "",
};
const order = (sorting: string) => sortedBy(rows, sortingOf(sorting), known).map(({ device }) => device.id);

test.each([
  ["name", ["a", "b", "c", "d"]],
  ["-name", ["d", "c", "b", "a"]],
  ["rate", ["d", "c", "a", "b"]],
  ["today", ["a", "c", "d", "b"]],
  ["-today", ["b", "d", "c", "a"]],
  ["seen", ["d", "c", "a", "b"]],
  ["state", ["b", "c", "a", "d"]],
  ["group", ["b", "d", "c", "a"]],
  ["nonsense", ["a", "b", "c", "d"]],
])("devices sorted by %s: figures begin with the largest, missing ones come last", (sorting, ids) => {
  expect(order(sorting)).toEqual(ids);
});

test("devices: the heading that sorts is reversed by another press, and shows its direction", () => {
  expect(pressed(sortingOf("name"), "rate")).toBe("rate");
  expect(pressed(sortingOf("rate"), "rate")).toBe("-rate");
  expect(pressed(sortingOf("-rate"), "rate")).toBe("rate");
  expect(["name", "-name", "rate", "-rate"].map((it) => directionOf(sortingOf(it)))).toEqual([
    "ascending",
    "descending",
    "descending",
    "ascending",
  ]);
});
