import { expect, test } from "vitest";
import { policy, vpn } from "../../testing/intent.ts";
import type { Ranked } from "./compiler/decide.ts";
import type { Outcome } from "./compiler/outcome.ts";
import { fallbacks } from "./fallbacks.ts";

const ranked = (kind: "block" | "direct" | "pass" | "egress", hops = vpn("nl")): Ranked[] => [
  { rank: 2, policy: policy("p", { hops }), outcome: { kind, reason: "why" } as Outcome },
];

test("a policy that falls back is told once, when it falls", () => {
  const [up, down] = [ranked("egress"), ranked("block")];
  expect(fallbacks(up, down)).toEqual([{ kind: "shut", policyId: "p", reason: "why" }]);
  expect(fallbacks(down, ranked("block"))).toEqual([]);
  expect(fallbacks(down, down)).toEqual([]);
  expect(fallbacks(down, up)).toEqual([]);
});

test("into the clear is another fall than behind the gate", () => {
  expect(fallbacks(ranked("egress"), ranked("direct"))).toMatchObject([{ kind: "direct" }]);
  expect(fallbacks(ranked("block"), ranked("direct"))).toMatchObject([{ kind: "direct" }]);
});

test("what is down from the first look on is told as well", () => {
  expect(fallbacks(undefined, ranked("block"))).toHaveLength(1);
  expect(fallbacks([], ranked("direct"))).toHaveLength(1);
});

test("who has no hops has lost none, and who passes on has not fallen", () => {
  expect(fallbacks(ranked("egress"), ranked("block", []))).toEqual([]);
  expect(fallbacks(ranked("egress"), ranked("pass"))).toEqual([]);
});
