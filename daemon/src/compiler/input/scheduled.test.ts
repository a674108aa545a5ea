import { expect, test } from "vitest";
import { inactiveSchedules, withoutInactive } from "./scheduled.ts";

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
