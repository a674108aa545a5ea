/** The days of a schedule, in the order of a week. */
export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Weekday = (typeof weekdays)[number];

/** A time of day on some days. An end that is not after the start is on the next day. */
export interface Times {
  readonly days: readonly Weekday[];
  readonly from: string;
  readonly to: string;
}

/** Whether a schedule is active, in the time zone of the process. */
export function isActiveAt({ days, from, to }: Times, date: Date): boolean {
  const minute = date.getHours() * 60 + date.getMinutes();
  const [start, end] = [minuteOf(from), minuteOf(to)];
  const today = (date.getDay() + 6) % 7;
  const starts = (day: number) => days.includes(weekdays[day % 7]!);
  if (start < end) return starts(today) && minute >= start && minute < end;
  return (starts(today) && minute >= start) || (starts(today + 6) && minute < end);
}

/** A time during which a schedule is active, or is not. */
export interface Period {
  readonly active: boolean;
  /** null: it never changes. */
  readonly from: Date | null;
  readonly until: Date | null;
}

/** The period that contains a moment. */
export function periodAt(times: Times, date: Date): Period {
  const until = nextChangeAfter(times, date);
  const active = isActiveAt(times, date);
  if (!until) return { active, from: null, until: null };
  const first = Math.floor(date.getTime() / minuteMs);
  let step = 0;
  while (isActiveAt(times, new Date((first - step - 1) * minuteMs)) === active) step += 1;
  return { active, from: new Date((first - step) * minuteMs), until };
}

/** `periodAt` for the same schedules again and again: it searches only when a period is over or the times are others. */
export function periodFinder(): (schedule: Times & { readonly id: string }, date: Date) => Period {
  const known = new Map<string, { readonly times: string; readonly period: Period }>();
  return (schedule, date) => {
    const times = JSON.stringify([schedule.days, schedule.from, schedule.to]);
    const last = known.get(schedule.id);
    if (last?.times === times && contains(last.period, date)) return last.period;
    const period = periodAt(schedule, date);
    known.set(schedule.id, { times, period });
    return period;
  };
}

/** A period without an end contains nothing: it must be found again, in case its schedule changes all the same. */
const contains = ({ from, until }: Period, date: Date): boolean =>
  from !== null && until !== null && from <= date && date < until;

/** The first full minute at which `isActiveAt` changes; undefined: never. */
export function nextChangeAfter(times: Times, date: Date): Date | undefined {
  if (neverChanges(times)) return undefined;
  const now = isActiveAt(times, date);
  const first = Math.floor(date.getTime() / minuteMs) + 1;
  // Minute by minute: so a day with 23 or 25 hours needs no case of its own.
  for (let step = 0; step <= longestPeriodMin; step += 1) {
    const then = new Date((first + step) * minuteMs);
    if (isActiveAt(times, then) !== now) return then;
  }
  return undefined;
}

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(":").map(Number);
  return hours! * 60 + minutes!;
}

/** No day, or all of each day. */
const neverChanges = ({ days, from, to }: Times): boolean =>
  days.length === 0 || (minuteOf(from) === minuteOf(to) && weekdays.every((day) => days.includes(day)));

const minuteMs = 60_000;
/** Two weeks, since summer time can skip the only occurrence of a week, and an hour more where the clocks change. */
const longestPeriodMin = 14 * 24 * 60 + 60;
