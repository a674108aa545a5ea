import { because, type Reason } from "@portcullis/contract/reason";
import type { SchedulePeriod } from "../compiler/input/scheduled.ts";
import type { Resources } from "../compiler/input/read-document.ts";

/** Adds which schedule a policy has, and until when it is active or not. */
export function scheduleReasons(
  { routing_policy, schedule = [] }: Resources,
  periods: readonly SchedulePeriod[],
): (policyId: string | undefined, why: Reason) => Reason {
  const names = new Map(schedule.map(({ id, name }) => [id, name]));
  const byId = new Map(periods.map((it) => [it.id, it]));
  const ofPolicy = new Map(
    routing_policy.flatMap(({ id, schedule_id }) => (schedule_id ? [[id, schedule_id] as const] : [])),
  );
  return (policyId, why) => {
    const id = ofPolicy.get(policyId ?? "");
    if (id === undefined) return why;
    const period = byId.get(id);
    if (!period) return because("schedule_unknown");
    if (period.untilMs === null) return why;
    const [name, until] = [names.get(id) ?? id, new Date(period.untilMs).toISOString()];
    return period.active
      ? because("schedule_active", { why, schedule: name, until })
      : because("schedule_waits", { schedule: name, until });
  };
}
