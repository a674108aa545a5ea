import { expect, test } from "vitest";
import { type Healed, healedFindings } from "./repairs.ts";

const causesOf = (it: Omit<Healed, "field" | "at">): string[] =>
  healedFindings([{ field: it.expected ?? it.actual ?? "", at: "2026-01-01T00:00:00.000Z", ...it }]).map(
    ({ cause }) => cause,
  );

const way = "default dev t1 table 7002 metric 10";
const end = "unreachable default table 7002 metric 4278198272";

test.each([
  ["a way that was gone was shut, and is nothing to worry about", { expected: way, actual: null }, []],
  ["another in its place is", { expected: way, actual: "default dev wan0 table 7002 metric 10" }, ["wrong-route"]],
  ["so is another beside it", { expected: null, actual: "default dev wan0 table 7002 metric 1" }, ["wrong-route"]],
  ["so is a table without its end", { expected: end, actual: null }, ["wrong-route"]],
])("%s", (_, seen, causes) => {
  expect(causesOf({ type: "iproute", resource: "IPv4 route", ...seen })).toEqual(causes);
});

test("a rule that was gone, and anything of nftables, is told", () => {
  const rule = { expected: "priority 7102 from all lookup 7002", actual: null };
  expect(causesOf({ type: "iproute", resource: "IPv4 rule", ...rule })).toEqual(["wrong-route"]);
  expect(causesOf({ type: "guard", resource: "table", expected: "default ", actual: null })).toEqual(["guard-missing"]);
});

test.each(["protection", "release"])("a sender that somebody took out of the guard is told (%s)", (type) => {
  const sender = { expected: "02:00:00:00:00:01", actual: null };
  expect(causesOf({ type, resource: "portcullis_guard protected_mac", ...sender })).toEqual(["guard-missing"]);
});
