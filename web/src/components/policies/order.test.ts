import { specificity } from "@portcullis/contract/policy-order";
import type { Policy } from "@portcullis/contract/subsystems/routing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { inOrder, nameFor, priorityFor } from "./order.ts";

const policy: Policy = {
  id: "1",
  name: "TV",
  source_type: "device",
  source_value: "d1",
  priority: 10,
  enabled: true,
  hops: [],
  splitting: false,
  fail_policy: "fail-closed",
  profile_id: null,
};

test("policy order: a new policy comes after equally narrow ones and before the first wider one", () => {
  const all = { ...policy, id: "2", source_type: "all", source_value: "", priority: 1000 } as const;
  expect(priorityFor("device", [])).toBe(10);
  expect(priorityFor("device", [policy])).toBe(20);
  expect(priorityFor("device", [policy, all])).toBe(990);
  expect(priorityFor("all", [policy, all])).toBe(1010);
});

test("policy order: in any list, a new policy is evaluated before all wider ones", () => {
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

test("policy order: a duplicate name gets a number", () => {
  expect(nameFor("TV", ["A"], new Set())).toBe("TV → A");
  expect(nameFor("TV", ["A"], new Set(["TV → A", "TV → A 2"]))).toBe("TV → A 3");
});
