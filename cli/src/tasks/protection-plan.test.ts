import { expect, test } from "vitest";
import type { Policy } from "./policy.ts";
import { planProtection, policiesBefore } from "./protection-plan.ts";

const device = { id: "d1", name: "TV" };
const hops = [{ type: "vpn", target: "Amsterdam" }] as const;
const wanted = { device, hops, failPolicy: "fail-closed" } as const;

const policy = (more: Partial<Policy>): Policy => ({
  id: "p1",
  name: "TV via Amsterdam",
  source_type: "device",
  source_value: "d1",
  source_name: "TV",
  priority: 100,
  enabled: true,
  hops: [...hops],
  fail_policy: "fail-closed",
  splitting: false,
  profile_id: null,
  schedule_id: null,
  schedule: null,
  ...more,
});

test("protect: a device without a policy of its own gets one, whatever other policies there are", () =>
  expect(
    planProtection(wanted, [policy({ source_value: "d2" }), policy({ source_type: "all", source_value: "" })]),
  ).toEqual({
    kind: "create",
    body: {
      name: "TV via Amsterdam",
      source_type: "device",
      source_value: "d1",
      priority: 100,
      enabled: true,
      hops,
      fail_policy: "fail-closed",
      splitting: false,
      profile_id: null,
      schedule_id: null,
    },
  }));

test("protect: the only policy of a device is changed, and keeps its priority and a name that it was given", () => {
  const own = policy({ name: "TV abroad", priority: 7, hops: [{ type: "vpn", target: "Oslo" }], enabled: false });
  expect(planProtection(wanted, [own])).toMatchObject({
    kind: "update",
    policy: own,
    body: { name: "TV abroad", priority: 7, hops, enabled: true },
  });
});

test("protect: a name that this command gave follows the path", () =>
  expect(planProtection({ ...wanted, hops: [{ type: "vpn", target: "Oslo" }] }, [policy({})])).toMatchObject({
    body: { name: "TV via Oslo" },
  }));

test("protect: what is as wanted is not written again, and any difference is", () => {
  expect(planProtection(wanted, [policy({})])).toMatchObject({ kind: "unchanged" });
  for (const more of [
    { enabled: false },
    { fail_policy: "fail-open" },
    { splitting: true },
    { profile_id: "x" },
    { schedule_id: "x" },
  ] as const)
    expect(planProtection(wanted, [policy(more)])).toMatchObject({ kind: "update" });
});

test("protect: which of several own policies to change is not guessed", () =>
  expect(planProtection(wanted, [policy({}), policy({ id: "p2" })])).toMatchObject({ kind: "several" }));

test("protect: --before lowers the priority to that of the other policy, and never raises it", () => {
  const before = policy({ id: "p9", source_type: "device_group", source_value: "g", priority: 20 });
  expect(planProtection({ ...wanted, before }, [before])).toMatchObject({ body: { priority: 20 } });
  expect(planProtection({ ...wanted, before }, [before, policy({ priority: 5 })])).toMatchObject({ kind: "unchanged" });
});

test("protect: policies that still decide first are those that are earlier, enabled and may match the device", () => {
  const others = [
    policy({ id: "a", source_type: "destination", source_value: "192.0.2.0/24", priority: 1 }),
    policy({ id: "b", source_type: "device_group", source_value: "g1", priority: 2 }),
    policy({ id: "c", source_type: "device_group", source_value: "g2", priority: 2 }),
    policy({ id: "d", source_type: "domain", source_value: "x.example", priority: 3, enabled: false }),
    policy({ id: "e", source_type: "all", source_value: "", priority: 100 }),
    policy({ id: "f", source_type: "device", source_value: "d2", priority: 1 }),
  ];
  expect(policiesBefore(policy({}), others, ["g1"]).map(({ id }) => id)).toEqual(["a", "b"]);
});
