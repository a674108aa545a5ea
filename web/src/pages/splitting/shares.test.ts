import { expect, test } from "vitest";
import { sharesOf } from "./shares.ts";

test("pool shares: enabled members share by weight", () => {
  const shares = sharesOf([
    { id: "a", role: "member", enabled: true, weight: 3 },
    { id: "b", role: "member", enabled: true, weight: 1 },
    { id: "c", role: "member", enabled: false, weight: 100 },
    { id: "d", role: "cover", enabled: true, weight: 1 },
  ]);
  expect([...shares]).toEqual([
    ["a", 0.75],
    ["b", 0.25],
  ]);
  expect(sharesOf([]).size).toBe(0);
});
