import { expect, test } from "vitest";
import { isActiveAt, nextChangeAfter, periodAt, periodFinder, type Times, weekdays } from "./schedule-times.ts";

const nights: Times = { days: ["sunday", "monday", "tuesday", "wednesday", "thursday"], from: "21:00", to: "07:00" };
const noon: Times = { days: ["saturday"], from: "12:00", to: "12:30" };
/** Local time; 2026-11-16 is a Monday. */
const at = (day: number, hour: number, minute = 0, second = 0) => new Date(2026, 10, day, hour, minute, second);

test("schedules: an end before the start is on the next day, and belongs to the day of the start", () => {
  expect(isActiveAt(nights, at(16, 20, 59, 59))).toBe(false);
  expect(isActiveAt(nights, at(16, 21))).toBe(true);
  expect(isActiveAt(nights, at(17, 6, 59))).toBe(true);
  expect(isActiveAt(nights, at(17, 7))).toBe(false);
  // Friday night is not among them, Friday morning is the end of Thursday's.
  expect(isActiveAt(nights, at(20, 6))).toBe(true);
  expect(isActiveAt(nights, at(20, 22))).toBe(false);
  expect(isActiveAt(nights, at(21, 6))).toBe(false);
  expect(isActiveAt(nights, at(22, 21))).toBe(true);
});

test("schedules: within one day", () => {
  expect(
    [at(21, 11, 59), at(21, 12), at(21, 12, 29), at(21, 12, 30), at(20, 12)].map((it) => isActiveAt(noon, it)),
  ).toEqual([false, true, true, false, false]);
});

test("schedules: the same start and end is a whole day from that time on", () => {
  const all: Times = { days: ["monday"], from: "06:00", to: "06:00" };
  expect([at(16, 5, 59), at(16, 6), at(17, 5, 59), at(17, 6)].map((it) => isActiveAt(all, it))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test("schedules: the next change is the first minute with another state", () => {
  expect(nextChangeAfter(nights, at(16, 20, 59, 30))).toEqual(at(16, 21));
  expect(nextChangeAfter(nights, at(16, 21))).toEqual(at(17, 7));
  expect(nextChangeAfter(nights, at(20, 7))).toEqual(at(22, 21));
  expect(nextChangeAfter(noon, at(21, 12, 30))).toEqual(at(28, 12));
});

test("schedules: one that is always active never changes", () => {
  expect(nextChangeAfter({ days: weekdays, from: "00:00", to: "00:00" }, at(16, 3))).toBeUndefined();
});

test("schedules: a period reaches from one change to the next, and contains its start, not its end", () => {
  const night = { active: true, from: at(16, 21), until: at(17, 7) };
  expect([at(16, 21), at(17, 0), at(17, 6, 59, 59)].map((it) => periodAt(nights, it))).toEqual([night, night, night]);
  expect(periodAt(nights, at(16, 20, 59, 59))).toEqual({ active: false, from: at(16, 7), until: at(16, 21) });
  expect(periodAt({ days: weekdays, from: "00:00", to: "00:00" }, at(16, 3))).toEqual({
    active: true,
    from: null,
    until: null,
  });
});

test("schedules: a period that is found again is the same object, until it is over or the times are others", () => {
  const find = periodFinder();
  const schedule = { ...nights, id: "nights" };
  const first = find(schedule, at(16, 22));
  expect(find({ ...schedule }, at(17, 5))).toBe(first);
  expect(find(schedule, at(17, 7))).toEqual(periodAt(nights, at(17, 7)));
  // A clock that is set back.
  expect(find(schedule, at(16, 20))).toEqual(periodAt(nights, at(16, 20)));
  expect(find({ ...schedule, from: "20:00" }, at(16, 20))).toMatchObject({ active: true });
});
