import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { policy, vpn } from "../../../../testing/intent.ts";
import type { Ranked } from "../../compiler/policy/decide.ts";
import type { Outcome } from "../../compiler/policy/outcome.ts";
import { announceFallback, fallbacks } from "./failover-events.ts";

const why = because("hops_all_down");

const ranked = (kind: "block" | "direct" | "pass" | "egress", hops = vpn("nl")): Ranked[] => [
  { rank: 2, policy: policy("p", { hops }), outcome: { kind, reason: why } as Outcome },
];

test("failover events: a policy that falls back is reported once", () => {
  const [up, down] = [ranked("egress"), ranked("block")];
  expect(fallbacks(up, down)).toEqual([{ kind: "blocked", policyId: "p", reason: why }]);
  expect(fallbacks(down, ranked("block"))).toEqual([]);
  expect(fallbacks(down, down)).toEqual([]);
});

test("failover events: a policy whose hops are up again is reported once, with its previous fallback", () => {
  const restored = { kind: "restored", policyId: "p", reason: why };
  expect(fallbacks(ranked("block"), ranked("egress"))).toEqual([{ ...restored, from: "blocked" }]);
  expect(fallbacks(ranked("direct"), ranked("egress"))).toEqual([{ ...restored, from: "direct" }]);
  expect(fallbacks(ranked("egress"), ranked("egress"))).toEqual([]);
  expect(fallbacks(ranked("block"), ranked("pass"))).toEqual([{ ...restored, from: "blocked" }]);
});

test("failover events: a policy that is new, removed, or has no hops any more is not restored", () => {
  expect(fallbacks(undefined, ranked("egress"))).toEqual([]);
  expect(fallbacks(ranked("block"), [])).toEqual([]);
  expect(fallbacks(ranked("block"), ranked("block", []))).toEqual([]);
});

test("failover events: direct, blocked and restored are different events", () => {
  const announced: unknown[] = [];
  const announce = (...event: unknown[]) => void announced.push(event);
  for (const fallback of [
    ...fallbacks(ranked("egress"), ranked("block")),
    ...fallbacks(ranked("egress"), ranked("direct")),
    ...fallbacks(ranked("block"), ranked("egress")),
    ...fallbacks(ranked("direct"), ranked("egress")),
  ])
    announceFallback(fallback, "TV", announce);
  const payload = { policy_id: "p", name: "TV", ...explained(why) };
  expect(announced).toEqual([
    ["policy.blocked", payload],
    ["policy.direct_fallback", payload],
    ["policy.restored", { ...payload, from: "blocked" }],
    ["policy.restored", { ...payload, from: "direct" }],
  ]);
});

test("failover events: direct after blocked is reported again", () => {
  expect(fallbacks(ranked("egress"), ranked("direct"))).toMatchObject([{ kind: "direct" }]);
  expect(fallbacks(ranked("block"), ranked("direct"))).toMatchObject([{ kind: "direct" }]);
});

test("failover events: a policy that is down from the start is reported", () => {
  expect(fallbacks(undefined, ranked("block"))).toHaveLength(1);
  expect(fallbacks([], ranked("direct"))).toHaveLength(1);
});

test("failover events: a policy without hops, or one that fails over, has no fallback", () => {
  expect(fallbacks(ranked("egress"), ranked("block", []))).toEqual([]);
  expect(fallbacks(ranked("egress"), ranked("pass"))).toEqual([]);
});
