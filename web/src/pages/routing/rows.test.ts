import type { Policy } from "@portcullis/contract/subsystems/routing";
import { because, explained, explainedAs } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { rowsOf } from "./rows.ts";

const policy = (id: string, priority: number, more: Partial<Policy> = {}): Policy => ({
  id,
  name: `name of ${id}`,
  source_type: "all",
  source_value: "",
  priority,
  enabled: true,
  hops: [],
  fail_policy: "fail-closed",
  splitting: false,
  profile_id: null,
  ...more,
});
const message = explainedAs("message", because("policy_shadowed"));
const shown = explained(because("policy_shadowed"));
const none = { egress: [], findings: [], staged: [], hits: [] };

test("policy rows: in order of evaluation", () => {
  const rows = rowsOf({ ...none, policies: [policy("b", 20), policy("a", 10)] });
  expect(rows.map((row) => row.policy.id)).toEqual(["a", "b"]);
});

test("policy rows: a finding is listed once at both policies, each from its own side", () => {
  const finding = { kind: "shadowed", policy_id: "b", other_id: "a", ...message } as const;
  const rows = rowsOf({ ...none, policies: [policy("a", 1), policy("b", 2)], findings: [finding, finding] });
  expect(rows.map(({ clashes }) => clashes)).toEqual([
    [{ kind: "shadows", others: ["name of b"], message: shown }],
    [{ kind: "shadowed", others: ["name of a"], message: shown }],
  ]);
});

test("policy rows: a policy that shadows many lists them in one finding", () => {
  const shadowed = (policy_id: string) => ({ kind: "shadowed", policy_id, other_id: "a", ...message }) as const;
  const rows = rowsOf({
    ...none,
    policies: [policy("a", 1), policy("b", 2), policy("c", 3)],
    findings: [shadowed("b"), shadowed("c")],
  });
  expect(rows[0]?.clashes).toEqual([{ kind: "shadows", others: ["name of b", "name of c"], message: shown }]);
});

test("policy rows: the current state comes from the applied policies; off and new ones have none", () => {
  const egress = {
    policy_id: "a",
    policy: "a",
    hops: [{ type: "vpn", target: "t", tunnel_id: null, status: null }],
    tunnel_id: null,
    tunnel: null,
    interface: null,
    ...explained(because("hops_all_down")),
    shadowed_by: null,
  };
  const rows = rowsOf({
    ...none,
    policies: [policy("a", 1), policy("b", 2), policy("c", 3, { enabled: false })],
    egress: [{ ...egress, outcome: "direct" }],
  });
  expect(rows.map(({ doing }) => doing)).toEqual(["direct", "new", "off"]);
  expect(rowsOf({ ...none, policies: [policy("a", 1)], egress: [{ ...egress, outcome: "next" }] })[0]?.doing).toBe(
    "next",
  );
});

test("policy rows: a row shows whether it differs from the applied policy", () => {
  const staged = { kind: "routing_policy", id: "a", name: "", change: "changed", fields: [] } as const;
  const rows = rowsOf({ ...none, policies: [policy("a", 1), policy("b", 2)], staged: [{ ...staged, fields: [] }] });
  expect(rows.map((row) => row.staged)).toEqual(["changed", undefined]);
});

test("policy rows: a policy that never matches is not used, whatever its tunnel's state, and has a position where it would be", () => {
  const egress = {
    policy: "",
    outcome: "egress" as const,
    hops: [{ type: "vpn", target: "t", tunnel_id: null, status: "up" }],
    tunnel_id: null,
    tunnel: null,
    interface: null,
    ...explained(because("hops_all_up")),
  };
  const shadowed = (policy_id: string, other_id: string) =>
    ({ kind: "shadowed", policy_id, other_id, ...message }) as const;
  const [first, second, third] = rowsOf({
    ...none,
    policies: [policy("a", 1), policy("b", 2), policy("c", 3)],
    egress: [
      { ...egress, policy_id: "a", shadowed_by: null },
      { ...egress, policy_id: "c", shadowed_by: "a" },
    ],
    findings: [shadowed("c", "b"), shadowed("c", "a")],
  });
  expect([first?.doing, first?.shadowedBy, first?.moveAbove]).toEqual(["protected", undefined, undefined]);
  expect(second?.doing).toBe("new");
  expect([third?.doing, third?.shadowedBy]).toEqual(["unused", "name of a"]);
  expect(third?.moveAbove).toEqual({ name: "name of a", index: 0 });
});
