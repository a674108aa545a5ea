import type { Announce } from "@portcullis/contract/events";
import { isActiveAt } from "@portcullis/contract/schedule-times";
import type { Schedule } from "@portcullis/contract/subsystems/schedules";
import type { Ledger } from "../../ledger/ledger.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly now: () => Date;
  /** Milliseconds since the machine started. */
  readonly sinceBootMs: () => number;
  readonly announce: Announce;
  /** The rules have to be compiled again. */
  readonly onChange: () => void;
}

/**
 * Sends an event when a schedule begins or ends, and has the rules compiled again; also when the clock was set, since the kernel
 * has the ends of periods by another clock.
 */
export function watchSchedules({ ledger, now, sinceBootMs, announce, onChange }: Needs): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let known = new Map<string, boolean>();
  let startMs = now().getTime() - sinceBootMs();
  const collection = ledger.staged<Schedule>("schedule");

  function look(): void {
    clearTimeout(timer);
    const date = now();
    const schedules = collection.all();
    const current = new Map(schedules.map((it) => [it.id, isActiveAt(it, date)]));
    const changed = schedules.filter(({ id }) => known.has(id) && known.get(id) !== current.get(id));
    known = current;
    for (const { id, name } of changed) announce(current.get(id) ? "schedule.started" : "schedule.ended", { id, name });
    const start = date.getTime() - sinceBootMs();
    const wasSet = Math.abs(start - startMs) >= setMs;
    if (wasSet) startMs = start;
    if (changed.length > 0 || (wasSet && schedules.length > 0)) onChange();
    const untilMinuteMs = minuteMs - (date.getTime() % minuteMs);
    if (schedules.length > 0) timer = setTimeout(look, Math.min(untilMinuteMs, longestWaitMs));
  }

  ledger.watch(({ revision }) => revision !== undefined && look());
  look();
  return { stop: () => clearTimeout(timer) };
}

const minuteMs = 60_000;
/** A clock that is adjusted moves by less between two looks. */
const setMs = 1000;
/** Limit of the timer, so that schedules stay correct when the clock is set. */
const longestWaitMs = 10_000;
