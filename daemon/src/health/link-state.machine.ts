import { because, type Reason } from "@portcullis/contract/reason";
import { trustAfterReply, noTraffic, type Traffic, updateTraffic } from "./traffic.machine.ts";
import { lossIn, recordOutcome, type Outcome } from "./loss-window.machine.ts";

/** Only a link that is `up` or `degraded` forwards packets. */
export type Status = "down" | "connecting" | "up" | "degraded" | "failed";

/** The state of one link: a tunnel, a proxy or an uplink. Times are monotonic milliseconds. */
export interface LinkState {
  readonly status: Status;
  readonly reason: Reason;
  readonly sinceMs: number;
  readonly wanted: boolean;
  readonly present: boolean;
  readonly inUse: boolean;
  /** No probes are sent: the state of its interface alone decides. */
  readonly isUnprobed: boolean;
  /** The last reply, or the time from which one is expected. */
  readonly lastReplyAtMs: number;
  /** Smoothed as in TCP (RFC 6298): the round-trip time and its variation. */
  readonly rtt?: { readonly ms: number; readonly varianceMs: number };
  readonly outcomes: readonly Outcome[];
  /** How many consecutive regular probes were answered, and the last of them. */
  readonly streak: { readonly sequence: number; readonly length: number };
  /** Set while the caller has to send a burst of quick probes and report its result. */
  readonly burst?: { readonly startedAtMs: number };
  readonly traffic: Traffic;
  /** Since when the loss of a degraded link is low. */
  readonly stableSinceMs?: number;
  /** Transitions into and out of `failed` within the flap window. */
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
  /** Sequence numbers of regular probes rise by one and never restart. */
  | { readonly kind: "reply"; readonly sequence: number; readonly rttMs?: number | undefined }
  | { readonly kind: "round trip"; readonly rttMs: number }
  | { readonly kind: "missed"; readonly sequence: number }
  | { readonly kind: "burst"; readonly startedAtMs: number; readonly answered: boolean }
  /** Packet counters of the interface. */
  | { readonly kind: "traffic"; readonly sent: number; readonly received: number }
  | { readonly kind: "time" }
);

/** Chosen so that a failure and a recovery are detected within two seconds. */
export const healthTiming = {
  /** Probe intervals: link in use, standby link, and both while they get no replies. */
  inUseMs: 500,
  idleMs: 2000,
  searchMs: 300,
  idleSearchMs: 1000,
  /** Tolerated lateness of a reply. It depends on the variation of round trips, not on their length. */
  latenessMs: { min: 120, max: 250 },
  /** Duration of a burst, and the wait for a reply to its last probe. */
  burstMs: 450,
  answerMs: { min: 200, max: 1500 },
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

/** A link that is not enabled yet. */
export function initialState(atMs: number): LinkState {
  return {
    status: "down",
    reason: because("link_not_wanted"),
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

/** The state of the previous daemon counts until probes have a result, so that a restart moves no traffic. */
export function resumedState(
  atMs: number,
  saved: Pick<LinkState, "status" | "reason" | "changes" | "flaps" | "failTransitionsMs">,
  /** For how long it has had this status. */
  forMs: number,
): LinkState {
  const { status, reason, changes, flaps, failTransitionsMs } = saved;
  const kept = { status, reason, changes, flaps, failTransitionsMs };
  return { ...initialState(atMs), wanted: true, present: true, ...kept, sinceMs: atMs - Math.max(0, forMs) };
}

export const isUsable = ({ status }: { readonly status: Status }): boolean => status === "up" || status === "degraded";

/** The current interval of regular probes. */
export function probeIntervalMs(state: LinkState): number {
  if (!isUsable(state)) return state.inUse ? healthTiming.searchMs : healthTiming.idleSearchMs;
  return state.inUse ? healthTiming.inUseMs : healthTiming.idleMs;
}

/** Long enough for a satellite link: a shorter limit would fail a working link. */
const unmeasured = { ms: 500, varianceMs: 100 };

/** The time limit of a burst. */
export function burstLimitMs({ rtt = unmeasured }: LinkState): number {
  return healthTiming.burstMs + Math.round(clamp(healthTiming.answerMs, rtt.ms + 2 * rtt.varianceMs + 50));
}

/** The state of a link after an event. */
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

/** A link without probes is up while its interface is. The reason says that nothing else is known. */
const upIfUnprobed = (state: LinkState, atMs: number): LinkState =>
  state.isUnprobed && state.wanted && state.present && !isUsable(state)
    ? transition(state, "up", because("link_unprobed"), atMs)
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
      : { ...transition(known, "down", because("link_not_wanted"), atMs), failTransitionsMs: [] };
  if (state.status === "down") {
    const waiting = transition(known, "connecting", waitingFor(present), atMs);
    return { ...waiting, lastReplyAtMs: atMs, streak: noStreak };
  }
  if (present === state.present) return known;
  if (!present && isUsable(state)) return transition(known, "failed", because("link_interface_gone"), atMs);
  return { ...known, reason: waitingFor(present), streak: noStreak, lastReplyAtMs: atMs };
}

const waitingFor = (present: boolean): Reason => because(present ? "link_awaits_reply" : "link_awaits_interface");

function replyReceived(state: LinkState, { atMs, sequence, rttMs }: LinkEvent & { readonly kind: "reply" }): LinkState {
  if (state.status === "down" || !state.present) return state;
  const next = {
    ...state,
    lastReplyAtMs: atMs,
    ...(rttMs !== undefined && { rtt: smoothRtt(state.rtt, rttMs) }),
    streak: extendStreak(state.streak, sequence),
  };
  if (state.status === "connecting") return transition(next, "up", because("link_answers"), atMs);
  if (state.status !== "failed") return assessLoss(withOutcome(next, sequence, true), atMs);
  if (next.streak.length < healthTiming.returnReplies) return next;
  return transition(next, "up", because("link_answers_again", { after_ms: atMs - state.sinceMs }), atMs);
}

function extendStreak(streak: LinkState["streak"], sequence: number): LinkState["streak"] {
  if (sequence <= streak.sequence) return streak;
  return { sequence, length: sequence === streak.sequence + 1 ? streak.length + 1 : 1 };
}

/**
 * A SOCKS5 probe whose first packet got lost is answered a second later, after the kernel's retransmission. One such sample must
 * not raise the limits of all that follow; a link that has become slow yields many of them.
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
 * A link becomes degraded early and up again late: the number of losses that is too high for a full window is too high
 * for a shorter one too, but the return takes a full window that stays good.
 */
function assessLoss(state: LinkState, atMs: number): LinkState {
  const { lost, of } = lossIn(state.outcomes);
  if (state.status === "up" && lost >= healthTiming.window * healthTiming.degradedLoss) {
    return transition(state, "degraded", because("link_lossy", { lost, probes: of }), atMs);
  }
  if (state.status !== "degraded") return state;
  if (of < healthTiming.window || lost >= of * healthTiming.calmLoss) return { ...state, stableSinceMs: atMs };
  const { stableSinceMs = atMs } = state;
  if (atMs - stableSinceMs < healthTiming.calmMs || atMs - state.sinceMs < healthTiming.degradedMs)
    return { ...state, stableSinceMs };
  return transition(state, "up", because("link_loss_over"), atMs);
}

/** Only a burst without a reply fails a link whose interface exists. */
function burstResult(
  state: LinkState,
  { atMs, startedAtMs, answered }: LinkEvent & { readonly kind: "burst" },
): LinkState {
  if (state.burst?.startedAtMs !== startedAtMs) return state;
  const { burst: _, ...over } = state;
  if (!isUsable(state)) return over;
  if (answered) return { ...over, lastReplyAtMs: atMs, traffic: trustAfterReply(state.traffic, atMs) };
  if (state.lastReplyAtMs >= startedAtMs) return over;
  return transition(over, "failed", because("link_silent", { silence_ms: atMs - state.lastReplyAtMs }), atMs);
}

function connectTimeout(state: LinkState, atMs: number): LinkState {
  if (state.status !== "connecting" || atMs - state.sinceMs < healthTiming.connectMs) return state;
  const cause = state.present ? "link_never_answered" : "link_interface_missing";
  return transition(state, "failed", because(cause, { limit_ms: atMs - state.sinceMs }), atMs);
}

/** A late reply, or traffic in one direction only, proves nothing. It starts a burst. */
function startBurstIfSuspect(state: LinkState, atMs: number): LinkState {
  if (!isUsable(state) || state.burst || !state.present || state.isUnprobed) return state;
  const isLate = atMs - state.lastReplyAtMs > probeIntervalMs(state) * timerSlack + latenessMs(state);
  return isLate || state.traffic.isOneSided ? { ...state, burst: { startedAtMs: atMs } } : state;
}

/** ping waits a few milliseconds longer than its interval option. */
const timerSlack = 1.03;

const latenessMs = ({ rtt }: LinkState): number => clamp(healthTiming.latenessMs, 100 + 4 * (rtt?.varianceMs ?? 0));

function transition(state: LinkState, status: Status, reason: Reason, atMs: number): LinkState {
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

const clamp = ({ min, max }: { readonly min: number; readonly max: number }, value: number): number =>
  Math.min(max, Math.max(min, value));
