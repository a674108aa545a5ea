import { periodFinder } from "@portcullis/contract/schedule-times";
import type { Policy, ShownPolicy } from "@portcullis/contract/subsystems/routing";
import type { Schedule } from "@portcullis/contract/subsystems/schedules";
import type { Ledger } from "../ledger/ledger.ts";
import { withSourceName } from "./source-names.ts";

/** Adds the name of what a policy applies to, and the state of its schedule. */
export function shownPolicy(ledger: Ledger, now: () => Date): (policy: Policy) => ShownPolicy {
  const named = withSourceName(ledger);
  const schedules = ledger.staged<Schedule>("schedule");
  const find = periodFinder();
  const stateOf = (schedule: Schedule | undefined): ShownPolicy["schedule"] => {
    if (!schedule) return null;
    const { active, until } = find(schedule, now());
    return { name: schedule.name, active, next_change_at: until?.toISOString() ?? null };
  };
  return (policy) => ({ ...named(policy), schedule: stateOf(schedules.get(policy.schedule_id ?? "")) });
}
