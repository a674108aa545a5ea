import type { LeakAttempt } from "@portcullis/contract/subsystems/privacy";

export type AttemptKind = LeakAttempt["kind"];

/** The kernel's counter of one sender's attempts. */
export interface AttemptCounter {
  readonly kind: AttemptKind;
  readonly mac: string;
  readonly packets: number;
  /** Seconds since the last packet. */
  readonly idleSec: number;
}

/** The attempts of one sender; the sum survives a reset of the kernel's counter. */
export interface SenderAttempts {
  readonly kind: AttemptKind;
  readonly mac: string;
  readonly packets: number;
  readonly lastMs: number;
  /** The kernel's last value. */
  readonly counted: number;
  /** The sum at the last event, and the time of that event. */
  readonly reported: number;
  readonly reportedMs: number | null;
}

export type Attempts = ReadonlyMap<string, SenderAttempts>;

/** An event to send. */
export interface AttemptReport {
  readonly event: "dns.bypass" | "killswitch.engaged";
  readonly mac: string;
  /** Since the last event. */
  readonly packets: number;
}

/** At most one event per sender and kind in this time. */
export const reportIntervalMs = 600_000;

/** A bound against invented senders; those without attempts for longest are removed first. */
const maxSenders = 20_000;

const events: Partial<Record<AttemptKind, AttemptReport["event"]>> = {
  blocked: "killswitch.engaged",
  dropped: "killswitch.engaged",
  "foreign-resolver": "dns.bypass",
  "encrypted-dns": "dns.bypass",
};

const keyOf = ({ kind, mac }: Pick<AttemptCounter, "kind" | "mac">): string => `${kind} ${mac}`;

/** What the kernel had counted before the daemon started: the baseline, which causes no event. */
export const countedBefore = (readings: readonly AttemptCounter[], nowMs: number): Attempts =>
  bounded(
    new Map(
      readings.map(({ kind, mac, packets, idleSec }) => [
        keyOf({ kind, mac }),
        { kind, mac, packets: 0, lastMs: nowMs - idleSec * 1000, counted: packets, reported: 0, reportedMs: null },
      ]),
    ),
  );

/** The known attempts and the current counters → the new attempts, and the events to send. */
export function attemptsAfter(
  known: Attempts,
  readings: readonly AttemptCounter[],
  nowMs: number,
): { readonly known: Attempts; readonly reports: readonly AttemptReport[] } {
  const next = new Map(known);
  const reports: AttemptReport[] = [];
  for (const reading of readings) {
    const key = keyOf(reading);
    const { attempts, report } = updateSender(known.get(key), reading, nowMs);
    next.set(key, attempts);
    if (report) reports.push(report);
  }
  return { known: bounded(next), reports };
}

function updateSender(
  before: SenderAttempts | undefined,
  { kind, mac, packets, idleSec }: AttemptCounter,
  nowMs: number,
) {
  // Fewer than before: the set was recreated, so its counter started again at 0.
  const grown = before && packets >= before.counted ? packets - before.counted : packets;
  const attempts: SenderAttempts = {
    kind,
    mac,
    packets: (before?.packets ?? 0) + grown,
    lastMs: grown > 0 || !before ? nowMs - idleSec * 1000 : before.lastMs,
    counted: packets,
    reported: before?.reported ?? 0,
    reportedMs: before?.reportedMs ?? null,
  };
  const event = events[kind];
  const isDue = attempts.reportedMs === null || nowMs - attempts.reportedMs >= reportIntervalMs;
  if (event === undefined || attempts.packets === attempts.reported || !isDue) return { attempts };
  const report: AttemptReport = { event, mac, packets: attempts.packets - attempts.reported };
  return { attempts: { ...attempts, reported: attempts.packets, reportedMs: nowMs }, report };
}

function bounded(all: Map<string, SenderAttempts>): Attempts {
  if (all.size <= maxSenders) return all;
  const kept = [...all].toSorted(([, a], [, b]) => b.lastMs - a.lastMs).slice(0, maxSenders);
  return new Map(kept);
}
