import { trustAfterReply, noTraffic, type Traffic, updateTraffic } from "./traffic.machine.ts";
import { lossIn, recordOutcome, type Outcome } from "./loss-window.machine.ts";

/** Only `up` and `degraded` carry packets. */
export type Status = "down" | "connecting" | "up" | "degraded" | "failed";

/** All that is known of one way, a tunnel or an uplink. Times are monotonic milliseconds. */
export interface LinkState {
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
  readonly lastReplyAtMs: number;
  /** Smoothed as TCP does (RFC 6298): the round trip and how far it strays. */
  readonly rtt?: { readonly ms: number; readonly varianceMs: number };
  readonly outcomes: readonly Outcome[];
  /** How many regular probes in a row were answered, and the last of them. */
  readonly streak: { readonly sequence: number; readonly length: number };
  /** There while somebody has to send a burst of quick probes and tell what came back. */
  readonly burst?: { readonly startedAtMs: number };
  readonly traffic: Traffic;
  /** Since when a degraded way has lost next to nothing. */
  readonly stableSinceMs?: number;
  /** When it went into `failed` or came out, for as long as that matters. */
  readonly failTransitionsMs: readonly number[];
  readonly changes: number;
  readonly flaps: number;
}

export type LinkEvent = { readonly atMs: number } & (
  | {
      readonly kind: "configured";
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
export const healthTiming = {
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
export function initialState(atMs: number): LinkState {
  return {
    status: "down",
    reason: "Not wanted",
    sinceMs: atMs,
    wanted: false,
    present: false,
    inUse: false,
    isUnprobed: false,
    lastReplyAtMs: atMs,
    outcomes: [],
    streak: noStreak,
    traffic: noTraffic,
    failTransitionsMs: [],
    changes: 0,
    flaps: 0,
  };
}

/** What an earlier daemon knew counts until the probes say otherwise, so that a restart moves no traffic. */
export function resumedState(
  atMs: number,
  saved: Pick<LinkState, "status" | "reason" | "changes" | "flaps" | "failTransitionsMs">,
): LinkState {
  return { ...initialState(atMs), wanted: true, present: true, ...saved };
}

export const isUsable = ({ status }: { readonly status: Status }): boolean => status === "up" || status === "degraded";

/** How far apart regular probes should be now. */
export function probeIntervalMs(state: LinkState): number {
  if (!isUsable(state)) return state.inUse ? healthTiming.searchMs : healthTiming.idleSearchMs;
  return state.inUse ? healthTiming.inUseMs : healthTiming.idleMs;
}

/** Long enough for a satellite: too short a limit would fail a link that works. */
const unmeasured = { ms: 500, varianceMs: 100 };

/** How long a burst may take until it counts as unanswered. */
export function burstLimitMs({ rtt = unmeasured }: LinkState): number {
  return healthTiming.burstMs + Math.round(clamp(healthTiming.answerMs, rtt.ms + 2 * rtt.varianceMs + 50));
}

/** The one rule: what becomes of a way when something happens. */
export function reduce(state: LinkState, event: LinkEvent): LinkState {
  const next = applyEvent(state, event);
  return startBurstIfSuspect(next, event.atMs);
}

function applyEvent(state: LinkState, event: LinkEvent): LinkState {
  const { atMs } = event;
  switch (event.kind) {
    case "configured":
      return upIfUnprobed(
        configured({ ...state, inUse: event.inUse, isUnprobed: event.isUnprobed ?? false }, event),
        atMs,
      );
    case "reply":
      return replyReceived(state, event);
    case "round trip":
      return isUsable(state) ? { ...state, rtt: smoothRtt(state.rtt, event.rttMs) } : state;
    case "missed":
      return isUsable(state) ? assessLoss(withOutcome(state, event.sequence, false), atMs) : state;
    case "burst":
      return burstResult(state, event);
    case "traffic":
      return { ...state, traffic: updateTraffic(state.traffic, event) };
    case "time":
      return connectTimeout(state, atMs);
  }
}

/** Whose operator wants no probes is up while its interface is there. Nothing else is known of it, and the reason says so. */
const upIfUnprobed = (state: LinkState, atMs: number): LinkState =>
  state.isUnprobed && state.wanted && state.present && !isUsable(state)
    ? transition(state, "up", "Not probed: its interface is up", atMs)
    : state;

interface Configuration {
  readonly atMs: number;
  readonly wanted: boolean;
  readonly present: boolean;
}

function configured(state: LinkState, { atMs, wanted, present }: Configuration): LinkState {
  const known = { ...state, wanted, present };
  if (!wanted)
    return state.status === "down"
      ? known
      : { ...transition(known, "down", "Not wanted", atMs), failTransitionsMs: [] };
  if (state.status === "down") {
    const waiting = transition(known, "connecting", waitingFor(present), atMs);
    return { ...waiting, lastReplyAtMs: atMs, streak: noStreak };
  }
  if (present === state.present) return known;
  if (!present && isUsable(state)) return transition(known, "failed", "Its interface is gone", atMs);
  return { ...known, reason: waitingFor(present), streak: noStreak, lastReplyAtMs: atMs };
}

const waitingFor = (present: boolean): string =>
  present ? "Waits for the first answer" : "Waits for its interface to appear";

function replyReceived(state: LinkState, { atMs, sequence, rttMs }: LinkEvent & { readonly kind: "reply" }): LinkState {
  if (state.status === "down" || !state.present) return state;
  const next = {
    ...state,
    lastReplyAtMs: atMs,
    ...(rttMs !== undefined && { rtt: smoothRtt(state.rtt, rttMs) }),
    streak: extendStreak(state.streak, sequence),
  };
  if (state.status === "connecting") return transition(next, "up", "Answers", atMs);
  if (state.status !== "failed") return assessLoss(withOutcome(next, sequence, true), atMs);
  if (next.streak.length < healthTiming.returnReplies) return next;
  return transition(next, "up", `Answers again after ${inSeconds(atMs - state.sinceMs)}`, atMs);
}

function extendStreak(streak: LinkState["streak"], sequence: number): LinkState["streak"] {
  if (sequence <= streak.sequence) return streak;
  return { sequence, length: sequence === streak.sequence + 1 ? streak.length + 1 : 1 };
}

/**
 * A greeting whose first packet got lost is answered a second later, for the kernel says it again. Believed at once, one such
 * answer would make us wait longer for all that follow; a way that has become slow says so again and again.
 */
function smoothRtt(rtt: LinkState["rtt"], measuredMs: number): NonNullable<LinkState["rtt"]> {
  if (!rtt) return { ms: measuredMs, varianceMs: measuredMs / 2 };
  const rttMs = Math.min(measuredMs, 2 * rtt.ms + 4 * rtt.varianceMs + 100);
  return {
    ms: rtt.ms + (rttMs - rtt.ms) / 8,
    varianceMs: rtt.varianceMs + (Math.abs(rttMs - rtt.ms) - rtt.varianceMs) / 4,
  };
}

const withOutcome = (state: LinkState, sequence: number, answered: boolean): LinkState => ({
  ...state,
  outcomes: recordOutcome(state.outcomes, { sequence, answered }, healthTiming.window),
});

/**
 * Loss makes a way degraded soon and good again late: as many losses as are too many for a full window are too many
 * for a shorter one too, but a good word takes a full window that stays good.
 */
function assessLoss(state: LinkState, atMs: number): LinkState {
  const { lost, of } = lossIn(state.outcomes);
  if (state.status === "up" && lost >= healthTiming.window * healthTiming.degradedLoss) {
    const reason = `Loses packets: ${lost} of the last ${of} probes went unanswered`;
    return transition(state, "degraded", reason, atMs);
  }
  if (state.status !== "degraded") return state;
  if (of < healthTiming.window || lost >= of * healthTiming.calmLoss) return { ...state, stableSinceMs: atMs };
  const { stableSinceMs = atMs } = state;
  if (atMs - stableSinceMs < healthTiming.calmMs || atMs - state.sinceMs < healthTiming.degradedMs)
    return { ...state, stableSinceMs };
  return transition(state, "up", "Loses next to nothing any more", atMs);
}

/** A burst that nobody answered is the only thing that fails a way whose interface is there. */
function burstResult(
  state: LinkState,
  { atMs, startedAtMs, answered }: LinkEvent & { readonly kind: "burst" },
): LinkState {
  if (state.burst?.startedAtMs !== startedAtMs) return state;
  const { burst: _, ...over } = state;
  if (!isUsable(state)) return over;
  if (answered) return { ...over, lastReplyAtMs: atMs, traffic: trustAfterReply(state.traffic, atMs) };
  if (state.lastReplyAtMs >= startedAtMs) return over;
  return transition(
    over,
    "failed",
    `It stopped answering: silent for ${inSeconds(atMs - state.lastReplyAtMs)}, then no answer to a burst of probes`,
    atMs,
  );
}

function connectTimeout(state: LinkState, atMs: number): LinkState {
  if (state.status !== "connecting" || atMs - state.sinceMs < healthTiming.connectMs) return state;
  const silence = state.present ? "No probe was answered" : "Its interface did not appear";
  return transition(state, "failed", `${silence} within ${inSeconds(atMs - state.sinceMs)}`, atMs);
}

/** A late answer, or traffic that only goes one way, is no proof of anything. It is a reason to ask in earnest. */
function startBurstIfSuspect(state: LinkState, atMs: number): LinkState {
  if (!isUsable(state) || state.burst || !state.present || state.isUnprobed) return state;
  const isLate = atMs - state.lastReplyAtMs > probeIntervalMs(state) * timerSlack + latenessMs(state);
  return isLate || state.traffic.isOneSided ? { ...state, burst: { startedAtMs: atMs } } : state;
}

/** ping waits a few milliseconds longer than it is told. */
const timerSlack = 1.03;

const latenessMs = ({ rtt }: LinkState): number => clamp(healthTiming.latenessMs, 100 + 4 * (rtt?.varianceMs ?? 0));

function transition(state: LinkState, status: Status, reason: string, atMs: number): LinkState {
  const { burst, stableSinceMs: _, ...rest } = state;
  const isFailTransition = (status === "failed") !== (state.status === "failed") && status !== "down";
  const failTransitionsMs = isFailTransition
    ? [...state.failTransitionsMs.filter((at) => atMs - at < healthTiming.flapMs), atMs]
    : state.failTransitionsMs;
  const isFlap = failTransitionsMs.length >= healthTiming.flapTurns;
  const staysUsable = isUsable(state) && isUsable({ status });
  return {
    ...rest,
    status,
    reason,
    sinceMs: atMs,
    ...(staysUsable && burst && { burst }),
    ...(!staysUsable && { outcomes: [], traffic: noTraffic }),
    streak: status === "failed" ? noStreak : state.streak,
    changes: state.changes + 1,
    failTransitionsMs: isFlap ? [] : failTransitionsMs,
    flaps: state.flaps + (isFlap ? 1 : 0),
  };
}

const noStreak: LinkState["streak"] = { sequence: -1, length: 0 };

const clamp = ({ least, most }: { readonly least: number; readonly most: number }, value: number): number =>
  Math.min(most, Math.max(least, value));

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
