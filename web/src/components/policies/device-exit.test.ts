import type { Policy } from "@portcullis/contract/subsystems/routing";
import { expect, test } from "vitest";
import { exitChange, haveScheduled } from "./device-exit.ts";

const policy = (id: string, more: Partial<Policy>): Policy => ({
  id,
  name: id,
  source_type: "all",
  source_value: "",
  priority: 100,
  enabled: true,
  hops: [],
  splitting: false,
  fail_policy: "fail-closed",
  profile_id: null,
  ...more,
});
const device = { id: "d1", name: "TV" };
const amsterdam = { kind: "tunnel", id: "t1", fail: "fail-closed" } as const;
const everyone = policy("all", {});

test("exit of a device: without a policy of its own one is created, before the one that decides now", () => {
  const group = policy("group", { source_type: "device_group", source_value: "g", priority: 5 });
  const change = exitChange({ device, exit: amsterdam, policies: [everyone, group], decidingId: "group" });
  expect(change).toEqual({
    kind: "create",
    name: "TV",
    scheduled: [],
    body: {
      name: "TV",
      source_type: "device",
      source_value: "d1",
      priority: 0,
      enabled: true,
      hops: [{ type: "vpn", target: "t1" }],
      fail_policy: "fail-closed",
      splitting: false,
      profile_id: null,
    },
  });
});

test("exit of a device: its own policy is changed, by its id or its name, and keeps its place", () => {
  for (const source_value of ["d1", "TV"]) {
    const own = policy("own", { source_type: "device", source_value, priority: 30, profile_id: "p" });
    const change = exitChange({ device, exit: amsterdam, policies: [everyone, own], decidingId: "own" });
    expect(change).toMatchObject({
      kind: "update",
      id: "own",
      body: { priority: 30, profile_id: null, hops: [{ target: "t1" }] },
    });
  }
});

test("exit of a device: its own policy moves before another one that decides, and is enabled", () => {
  const own = policy("own", { source_type: "device", source_value: "d1", priority: 300, enabled: false });
  const change = exitChange({ device, exit: { kind: "blocked" }, policies: [everyone, own], decidingId: "all" });
  expect(change).toMatchObject({
    kind: "update",
    body: { priority: 100, enabled: true, hops: [], fail_policy: "fail-closed" },
  });
});

test("exit of a device: direct and blocked are policies without hops", () => {
  const bodies = (["direct", "blocked"] as const).map(
    (kind) => exitChange({ device, exit: { kind }, policies: [], decidingId: null }).body,
  );
  expect(bodies.map(({ hops, fail_policy }) => [hops, fail_policy])).toEqual([
    [[], "fail-open"],
    [[], "fail-closed"],
  ]);
});

const school = policy("School", { source_type: "device", source_value: "d1", priority: 50, schedule_id: "weekdays" });
const always = policy("Amsterdam", { source_type: "device", source_value: "d1", priority: 100 });

test("exit of a device: a policy of its own with a schedule is not changed, whether it decides now or not", () => {
  for (const decidingId of ["School", "Amsterdam"]) {
    const policies = [everyone, school, always];
    const change = exitChange({ device, exit: amsterdam, policies, decidingId });
    expect(change).toMatchObject({ kind: "update", id: "Amsterdam", scheduled: ["School"], body: { priority: 100 } });
    expect(change.body).not.toHaveProperty("schedule_id");
  }
});

test("exit of a device: if its only policies have schedules, one is created behind them that always applies", () => {
  for (const decidingId of ["School", "all", null]) {
    const domain = policy("bank", { source_type: "domain", source_value: "bank.example", priority: 10 });
    const policies = [everyone, school, domain];
    const change = exitChange({ device, exit: amsterdam, policies, decidingId });
    expect(change).toMatchObject({ kind: "create", scheduled: ["School"], body: { priority: 51 } });
    expect(change.body).not.toHaveProperty("schedule_id");
  }
});

test("exit of a device: a wider policy that would decide after the schedule stays behind the chosen exit", () => {
  const group = policy("group", { source_type: "device_group", source_value: "g", priority: 60 });
  const policies = [everyone, group, school, always];
  const update = exitChange({ device, exit: amsterdam, policies, decidingId: "School" });
  expect(update).toMatchObject({ kind: "update", id: "Amsterdam", scheduled: ["School"], body: { priority: 60 } });
  const tied = { ...group, priority: 50 };
  // The device's policy precedes that of the group at the same priority, which is taken.
  const created = exitChange({ device, exit: amsterdam, policies: [everyone, tied, school], decidingId: "School" });
  expect(created).toMatchObject({ kind: "create", scheduled: [], body: { priority: 49 } });
});

test("exits of devices: it is known whether a schedule of one of them may decide", () => {
  expect(haveScheduled([device], [everyone, school])).toBe(true);
  expect(haveScheduled([device], [everyone, always, { ...school, enabled: false }])).toBe(false);
  expect(haveScheduled([{ id: "d2", name: "PC" }], [everyone, school])).toBe(false);
});
