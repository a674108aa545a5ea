import { explained, noTraffic, type Traffic, watched } from "./traffic.machine.ts";
import { lossIn, noted, type Outcome } from "./loss-window.machine.ts";

/** Only `up` and `degraded` carry packets. */
export type Status = "down" | "connecting" | "up" | "degraded" | "failed";

/** All that is known of one way, a tunnel or an uplink. Times are monotonic milliseconds. */
export interface Life {
  readonly status: Status;
  /** A sentence for people. */
  readonly reason: string;
  readonly sinceMs: number;
  readonly wanted: boolean;
  readonly present: boolean;
  readonly inUse: boolean;
  /** No probes are sent: its interface alone decides. */
  readonly isUnprobed: boolean;
  /** The last sign of life, or the moment from which one is awaited. */
  readonly heardAtMs: number;
  /** Smoothed as TCP does (RFC 6298): the round trip and how far it strays. */
  readonly trip?: { readonly ms: number; readonly strayMs: number };
  readonly outcomes: readonly Outcome[];
  /** How many regular probes in a row were answered, and the last of them. */
  readonly row: { readonly sequence: number; readonly length: number };
  /** There while somebody has to send a burst of quick probes and tell what came back. */
  readonly burst?: { readonly startedAtMs: number };
  readonly traffic: Traffic;
  /** Since when a degraded way has lost next to nothing. */
  readonly calmSinceMs?: number;
  /** When it went into `failed` or came out, for as long as that matters. */
  readonly turnsMs: readonly number[];
  readonly changes: number;
  readonly flaps: number;
}

export type Happening = { readonly atMs: number } & (
  | {
      readonly kind: "attended";
      readonly wanted: boolean;
      readonly present: boolean;
      readonly inUse: boolean;
      readonly isUnprobed?: boolean;
    }
  /** Numbers of regular probes rise by one and never start again. */
  | { readonly kind: "reply"; readonly sequence: number; readonly rttMs?: number | undefined }
  | { readonly kind: "round trip"; readonly rttMs: number }
  | { readonly kind: "missed"; readonly sequence: number }
  | { readonly kind: "burst"; readonly startedAtMs: number; readonly answered: boolean }
  /** Packets that the interface has counted so far. */
  | { readonly kind: "traffic"; readonly sent: number; readonly received: number }
  | { readonly kind: "time" }
);

/** The numbers behind it, chosen so that two seconds are enough to notice an end and a return. */
export const pace = {
  /** A way that carries traffic, one that stands by, and the same while nobody answers through them. */
  inUseMs: 500,
  idleMs: 2000,
  searchMs: 300,
  idleSearchMs: 1000,
  /** Lateness that is still no suspicion. It is about how much round trips differ, not how long they are. */
  latenessMs: { least: 120, most: 250 },
  /** Probes of a burst are sent for so long, and the last of them gets so much time to be answered. */
  burstMs: 450,
  answerMs: { least: 200, most: 1500 },
  connectMs: 10_000,
  returnReplies: 3,
  window: 40,
  degradedLoss: 0.2,
  calmLoss: 0.05,
  calmMs: 15_000,
  degradedMs: 30_000,
  flapTurns: 5,
  flapMs: 300_000,
} as const;

/** A way nobody asked for yet. */
export function newLife(atMs: number): Life {
  return {
    status: "down",
    reason: "Not wanted",
    sinceMs: atMs,
    wanted: false,
    present: false,
    inUse: false,
    isUnprobed: false,
    heardAtMs: atMs,
    outcomes: [],
    row: noRow,
    traffic: noTraffic,
    turnsMs: [],
    changes: 0,
    flaps: 0,
  };
}

/** What an earlier daemon knew counts until the probes say otherwise, so that a restart moves no traffic. */
export function resumedLife(
  atMs: number,
  kept: Pick<Life, "status" | "reason" | "changes" | "flaps" | "turnsMs">,
): Life {
  return { ...newLife(atMs), wanted: true, present: true, ...kept };
}

export const carries = ({ status }: { readonly status: Status }): boolean => status === "up" || status === "degraded";

/** How far apart regular probes should be now. */
export function probeEveryMs(life: Life): number {
  if (!carries(life)) return life.inUse ? pace.searchMs : pace.idleSearchMs;
  return life.inUse ? pace.inUseMs : pace.idleMs;
}

/** Long enough for a satellite: too short a limit would fail a link that works. */
const unmeasured = { ms: 500, strayMs: 100 };

/** How long a burst may take until it counts as unanswered. */
export function burstLimitMs({ trip = unmeasured }: Life): number {
  return pace.burstMs + Math.round(within(pace.answerMs, trip.ms + 2 * trip.strayMs + 50));
}

/** The one rule: what becomes of a way when something happens. */
export function lived(life: Life, happening: Happening): Life {
  const next = told(life, happening);
  return suspecting(next, happening.atMs);
}

function told(life: Life, happening: Happening): Life {
  const { atMs } = happening;
  switch (happening.kind) {
    case "attended":
      return unprobed(
        attended({ ...life, inUse: happening.inUse, isUnprobed: happening.isUnprobed ?? false }, happening),
        atMs,
      );
    case "reply":
      return replied(life, happening);
    case "round trip":
      return carries(life) ? { ...life, trip: smoothed(life.trip, happening.rttMs) } : life;
    case "missed":
      return carries(life) ? weighed(withOutcome(life, happening.sequence, false), atMs) : life;
    case "burst":
      return judged(life, happening);
    case "traffic":
      return { ...life, traffic: watched(life.traffic, happening) };
    case "time":
      return waited(life, atMs);
  }
}

/** Whose operator wants no probes is up while its interface is there. Nothing else is known of it, and the reason says so. */
const unprobed = (life: Life, atMs: number): Life =>
  life.isUnprobed && life.wanted && life.present && !carries(life)
    ? turned(life, "up", "Not probed: its interface is up", atMs)
    : life;

interface Attendance {
  readonly atMs: number;
  readonly wanted: boolean;
  readonly present: boolean;
}

function attended(life: Life, { atMs, wanted, present }: Attendance): Life {
  const known = { ...life, wanted, present };
  if (!wanted) return life.status === "down" ? known : { ...turned(known, "down", "Not wanted", atMs), turnsMs: [] };
  if (life.status === "down") {
    const waiting = turned(known, "connecting", waitingFor(present), atMs);
    return { ...waiting, heardAtMs: atMs, row: noRow };
  }
  if (present === life.present) return known;
  if (!present && carries(life)) return turned(known, "failed", "Its interface is gone", atMs);
  return { ...known, reason: waitingFor(present), row: noRow, heardAtMs: atMs };
}

const waitingFor = (present: boolean): string =>
  present ? "Waits for the first answer" : "Waits for its interface to appear";

function replied(life: Life, { atMs, sequence, rttMs }: Happening & { readonly kind: "reply" }): Life {
  if (life.status === "down" || !life.present) return life;
  const heard = {
    ...life,
    heardAtMs: atMs,
    ...(rttMs !== undefined && { trip: smoothed(life.trip, rttMs) }),
    row: continued(life.row, sequence),
  };
  if (life.status === "connecting") return turned(heard, "up", "Answers", atMs);
  if (life.status !== "failed") return weighed(withOutcome(heard, sequence, true), atMs);
  if (heard.row.length < pace.returnReplies) return heard;
  return turned(heard, "up", `Answers again after ${inSeconds(atMs - life.sinceMs)}`, atMs);
}

function continued(row: Life["row"], sequence: number): Life["row"] {
  if (sequence <= row.sequence) return row;
  return { sequence, length: sequence === row.sequence + 1 ? row.length + 1 : 1 };
}

/**
 * A greeting whose first packet got lost is answered a second later, for the kernel says it again. Believed at once, one such
 * answer would make us wait longer for all that follow; a way that has become slow says so again and again.
 */
function smoothed(trip: Life["trip"], toldMs: number): NonNullable<Life["trip"]> {
  if (!trip) return { ms: toldMs, strayMs: toldMs / 2 };
  const rttMs = Math.min(toldMs, 2 * trip.ms + 4 * trip.strayMs + 100);
  return {
    ms: trip.ms + (rttMs - trip.ms) / 8,
    strayMs: trip.strayMs + (Math.abs(rttMs - trip.ms) - trip.strayMs) / 4,
  };
}

const withOutcome = (life: Life, sequence: number, answered: boolean): Life => ({
  ...life,
  outcomes: noted(life.outcomes, { sequence, answered }, pace.window),
});

/**
 * Loss makes a way degraded soon and good again late: as many losses as are too many for a full window are too many
 * for a shorter one too, but a good word takes a full window that stays good.
 */
function weighed(life: Life, atMs: number): Life {
  const { lost, of } = lossIn(life.outcomes);
  if (life.status === "up" && lost >= pace.window * pace.degradedLoss) {
    const reason = `Loses packets: ${lost} of the last ${of} probes went unanswered`;
    return turned(life, "degraded", reason, atMs);
  }
  if (life.status !== "degraded") return life;
  if (of < pace.window || lost >= of * pace.calmLoss) return { ...life, calmSinceMs: atMs };
  const { calmSinceMs = atMs } = life;
  if (atMs - calmSinceMs < pace.calmMs || atMs - life.sinceMs < pace.degradedMs) return { ...life, calmSinceMs };
  return turned(life, "up", "Loses next to nothing any more", atMs);
}

/** A burst that nobody answered is the only thing that fails a way whose interface is there. */
function judged(life: Life, { atMs, startedAtMs, answered }: Happening & { readonly kind: "burst" }): Life {
  if (life.burst?.startedAtMs !== startedAtMs) return life;
  const { burst: _, ...over } = life;
  if (!carries(life)) return over;
  if (answered) return { ...over, heardAtMs: atMs, traffic: explained(life.traffic, atMs) };
  if (life.heardAtMs >= startedAtMs) return over;
  return turned(
    over,
    "failed",
    `It stopped answering: silent for ${inSeconds(atMs - life.heardAtMs)}, then no answer to a burst of probes`,
    atMs,
  );
}

function waited(life: Life, atMs: number): Life {
  if (life.status !== "connecting" || atMs - life.sinceMs < pace.connectMs) return life;
  const silence = life.present ? "No probe was answered" : "Its interface did not appear";
  return turned(life, "failed", `${silence} within ${inSeconds(atMs - life.sinceMs)}`, atMs);
}

/** A late answer, or traffic that only goes one way, is no proof of anything. It is a reason to ask in earnest. */
function suspecting(life: Life, atMs: number): Life {
  if (!carries(life) || life.burst || !life.present || life.isUnprobed) return life;
  const isLate = atMs - life.heardAtMs > probeEveryMs(life) * timerCoarseness + latenessMs(life);
  return isLate || life.traffic.oneWay ? { ...life, burst: { startedAtMs: atMs } } : life;
}

/** ping waits a few milliseconds longer than it is told. */
const timerCoarseness = 1.03;

const latenessMs = ({ trip }: Life): number => within(pace.latenessMs, 100 + 4 * (trip?.strayMs ?? 0));

function turned(life: Life, status: Status, reason: string, atMs: number): Life {
  const { burst, calmSinceMs: _, ...rest } = life;
  const isTurn = (status === "failed") !== (life.status === "failed") && status !== "down";
  const turnsMs = isTurn ? [...life.turnsMs.filter((at) => atMs - at < pace.flapMs), atMs] : life.turnsMs;
  const isFlap = turnsMs.length >= pace.flapTurns;
  const goesOnCarrying = carries(life) && carries({ status });
  return {
    ...rest,
    status,
    reason,
    sinceMs: atMs,
    ...(goesOnCarrying && burst && { burst }),
    ...(!goesOnCarrying && { outcomes: [], traffic: noTraffic }),
    row: status === "failed" ? noRow : life.row,
    changes: life.changes + 1,
    turnsMs: isFlap ? [] : turnsMs,
    flaps: life.flaps + (isFlap ? 1 : 0),
  };
}

const noRow: Life["row"] = { sequence: -1, length: 0 };

const within = ({ least, most }: { readonly least: number; readonly most: number }, value: number): number =>
  Math.min(most, Math.max(least, value));

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
