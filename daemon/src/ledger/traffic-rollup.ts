/** What was transferred within some time, from the view of the subject. */
export interface Usage {
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly sentPackets: number;
  readonly receivedPackets: number;
  readonly connections: number;
}

export const noUsage: Usage = { sentBytes: 0, receivedBytes: 0, sentPackets: 0, receivedPackets: 0, connections: 0 };

export const isNoUsage = (it: Usage): boolean =>
  it.sentBytes + it.receivedBytes + it.sentPackets + it.receivedPackets + it.connections === 0;

export const sumOf = (a: Usage, b: Usage): Usage => ({
  sentBytes: a.sentBytes + b.sentBytes,
  receivedBytes: a.receivedBytes + b.receivedBytes,
  sentPackets: a.sentPackets + b.sentPackets,
  receivedPackets: a.receivedPackets + b.receivedPackets,
  connections: a.connections + b.connections,
});

/** Widths of the stored intervals, in seconds. */
export const widths = { raw: 10, minute: 60, hour: 3600, day: 86_400 } as const;
export type Resolution = keyof typeof widths;
export const resolutions = Object.keys(widths) as Resolution[];

/** How long intervals of each width are kept, in seconds. */
export const kept: Readonly<Record<Resolution, number>> = {
  raw: 6 * 3600,
  minute: 3 * 86_400,
  hour: 100 * 86_400,
  day: 400 * 86_400,
};

/** Destinations: how long, by the width of the interval, and how many per device and interval; the rest is one sum. */
export const destinationWidths = { hour: 3600, day: 86_400 } as const;
export type DestinationWidth = keyof typeof destinationWidths;
export const destinationsKept = { hour: 3 * 86_400, day: 100 * 86_400 } as const;
export const maxDestinations = 50;
/** Minutes are written together, and their samples are one row. */
export const packedSec = 600;

/** Start of the interval that contains a time, both in seconds since 1970, UTC. */
export const startOf = (sec: number, width: number): number => Math.floor(sec / width) * width;

/** Of the intervals that begin within a range. */
export const startsIn = (width: number, sinceSec: number, untilSec: number): number[] =>
  startsOf(width, startOf(Math.max(sinceSec, 0) + width - 1, width), untilSec);

export function startsOf(width: number, first: number, untilSec: number): number[] {
  const count = Math.max(0, Math.ceil((untilSec - first) / width));
  return Array.from({ length: count }, (_, n) => first + n * width);
}

interface Transferred extends Pick<Usage, "sentBytes" | "receivedBytes" | "connections"> {
  readonly device: string;
  readonly destination: string;
}

/** The largest destinations of each device keep their name; the others become one sum. */
export function largestOf<T extends Transferred>(all: readonly T[]): T[] {
  const size = (it: T) => (it.destination === "" ? -1 : it.sentBytes + it.receivedBytes);
  return [...Map.groupBy(all, ({ device }) => device).values()].flatMap((its) => {
    if (its.length <= maxDestinations) return its;
    const sorted = its.toSorted((a, b) => size(b) - size(a));
    const others = sorted.slice(maxDestinations).reduce((sum, it) => ({
      ...it,
      destination: "",
      sentBytes: sum.sentBytes + it.sentBytes,
      receivedBytes: sum.receivedBytes + it.receivedBytes,
      connections: sum.connections + it.connections,
    }));
    return [...sorted.slice(0, maxDestinations), { ...others, destination: "" }];
  });
}

export interface UsageAt extends Usage {
  /** Start of the interval, in seconds since 1970. */
  readonly startSec: number;
}

/** Intervals → wider intervals, in order of time. Every sum is preserved. */
export function rollUp(rows: Iterable<UsageAt>, width: number): UsageAt[] {
  const sums = new Map<number, Usage>();
  for (const { startSec, ...usage } of rows) {
    const start = startOf(startSec, width);
    sums.set(start, sumOf(sums.get(start) ?? noUsage, usage));
  }
  return [...sums].map(([startSec, usage]) => ({ startSec, ...usage })).toSorted((a, b) => a.startSec - b.startSec);
}

/** The most points of one answer. */
export const maxPoints = 1500;

/** The finest resolution that still has the whole range, and does not exceed about a screen of points. */
export function resolutionFor(sinceSec: number, untilSec: number, nowSec: number): Resolution {
  const fits = (it: Resolution): boolean =>
    sinceSec >= nowSec - kept[it] && (untilSec - sinceSec) / widths[it] <= pointsOnScreen;
  return resolutions.find(fits) ?? "day";
}

const pointsOnScreen = 400;
