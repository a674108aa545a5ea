import { isActiveAt, type Period, periodFinder } from "@portcullis/contract/schedule-times";
import type { Policy } from "@portcullis/contract/subsystems/routing";
import type { Schedule } from "@portcullis/contract/subsystems/schedules";
import type { IntentPolicy, IntentWindow } from "./intent.ts";
import type { DnsResources } from "./read-dns.ts";

/** The schedules that are not active, in one string: rules are compiled again when it changes. */
export const inactiveSchedules = ({ schedule = [] }: DnsResources, date: Date): string =>
  schedule
    .filter((it) => !isActiveAt(it, date))
    .map(({ id }) => id)
    .join(" ");

/** The resources with the rules of inactive schedules disabled. Policies are different: `readPeriods` and `divided`. */
export function withoutInactive<R extends DnsResources>(resources: R, inactive: string): R {
  if (inactive === "") return resources;
  const ids = new Set(inactive.split(" "));
  return {
    ...resources,
    dns_filter_rule:
      resources.dns_filter_rule?.filter(({ schedule_id }) => !schedule_id || !ids.has(schedule_id)) ?? [],
  };
}

/** The current period of a schedule that policies have. */
export interface SchedulePeriod {
  readonly id: string;
  readonly active: boolean;
  /** In milliseconds of the wall clock; null: it never changes. */
  readonly fromMs: number | null;
  readonly untilMs: number | null;
  /** Its end in seconds since the machine started. With a clock that was set it is another one. */
  readonly untilUptimeSec: number | null;
}

interface Scheduled {
  readonly schedule?: readonly Schedule[];
  readonly routing_policy: readonly Pick<Policy, "enabled" | "schedule_id">[];
}

/** What the two clocks say. */
export interface Clocks {
  readonly wallMs: number;
  readonly sinceBootMs: number;
}

/** The periods of the schedules of enabled policies at a moment. */
export const periodsAt = (resources: Scheduled, at: Date): readonly SchedulePeriod[] =>
  periodReader()(resources, { wallMs: at.getTime(), sinceBootMs: 0 });

/**
 * The same for each cycle. The result is the identical object until a period ends or the wall clock is set: periods of a clock
 * that was set would end at another moment in the kernel.
 */
export function periodReader(): (resources: Scheduled, clocks: Clocks) => readonly SchedulePeriod[] {
  const find = periodFinder();
  let last: { readonly text: string; readonly periods: readonly SchedulePeriod[] } | undefined;
  let bootMs = Number.NaN;
  return (resources, { wallMs, sinceBootMs }) => {
    const booted = wallMs - sinceBootMs;
    if (!(Math.abs(booted - bootMs) < clockToleranceMs)) bootMs = booted;
    const used = new Set(resources.routing_policy.flatMap((it) => (it.enabled && it.schedule_id) || []));
    const periods = (used.size === 0 ? [] : (resources.schedule ?? []))
      .filter(({ id }) => used.has(id))
      .map((schedule) => ({ id: schedule.id, ...withUptime(find(schedule, new Date(wallMs)), bootMs) }));
    const text = JSON.stringify(periods);
    if (last?.text !== text) last = { text, periods };
    return last.periods;
  };
}

/** A clock that is adjusted moves by less between two cycles; one that is set moves by more. */
const clockToleranceMs = 1000;

function withUptime({ active, from, until }: Period, bootMs: number): Omit<SchedulePeriod, "id"> {
  const untilMs = until?.getTime() ?? null;
  const untilUptimeSec = untilMs === null ? null : Math.round((untilMs - bootMs) / 1000);
  return { active, fromMs: from?.getTime() ?? null, untilMs, untilUptimeSec };
}

export interface Divided {
  /** In force now. */
  readonly policies: readonly IntentPolicy[];
  /** Enabled, and their schedule is not active. */
  readonly waiting: readonly IntentPolicy[];
  /** What ends with the current period of each schedule. */
  readonly windows: readonly IntentWindow[];
}

/**
 * Enabled policies → those in force, and those that wait. Without periods all are in force. One whose schedule does not exist
 * blocks what it matches: it is unknown when it applies.
 */
export function divided(policies: readonly IntentPolicy[], periods: readonly SchedulePeriod[] | undefined): Divided {
  const scheduled = policies.filter(({ scheduleId }) => scheduleId !== undefined);
  if (!periods || scheduled.length === 0) return { policies, waiting: [], windows: [] };
  const byId = new Map(periods.map((it) => [it.id, it]));
  const periodOf = ({ scheduleId }: IntentPolicy) => (scheduleId === undefined ? always : byId.get(scheduleId));
  const isWaiting = (policy: IntentPolicy) => periodOf(policy)?.active === false;
  return {
    policies: policies.filter((it) => !isWaiting(it)).map((it) => (periodOf(it) ? it : { ...it, ...blocking })),
    waiting: policies.filter(isWaiting),
    windows: [...Map.groupBy(scheduled, ({ scheduleId }) => scheduleId!)].flatMap(([scheduleId, concerned]) => {
      const { fromMs, untilMs, untilUptimeSec } = byId.get(scheduleId) ?? always;
      return fromMs === null || untilMs === null || untilUptimeSec === null
        ? []
        : [{ scheduleId, fromMs, untilMs, untilUptimeSec, policies: concerned }];
    }),
  };
}

const always: Omit<SchedulePeriod, "id"> = { active: true, fromMs: null, untilMs: null, untilUptimeSec: null };
const blocking = { hops: [], failPolicy: "fail-closed", splitting: false } as const;
