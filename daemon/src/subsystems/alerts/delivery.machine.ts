import { because, type Reason } from "@portcullis/contract/reason";
import type { PublishedAlertChannel } from "@portcullis/contract/subsystems/alert-channels";
import type { StoredAlert } from "./alerts.machine.ts";

/** A message about an alert for one channel, as it is stored. */
export interface StoredDelivery {
  readonly delivery: string;
  /** Its position: messages of a channel are sent in this order. */
  readonly number: number;
  readonly channelId: string;
  readonly event: "raised" | "resolved";
  /** The alert at that time. */
  readonly alert: StoredAlert;
  readonly createdMs: number;
  /** Start of the time after which it is given up. */
  readonly sinceMs: number;
  readonly attempts: number;
  readonly lastMs: number | null;
  /** From the last attempt until the next. */
  readonly waitMs: number;
  readonly failure: Reason | null;
  readonly finished: { readonly ms: number; readonly how: "delivered" | "given_up" } | null;
}

/** How an attempt ended. */
export type Outcome =
  | { readonly kind: "accepted"; readonly reason: Reason }
  /** Another attempt would have the same result. */
  | { readonly kind: "refused"; readonly reason: Reason }
  | { readonly kind: "failed"; readonly reason: Reason; readonly retryAfterMs?: number };

export const limits = {
  firstWaitMs: 2000,
  longestWaitMs: 600_000,
  givenUpAfterMs: 3 * 86_400_000,
  /** A clock that jumps forward gives up nothing by itself. */
  attemptsAtLeast: 100,
  waiting: 1000,
  finished: 1000,
  keptMs: 30 * 86_400_000,
};

/** The next message of a channel: in order, except that critical ones pass the others in quiet hours. */
export const headOf = (waiting: readonly StoredDelivery[], isQuiet: boolean): StoredDelivery | undefined =>
  isQuiet ? waiting.find((it) => it.alert.severity === "critical") : waiting[0];

/** When the next attempt may start. */
export const dueMs = ({ createdMs, lastMs, waitMs }: StoredDelivery): number =>
  lastMs === null ? createdMs : lastMs + waitMs;

/** Times in the future: the clock was set back. Waiting starts anew, so that nothing waits for the clock of before. */
export function rebased(it: StoredDelivery, nowMs: number): StoredDelivery {
  const isAhead = it.sinceMs > nowMs || it.createdMs > nowMs || (it.lastMs ?? 0) > nowMs;
  if (!isAhead) return it;
  const { createdMs, sinceMs, lastMs } = it;
  return {
    ...it,
    createdMs: Math.min(createdMs, nowMs),
    sinceMs: Math.min(sinceMs, nowMs),
    lastMs: lastMs === null ? null : Math.min(lastMs, nowMs),
  };
}

export function afterAttempt(it: StoredDelivery, outcome: Outcome, nowMs: number): StoredDelivery {
  const attempts = it.attempts + 1;
  const tried = { ...it, attempts, lastMs: nowMs };
  if (outcome.kind === "accepted")
    return { ...tried, failure: null, waitMs: 0, finished: { ms: nowMs, how: "delivered" } };
  const givenUp = { ...tried, waitMs: 0, finished: { ms: nowMs, how: "given_up" } } as const;
  if (outcome.kind === "refused") return { ...givenUp, failure: outcome.reason };
  const { reason, retryAfterMs = 0 } = outcome;
  if (nowMs - it.sinceMs >= limits.givenUpAfterMs && attempts >= limits.attemptsAtLeast)
    return { ...givenUp, failure: because("delivery_expired", { attempts, why: reason }) };
  const wanted = Math.max(retryAfterMs, limits.firstWaitMs * 2 ** Math.min(attempts - 1, 20));
  return { ...tried, failure: reason, waitMs: Math.min(wanted, limits.longestWaitMs) };
}

/** It waits again, at its old position, and its next attempt is due. */
export const retried = (it: StoredDelivery, nowMs: number): StoredDelivery => ({
  ...it,
  sinceMs: nowMs,
  attempts: 0,
  lastMs: null,
  createdMs: Math.min(it.createdMs, nowMs),
  waitMs: 0,
  finished: null,
});

/** What is too much: the oldest that are not critical first. The one that is being sent stays. */
export function excess(waiting: readonly StoredDelivery[], activeId: string | undefined): readonly StoredDelivery[] {
  const surplus = waiting.length - limits.waiting;
  if (surplus <= 0) return [];
  const others = waiting.filter((it) => it.delivery !== activeId);
  const isCritical = ({ alert }: StoredDelivery) => alert.severity === "critical";
  return [...others.filter((it) => !isCritical(it)), ...others.filter(isCritical)].slice(0, surplus);
}

/** Finished ones, the oldest first, that are no longer kept. */
export const outdated = (finished: readonly StoredDelivery[], nowMs: number): readonly StoredDelivery[] =>
  finished.filter((it, index) => finished.length - index > limits.finished || nowMs - it.finished!.ms > limits.keptMs);

type QuietHours = PublishedAlertChannel["quiet_hours"];

export function isQuietAt(quiet: QuietHours, minuteOfDay: number): boolean {
  if (quiet === null) return false;
  const [from, to] = [minutesOf(quiet.from), minutesOf(quiet.to)];
  return from <= to ? minuteOfDay >= from && minuteOfDay < to : minuteOfDay >= from || minuteOfDay < to;
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(":").map(Number);
  return hours! * 60 + minutes!;
}
