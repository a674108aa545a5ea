import type { LeakAttempt } from "@portcullis/contract/subsystems/privacy";

export type AttemptKind = LeakAttempt["kind"];

/** The kernel's own count of what one sender tried. */
export interface Reading {
  readonly kind: AttemptKind;
  readonly mac: string;
  readonly packets: number;
  /** Since the last of them. */
  readonly idleSec: number;
}

/** What is known of one sender, also when the kernel has begun to count anew since. */
export interface Tried {
  readonly kind: AttemptKind;
  readonly mac: string;
  readonly packets: number;
  readonly lastMs: number;
  /** What the kernel said last. */
  readonly counted: number;
  /** How many there were when somebody was last told, and when that was. */
  readonly told: number;
  readonly toldMs: number | null;
}

export type Attempts = ReadonlyMap<string, Tried>;

/** Somebody should hear of it. */
export interface Telling {
  readonly event: "dns.bypass" | "killswitch.engaged";
  readonly mac: string;
  /** Since it was last told. */
  readonly packets: number;
}

/** A device that tries without end is told of once in this time. */
export const apartMs = 600_000;

/** Of whoever invents senders only so many are remembered; those who have been silent for longest go first. */
const most = 20_000;

const events: Partial<Record<AttemptKind, Telling["event"]>> = {
  blocked: "killswitch.engaged",
  dropped: "killswitch.engaged",
  "foreign-resolver": "dns.bypass",
  "encrypted-dns": "dns.bypass",
};

const keyOf = ({ kind, mac }: Pick<Reading, "kind" | "mac">): string => `${kind} ${mac}`;

/** What the kernel had counted before a daemon began to ask: where counting begins, and no news. */
export const countedBefore = (readings: readonly Reading[], nowMs: number): Attempts =>
  bounded(
    new Map(
      readings.map(({ kind, mac, packets, idleSec }) => [
        keyOf({ kind, mac }),
        { kind, mac, packets: 0, lastMs: nowMs - idleSec * 1000, counted: packets, told: 0, toldMs: null },
      ]),
    ),
  );

/** What was known, and what the kernel says now → what is known, and what is to be told. */
export function attemptsAfter(
  known: Attempts,
  readings: readonly Reading[],
  nowMs: number,
): { readonly known: Attempts; readonly tell: readonly Telling[] } {
  const next = new Map(known);
  const tell: Telling[] = [];
  for (const reading of readings) {
    const key = keyOf(reading);
    const { tried, telling } = triedNow(known.get(key), reading, nowMs);
    next.set(key, tried);
    if (telling) tell.push(telling);
  }
  return { known: bounded(next), tell };
}

function triedNow(before: Tried | undefined, { kind, mac, packets, idleSec }: Reading, nowMs: number) {
  // Fewer than before: the set was made anew, and everything in it is.
  const grown = before && packets >= before.counted ? packets - before.counted : packets;
  const tried: Tried = {
    kind,
    mac,
    packets: (before?.packets ?? 0) + grown,
    lastMs: grown > 0 || !before ? nowMs - idleSec * 1000 : before.lastMs,
    counted: packets,
    told: before?.told ?? 0,
    toldMs: before?.toldMs ?? null,
  };
  const event = events[kind];
  const isDue = tried.toldMs === null || nowMs - tried.toldMs >= apartMs;
  if (event === undefined || tried.packets === tried.told || !isDue) return { tried };
  const telling: Telling = { event, mac, packets: tried.packets - tried.told };
  return { tried: { ...tried, told: tried.packets, toldMs: nowMs }, telling };
}

function bounded(all: Map<string, Tried>): Attempts {
  if (all.size <= most) return all;
  const kept = [...all].toSorted(([, a], [, b]) => b.lastMs - a.lastMs).slice(0, most);
  return new Map(kept);
}
