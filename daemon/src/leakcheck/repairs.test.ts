import { expect, test } from "vitest";
import { type Repair, repairFindings } from "./repairs.ts";

const causesOf = (it: Omit<Repair, "field" | "at">): string[] =>
  repairFindings([{ field: it.expected ?? it.actual ?? "", at: "2026-01-01T00:00:00.000Z", ...it }]).map(
    ({ cause }) => cause,
  );

const route = "default dev t1 table 7002 metric 10";
const end = "unreachable default table 7002 metric 4278198272";

test.each([
  ["a missing default route blocks and is no finding", { expected: route, actual: null }, []],
  [
    "another route in its place is a wrong route",
    { expected: route, actual: "default dev wan0 table 7002 metric 10" },
    ["wrong-route"],
  ],
  [
    "an additional default route is a wrong route",
    { expected: null, actual: "default dev wan0 table 7002 metric 1" },
    ["wrong-route"],
  ],
  ["a table without its unreachable route is a wrong route", { expected: end, actual: null }, ["wrong-route"]],
])("repairs: %s", (_, seen, causes) => {
  expect(causesOf({ type: "iproute", resource: "IPv4 route", ...seen })).toEqual(causes);
});

test("repairs: a missing rule and any change of nftables are findings", () => {
  const rule = { expected: "priority 7102 from all lookup 7002", actual: null };
  expect(causesOf({ type: "iproute", resource: "IPv4 rule", ...rule })).toEqual(["wrong-route"]);
  expect(causesOf({ type: "guard", resource: "table", expected: "default ", actual: null })).toEqual(["guard-missing"]);
});

test.each(["protection", "release"])(
  "repairs: a protected sender that another program removed from the guard is a finding (%s)",
  (type) => {
    const sender = { expected: "02:00:00:00:00:01", actual: null };
    expect(causesOf({ type, resource: "portcullis_guard protected_mac", ...sender })).toEqual(["guard-missing"]);
  },
);
