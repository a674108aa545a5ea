import type { Sample } from "../../ledger/traffic-samples.ts";
import type { DestinationUsage, Subject, TrafficStore } from "../../ledger/traffic-store.ts";
import {
  destinationWidths,
  noUsage,
  packedSec,
  type Resolution,
  startOf,
  sumOf,
  type Usage,
  type UsageAt,
  widths,
} from "../../ledger/traffic-rollup.ts";
import { addDestination, type Attributed, destinationKey, subjectKey, totalSubject } from "./attribution.ts";

/** One reading of all counters. */
export interface Reading extends Omit<Attributed, "flows"> {
  readonly atMs: number;
  /** Since the reading before. */
  readonly elapsedMs: number;
}

export interface Recorder {
  add(reading: Reading): void;
  /** Writes the minute if it is over. To be called after each reading, in a turn of its own: with 10,000 devices it takes a while. */
  writeIfDue(): void;
  /** Writes what is in memory. False: it could not be written, and is kept. */
  flush(): boolean;
  /** Of the last reading, in bytes per second. */
  rate(subject: Subject): { readonly sent: number; readonly received: number } | undefined;
  last(): { readonly atMs: number; readonly elapsedMs: number } | undefined;
  /** Since the last midnight. */
  today(): readonly (Subject & { readonly usage: Usage })[];
  /** Since the daemon started, by subject, without devices. It never decreases. */
  sinceStart(): ReadonlyMap<string, Usage>;
  /** What is not written yet, as intervals of the history. */
  pending(subject: Subject, resolution: Resolution): UsageAt[];
  pendingDestinations(device: string | undefined): readonly DestinationUsage[];
  /** Devices of which anything is in memory. */
  pendingDevices(): ReadonlySet<string>;
  forget(device: string, what: "everything" | "destinations"): void;
}

interface Needs {
  readonly store: Pick<TrafficStore, "write" | "today" | "forget">;
  readonly nowMs: () => number;
  /** What is in memory is about to be written. */
  readonly beforeWriting: () => void;
}

interface Pending extends Subject {
  usage: Usage;
  readonly samples: Map<number, Sample>;
}

/** A minute with its subjects, by key. */
interface PendingMinute {
  readonly startSec: number;
  readonly subjects: Map<string, Pending>;
}

/**
 * Complete minutes are written together: each transaction begins and ends with pages that are not full, and a flash card wears out with
 * each of them. With many devices there is less to gain, and memory to lose.
 */
const maxWaiting = { subjects: 2500, destinations: 20_000 } as const;

/** What a full disk may hold back. Above it, minutes become longer, and new destinations lose their name. */
const unwritable = { minutes: 60, subjects: 30_000, destinations: 2 * maxWaiting.destinations } as const;

/** Collects readings, and writes ten minutes in one transaction, and with the last of an hour its destinations. */
export function recorder({ store, nowMs, beforeWriting }: Needs): Recorder {
  let minute: PendingMinute | undefined;
  let waiting: PendingMinute[] = [];
  let destinations = new Map<string, DestinationUsage>();
  let writtenSec = startOf(nowMs() / 1000, packedSec);
  let destinationsSec = startOf(nowMs() / 1000, destinationWidths.hour);
  /** A full disk is not tried with each reading: all that waits would be prepared for nothing. */
  let failedSec: number | undefined;
  let latest: Reading | undefined;
  const sinceStart = new Map<string, Usage>();
  let rates = new Map<string, Usage>();
  let midnight = midnightBefore(nowMs());
  let today = sumsByKey(store.today(midnight));

  function add(reading: Reading): void {
    // A reading soon after the minute is about the one before.
    const about = (reading.atMs - Math.min(reading.elapsedMs, 60_000) / 2) / 1000;
    minute ??= { startSec: startOf(about, widths.minute), subjects: new Map() };
    const { startSec, subjects } = minute;
    if (midnightBefore(reading.atMs) !== midnight) {
      midnight = midnightBefore(reading.atMs);
      today = new Map();
    }
    const slot = Math.min(5, Math.max(0, Math.floor((about - startSec) / widths.raw)));
    // The total is there even without traffic: it shows that there was a measurement.
    const all = reading.subjects.some(({ kind }) => kind === "total")
      ? reading.subjects
      : [...reading.subjects, { ...totalSubject, usage: noUsage }];
    for (const { usage, ...subject } of all) {
      const key = subjectKey(subject);
      const pending = subjects.get(key) ?? { ...subject, usage: noUsage, samples: new Map() };
      pending.usage = sumOf(pending.usage, usage);
      const sample = pending.samples.get(slot) ?? { slot, sentBytes: 0, receivedBytes: 0 };
      pending.samples.set(slot, {
        slot,
        sentBytes: sample.sentBytes + usage.sentBytes,
        receivedBytes: sample.receivedBytes + usage.receivedBytes,
      });
      subjects.set(key, pending);
      if (subject.kind !== "device") sinceStart.set(key, sumOf(sinceStart.get(key) ?? noUsage, usage));
      today.set(key, { ...subject, usage: sumOf(today.get(key)?.usage ?? noUsage, usage) });
    }
    for (const it of reading.destinations) {
      const isNamed = destinations.size < unwritable.destinations || destinations.has(destinationKey(it));
      addDestination(destinations, isNamed ? it : { ...it, destination: "" });
    }
    rates = new Map(all.map((it) => [subjectKey(it), it.usage]));
    latest = reading;
  }

  function writeIfDue(): void {
    if (!latest || minute === undefined) return;
    const nowSec = latest.atMs / 1000;
    const wasSetBack = nowSec < minute.startSec - 120;
    if (startOf(nowSec, widths.minute) > minute.startSec || wasSetBack) complete(nowSec);
  }

  /** The minute is over. What cannot be written for long is added to its last minute. */
  function complete(nowSec: number): void {
    let held = waiting.reduce((sum, it) => sum + it.subjects.size, 0);
    if (minute && (waiting.length === 0 || hasRoom(held + minute.subjects.size))) {
      waiting.push(minute);
      held += minute.subjects.size;
      minute = undefined;
    }
    if (startOf(nowSec, packedSec) === failedSec) return;
    const areDestinationsDue =
      startOf(nowSec, destinationWidths.hour) !== destinationsSec || destinations.size > maxWaiting.destinations;
    const isDue = startOf(nowSec, packedSec) !== writtenSec || held > maxWaiting.subjects;
    if (isDue || areDestinationsDue) write(nowSec, areDestinationsDue);
  }

  const hasRoom = (held: number): boolean => waiting.length < unwritable.minutes && held <= unwritable.subjects;

  function write(nowSec: number, withDestinations: boolean): boolean {
    if (waiting.length === 0) return true;
    beforeWriting();
    const isWritten = store.write(
      waiting.map(({ startSec, subjects }) => ({
        startSec,
        subjects: [...subjects.values()].map((it) => ({ ...it, samples: [...it.samples.values()] })),
      })),
      withDestinations ? [...destinations.values()] : [],
    );
    failedSec = isWritten ? undefined : startOf(nowSec, packedSec);
    if (!isWritten) return false;
    if (withDestinations) {
      destinations = new Map();
      destinationsSec = startOf(nowSec, destinationWidths.hour);
    }
    writtenSec = startOf(nowSec, packedSec);
    waiting = [];
    return true;
  }

  const unwritten = (): PendingMinute[] => (minute ? [...waiting, minute] : waiting);

  return {
    add,
    writeIfDue,
    flush: () => {
      waiting = unwritten();
      minute = undefined;
      return write(nowMs() / 1000, true);
    },
    rate: (subject) => {
      if (!latest || latest.elapsedMs <= 0) return undefined;
      const { sentBytes, receivedBytes } = rates.get(subjectKey(subject)) ?? noUsage;
      const perSec = (bytes: number) => (bytes * 1000) / latest!.elapsedMs;
      return { sent: perSec(sentBytes), received: perSec(receivedBytes) };
    },
    last: () => latest && { atMs: latest.atMs, elapsedMs: latest.elapsedMs },
    today: () => (midnightBefore(nowMs()) === midnight ? [...today.values()] : []),
    sinceStart: () => sinceStart,
    pending: (subject, resolution) =>
      unwritten().flatMap(({ startSec, subjects }) => {
        const found = subjects.get(subjectKey(subject));
        if (!found) return [];
        if (resolution !== "raw") return [{ startSec, ...found.usage }];
        return [...found.samples.values()].map(({ slot, sentBytes, receivedBytes }) => ({
          ...noUsage,
          startSec: startSec + slot * widths.raw,
          sentBytes,
          receivedBytes,
        }));
      }),
    pendingDestinations: (device) =>
      [...destinations.values()].filter((it) => device === undefined || it.device === device),
    pendingDevices: () => {
      const subjects = [...today.values(), ...unwritten().flatMap((it) => [...it.subjects.values()])];
      const devices = subjects.flatMap(({ kind, id }) => (kind === "device" ? id : []));
      return new Set([...devices, ...[...destinations.values()].map(({ device }) => device)]);
    },
    forget: (device, what) => {
      for (const [key, it] of destinations) if (it.device === device) destinations.delete(key);
      if (what === "everything") {
        const key = subjectKey({ kind: "device", id: device });
        for (const { subjects } of unwritten()) subjects.delete(key);
        today.delete(key);
        rates.delete(key);
      }
      store.forget(device, what);
    },
  };
}

const sumsByKey = (sums: readonly (Subject & { readonly usage: Usage })[]) =>
  new Map(sums.map((it) => [subjectKey(it), it]));

/** In the time zone of the gateway, in seconds since 1970. */
const midnightBefore = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0) / 1000;
