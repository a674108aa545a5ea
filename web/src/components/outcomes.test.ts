import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { de } from "../i18n/de/de.ts";
import { reasonTexts } from "../i18n/reason.ts";
import { isFallback, isUsed, type Outcome, reasonFor, stateOf } from "./outcomes.ts";

const why = reasonTexts({ texts: de.reasons, number: String, ms: String, time: String });
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
  expect(reasonFor({ outcome: "egress", ...explained(because("hops_all_up")) }, why)).toBe("");
  expect(reasonFor({ outcome: "block", ...explained(because("hops_all_down")) }, why)).toBe(
    "Keiner der Hops ist aktiv",
  );
});
