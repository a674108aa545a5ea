interface Minute {
  readonly timestamp: string;
  readonly queries: number;
  readonly blocked: number;
}

/** The last sixty minutes; minutes without queries are zero. */
export function lastHour(minutes: readonly Minute[], now: Date) {
  const byMinute = new Map(minutes.map((it) => [minuteOf(new Date(it.timestamp)), it]));
  const last = minuteOf(now);
  const numbers = Array.from({ length: 60 }, (_, index) => last - 59 + index);
  return {
    times: numbers.map((number) => new Date(number * 60_000)),
    queries: numbers.map((number) => byMinute.get(number)?.queries ?? 0),
    blocked: numbers.map((number) => byMinute.get(number)?.blocked ?? 0),
  };
}

const minuteOf = (at: Date): number => Math.floor(at.getTime() / 60_000);
