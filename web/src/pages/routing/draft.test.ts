import type { Policy } from "@portcullis/contract/subsystems/routing";
import { specificity } from "@portcullis/contract/policy-order";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { RibbonHop } from "../../components/ribbon.tsx";
import {
  blankDraft,
  bodyOf,
  draftOf,
  draftThrough,
  isWhole,
  nameFor,
  priorityFor,
  stateNow,
  swapped,
} from "./draft.ts";
import { inOrder } from "./order.ts";

const policy: Policy = {
  id: "1",
  name: "TV",
  source_type: "device",
  source_value: "d1",
  priority: 10,
  enabled: true,
  hops: [
    { type: "vpn", target: "a" },
    { type: "vpn", target: "b" },
  ],
  fail_policy: "fail-closed",
  splitting: true,
  profile_id: null,
  schedule_id: "nights",
};

const unused = { name: "unused", priority: 7 };

test("policy draft: opening and saving without changes keeps the policy", () => {
  expect({ id: policy.id, ...bodyOf(draftOf(policy), unused) }).toEqual(policy);
});

test("policy draft: only the selected route is sent", () => {
  const draft = { ...draftOf(policy), profile_id: "p1" };
  expect(bodyOf({ ...draft, route: "profile" }, unused)).toMatchObject({
    hops: [],
    splitting: false,
    profile_id: "p1",
  });
  expect(bodyOf({ ...draft, route: "direct" }, unused)).toMatchObject({ hops: [], splitting: false, profile_id: null });
  expect(bodyOf({ ...draft, source_type: "all" }, unused)).toMatchObject({ source_value: "" });
});

test("policy draft: a schedule is sent where the source allows one", () => {
  const draft = draftOf(policy);
  expect(bodyOf(draft, unused).schedule_id).toBe("nights");
  expect(bodyOf({ ...draft, schedule_id: "" }, unused).schedule_id).toBeNull();
  expect(bodyOf({ ...draft, source_type: "domain" }, unused).schedule_id).toBeNull();
});

test("policy draft: a single hop or a chain with a proxy is never split", () => {
  const draft = draftOf(policy);
  expect(bodyOf({ ...draft, hops: draft.hops.slice(1) }, unused).splitting).toBe(false);
  expect(bodyOf({ ...draft, hops: [...draft.hops, { type: "proxy", target: "c" }] }, unused).splitting).toBe(false);
});

test("policy draft: a new policy fails closed", () => {
  expect(blankDraft.fail_policy).toBe("fail-closed");
  expect(isWhole(blankDraft)).toBe(false);
});

test("policy draft: a route without hops is stored as a fail policy, and opened as the same route", () => {
  for (const [route, fail_policy] of [
    ["direct", "fail-open"],
    ["blocked", "fail-closed"],
    ["next", "fail-over"],
  ] as const) {
    const body = bodyOf({ ...draftOf(policy), route }, unused);
    expect(body).toMatchObject({ fail_policy, hops: [] });
    expect(draftOf({ id: "1", ...body }).route).toBe(route);
  }
});

test("policy draft: a new policy comes after equally narrow ones and before the first wider one", () => {
  const all = { ...policy, id: "2", source_type: "all", source_value: "", priority: 1000 } as const;
  expect(priorityFor("device", [])).toBe(10);
  expect(priorityFor("device", [policy])).toBe(20);
  expect(priorityFor("device", [policy, all])).toBe(990);
  expect(priorityFor("all", [policy, all])).toBe(1010);
});

test("policy draft: in any list, a new policy is evaluated before all wider ones", () => {
  const anyPolicy = fc.record({
    source_type: fc.constantFrom(...specificity),
    priority: fc.integer({ min: 0, max: 30 }),
  });
  fc.assert(
    fc.property(fc.array(anyPolicy, { maxLength: 8 }), fc.constantFrom(...specificity), (some, source_type) => {
      const policies = some.map((it, index) => ({ ...policy, ...it, id: String(index) }));
      const added = { ...policy, id: "x", source_type, priority: priorityFor(source_type, policies) };
      const ordered = inOrder([...policies, added]);
      const index = ordered.indexOf(added);
      const isWider = ({ source_type: other }: Policy) => specificity.indexOf(other) > specificity.indexOf(source_type);
      const firstWider = ordered.findIndex(isWider);
      expect(firstWider === -1 || index < firstWider).toBe(true);
    }),
  );
});

test("policy draft: a duplicate name gets a number", () => {
  expect(nameFor("TV", ["A"], new Set())).toBe("TV → A");
  expect(nameFor("TV", ["A"], new Set(["TV → A", "TV → A 2"]))).toBe("TV → A 3");
});

test("policy draft: a chain fails with one hop, a split with all; the fail policy then decides", () => {
  const [up, down]: RibbonHop[] = [
    { name: "a", kind: "", state: "up" },
    { name: "b", kind: "", state: "down" },
  ];
  const path = { hops: [], splitting: false, fail_policy: "fail-closed" } as const;
  expect(stateNow([up!, down!], path)).toBe("blocked");
  expect(stateNow([up!, down!], { ...path, splitting: true })).toBe("protected");
  expect(stateNow([down!], { ...path, fail_policy: "fail-open" })).toBe("direct");
  expect(stateNow([], path)).toBe("blocked");
  expect(stateNow([], { ...path, fail_policy: "fail-open" })).toBe("direct");
});

test("policy draft: a hop is moved to another position", () => {
  expect(swapped(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
});

test("policy draft: one that is opened from a tunnel goes through it", () => {
  expect(draftThrough("t").hops).toEqual([{ type: "vpn", target: "t" }]);
  expect(draftThrough("")).toBe(blankDraft);
});
