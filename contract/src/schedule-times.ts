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

/** The first full minute at which `isActiveAt` changes; undefined: never. */
export function nextChangeAfter(times: Times, date: Date): Date | undefined {
  const now = isActiveAt(times, date);
  const first = Math.floor(date.getTime() / minuteMs) + 1;
  // Minute by minute: so a day with 23 or 25 hours needs no case of its own.
  for (let step = 0; step <= minutesOfPeriod; step += 1) {
    const then = new Date((first + step) * minuteMs);
    if (isActiveAt(times, then) !== now) return then;
  }
  return undefined;
}

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(":").map(Number);
  return hours! * 60 + minutes!;
}

const minuteMs = 60_000;
/** A week, and an hour more where the clocks change. */
const minutesOfPeriod = 7 * 24 * 60 + 60;
