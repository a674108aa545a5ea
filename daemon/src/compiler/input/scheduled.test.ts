import { weekdays } from "@portcullis/contract/schedule-times";
import { describe, expect, test } from "vitest";
import { policy } from "../../../../testing/intent.ts";
import { divided, inactiveSchedules, periodReader, periodsAt, withoutInactive } from "./scheduled.ts";

const always = { id: "always", name: "Always", days: ["monday" as const], from: "00:00", to: "00:00", note: "" };
const nights = { ...always, id: "nights", name: "Nights", from: "21:00", to: "22:00" };
const rule = (id: string, schedule_id?: string | null) => ({
  id,
  name: id,
  action: "block" as const,
  match: "suffix" as const,
  pattern: "ads.test",
  source_type: "everyone" as const,
  source_value: "",
  enabled: true,
  note: "",
  ...(schedule_id !== undefined && { schedule_id }),
});
const resources = {
  schedule: [always, nights],
  dns_filter_rule: [rule("plain"), rule("null", null), rule("in", "always"), rule("night", "nights")],
};
/** A Monday. */
const at = (hour: number) => new Date(2026, 10, 16, hour);
const rulesAt = (hour: number) =>
  withoutInactive(resources, inactiveSchedules(resources, at(hour))).dns_filter_rule.map(({ id }) => id);

test("scheduled rules: those of inactive schedules are absent, those without a schedule always apply", () => {
  expect(rulesAt(20)).toEqual(["plain", "null", "in"]);
  expect(rulesAt(21)).toEqual(["plain", "null", "in", "night"]);
});

test("scheduled rules: while all schedules are active the resources are the same object, so that nothing is compiled again", () => {
  expect(withoutInactive(resources, inactiveSchedules(resources, at(21)))).toBe(resources);
});

const policies = [
  policy("plain"),
  policy("in", { scheduleId: "whole" }),
  policy("night", { scheduleId: "nights" }),
  policy("lost", { scheduleId: "gone", failPolicy: "fail-open" }),
];
const whole = { ...always, id: "whole", name: "Whole week", days: [...weekdays] };
const document = {
  schedule: [whole, nights],
  routing_policy: ["whole", "nights", "gone"].map((schedule_id) => ({ enabled: true, schedule_id })),
};
const dividedAt = (hour: number) => divided(policies, periodsAt(document, at(hour)));
const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);

test("scheduled policies: those of inactive schedules wait, and one whose schedule does not exist blocks", () => {
  expect([dividedAt(20).policies, dividedAt(20).waiting].map(ids)).toEqual([["plain", "in", "lost"], ["night"]]);
  expect([dividedAt(21).policies, dividedAt(21).waiting].map(ids)).toEqual([["plain", "in", "night", "lost"], []]);
  expect(dividedAt(20).policies.find(({ id }) => id === "lost")).toMatchObject({ hops: [], failPolicy: "fail-closed" });
});

test("scheduled policies: a window lasts until the next change, whether its policies are in force or wait", () => {
  const [until, later] = [at(21).getTime(), at(22).getTime()];
  const windowAt = (hour: number) => dividedAt(hour).windows.find(({ scheduleId }) => scheduleId === "nights");
  expect(windowAt(20)).toMatchObject({ untilMs: until, policies: [{ id: "night" }] });
  expect(windowAt(21)).toMatchObject({ fromMs: until, untilMs: later, policies: [{ id: "night" }] });
});

test("scheduled policies: what never changes, or has no schedule any more, has no window", () => {
  expect(dividedAt(20).windows.map(({ scheduleId }) => scheduleId)).toEqual(["nights"]);
});

test("scheduled policies: without periods all are in force, so that findings are about every time", () => {
  expect(divided(policies, undefined)).toEqual({ policies, waiting: [], windows: [] });
});

describe("periods: those of an unchanged clock", () => {
  const hour = 3_600_000;
  const startMs = at(20).getTime();

  test("are the same object until one ends", () => {
    const read = periodReader();
    const first = read(document, { wallMs: startMs, sinceBootMs: 5 * hour });
    expect(read({ ...document }, { wallMs: startMs + hour - 1, sinceBootMs: 6 * hour - 1 })).toBe(first);
    const next = read(document, { wallMs: startMs + hour, sinceBootMs: 6 * hour });
    expect(next.find(({ id }) => id === "nights")).toMatchObject({ active: true, untilUptimeSec: 7 * 3600 });
  });

  test("stay while it is adjusted, and are others when it is set: the kernel's timeout would end at another time", () => {
    const read = periodReader();
    const first = read(document, { wallMs: startMs, sinceBootMs: 0 });
    expect(read(document, { wallMs: startMs + 60_900, sinceBootMs: 60_000 })).toBe(first);
    const set = read(document, { wallMs: startMs + 30 * 60_000, sinceBootMs: 60_000 });
    const ends = (periods: typeof first) => periods.map(({ untilMs, untilUptimeSec }) => [untilMs, untilUptimeSec]);
    expect(ends(first)[1]).toEqual([at(21).getTime(), 3600]);
    expect(ends(set)[1]).toEqual([at(21).getTime(), 1860]);
  });

  test("are read for schedules of enabled policies only", () => {
    const off = { ...document, routing_policy: [{ enabled: false, schedule_id: "nights" }] };
    expect(periodsAt(off, at(20))).toEqual([]);
  });
});
