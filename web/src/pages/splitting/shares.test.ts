import { expect, test } from "vitest";
import { bodyOf, fieldsOf, sharesOf } from "./shares.ts";

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

test("pool endpoint: a member sends its weight, cover traffic its target and rate", () => {
  const fields = { ...fieldsOf(undefined), tunnelId: "t", weight: "7", target: " 192.0.2.1 ", rate: "2048" };
  expect(bodyOf(fields)).toEqual({
    tunnel_id: "t",
    role: "member",
    name: null,
    enabled: true,
    weight: 7,
    target: null,
  });
  expect(bodyOf({ ...fields, role: "cover", enabled: false })).toEqual({
    tunnel_id: "t",
    role: "cover",
    name: null,
    enabled: false,
    target: "192.0.2.1",
    bytes_per_second: 2048,
  });
});
