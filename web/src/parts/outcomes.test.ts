import { expect, test } from "vitest";
import { type Outcome, stateOf } from "./outcomes.ts";

const [tunnel, uplink] = [{ type: "vpn" }, { type: "interface" }];

test.each<[Outcome, readonly { type: string }[], string]>([
  ["egress", [tunnel], "protected"],
  ["split", [tunnel, tunnel], "protected"],
  ["egress", [], "protected"],
  ["direct", [], "direct"],
  ["local", [], "direct"],
  ["block", [tunnel], "shut"],
  ["direct", [tunnel], "leaking"],
  // An uplink that somebody named is in the clear by choice, and never called protected.
  ["egress", [uplink], "direct"],
  ["direct", [uplink], "direct"],
  ["egress", [uplink, tunnel], "protected"],
])("%s through %j is %s", (outcome, hops, state) => expect(stateOf(outcome, hops)).toBe(state));
