import { afterEach, expect, test, vi } from "vitest";
import { announceSeed, randomFrom } from "../../testing/seed.ts";
import {
  isActiveAt,
  nextChangeAfter,
  periodAt,
  periodFinder,
  type Times,
  type Weekday,
  weekdays,
} from "./schedule-times.ts";

const seed = announceSeed("schedule times");
afterEach(() => {
  vi.unstubAllEnvs();
});

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

test("schedules: an occurrence in the hour that summer time skips is followed by that of the next week", () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  const find = periodFinder();
  const schedule: Times & { id: string } = { id: "x", days: ["sunday"], from: "02:15", to: "02:45" };
  expect(find(schedule, new Date(2026, 2, 22, 2, 20))).toMatchObject({ active: true });
  const until = new Date(2026, 3, 5, 2, 15);
  expect(find(schedule, new Date(2026, 2, 22, 2, 45))).toEqual({
    active: false,
    from: new Date(2026, 2, 22, 2, 45),
    until,
  });
  expect(find(schedule, new Date(2026, 2, 29, 3, 20))).toMatchObject({ active: false, until });
  expect(find(schedule, new Date(2026, 3, 5, 2, 20))).toMatchObject({ active: true });
});

test("schedules: in a year of each time zone, a schedule that is found again and again is active when it is by its times", () => {
  const random = randomFrom(seed);
  const below: Below = (limit) => Math.floor(random() * limit);
  for (const [zone, offset] of zones) {
    vi.stubEnv("TZ", zone);
    expect(new Date(2026, 0, 1).getTimezoneOffset()).toBe(offset);
    for (const schedule of [inSkippedHour(below), inSkippedHour(below), atAnyTime(below)]) {
      const find = periodFinder();
      for (let now = new Date(2026, 0, 1); now < new Date(2027, 0, 1); ) {
        const { active, from, until } = find(schedule, now);
        const isWithin = (!from || from <= now) && (!until || now < until);
        const found = { active, isWithin, schedule, zone, now, seed };
        expect(found).toEqual({ ...found, active: isActiveAt(schedule, now), isWithin: true });
        const steps = [until, laterStart(below, schedule, now), new Date(now.getTime() + below(14 * 24 * 60) * 60_000)];
        now = new Date(Math.max((steps[below(3)] ?? now).getTime(), now.getTime() + 60_000));
      }
    }
  }
});

/** With the minutes from there to UTC on 1 January. */
const zones = [
  ["Europe/Berlin", -60],
  ["America/New_York", 300],
  ["Australia/Lord_Howe", -660],
] as const;

type Below = (limit: number) => number;

/** At the start of an occurrence within two weeks: a finder that has missed a change is wrong there. */
function laterStart(below: Below, { days, from }: Times, now: Date): Date | undefined {
  const [hour, minute] = from.split(":").map(Number);
  const starts = Array.from(
    { length: 14 },
    (_, day) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1 + day, hour, minute),
  ).filter((it) => days.includes(weekdays[(it.getDay() + 6) % 7]!));
  return starts[below(starts.length)];
}

const inSkippedHour = (below: Below) => randomTimes(below, ["sunday"], () => 2);
const atAnyTime = (below: Below) =>
  randomTimes(
    below,
    weekdays.filter(() => below(2) === 0),
    () => below(24),
  );

function randomTimes(below: Below, days: readonly Weekday[], hour: () => number): Times & { readonly id: string } {
  const time = () => `${String(hour()).padStart(2, "0")}:${String(below(60)).padStart(2, "0")}`;
  const [first, second] = [time(), time()].sort() as [string, string];
  return { id: "x", days, ...(below(4) === 0 ? { from: second, to: first } : { from: first, to: second }) };
}
