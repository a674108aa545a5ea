import { expect, test } from "vitest";
import { isFallback, isUsed, type Outcome, reasonFor, stateOf } from "./outcomes.ts";

const [tunnel, uplink] = [{ type: "vpn" }, { type: "interface" }];

test.each<[Outcome, readonly { type: string }[], string]>([
  ["egress", [tunnel], "protected"],
  ["split", [tunnel, tunnel], "protected"],
  ["egress", [], "protected"],
  ["direct", [], "direct"],
  ["local", [], "direct"],
  ["block", [tunnel], "blocked"],
  // The policy allows it while its tunnel is down: no leak.
  ["direct", [tunnel], "direct"],
  // An uplink named by a policy is direct by choice, and never called protected.
  ["egress", [uplink], "direct"],
  ["direct", [uplink], "direct"],
  ["egress", [uplink, tunnel], "protected"],
])("outcome %s through %j: state %s", (outcome, hops, state) => expect(stateOf(outcome, hops)).toBe(state));

test("fallback: a direct outcome of a policy that names a tunnel", () => {
  expect(isFallback({ outcome: "direct", hops: [tunnel] })).toBe(true);
  expect(isFallback({ outcome: "direct", hops: [] })).toBe(false);
  expect(isFallback({ outcome: "direct", hops: [uplink] })).toBe(false);
  expect(isFallback({ outcome: "block", hops: [tunnel] })).toBe(false);
});

test("outcomes: a shadowed policy is not used, and a path that is up needs no reason", () => {
  expect([isUsed({ shadowed_by: null }), isUsed({ shadowed_by: "p" })]).toEqual([true, false]);
  expect(reasonFor({ outcome: "egress", reason: "every hop is up" })).toBe("");
  expect(reasonFor({ outcome: "block", reason: "Oslo is down" })).toBe("Oslo is down");
});
