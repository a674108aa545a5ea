import type { InputOf } from "@portcullis/contract/endpoint";
import { isActiveAt, nextChangeAfter } from "@portcullis/contract/schedule-times";
import type { Schedule, schedules, ShownSchedule } from "@portcullis/contract/subsystems/schedules";
import { type NamedNeeds, namedResource } from "../named.ts";
import { given, newId } from "../resources.ts";

type Create = InputOf<typeof schedules.create>["body"];
type Update = InputOf<typeof schedules.update>["body"];

/** Times of the week that rules refer to. */
export const scheduleService = ({ ledger, refuseInUse }: NamedNeeds) =>
  namedResource({
    ledger,
    refuseInUse,
    kind: "schedule",
    noun: "schedule",
    create: (body: Create): Schedule => ({ note: "", ...body, id: newId() }),
    update: (before: Schedule, body: Update): Schedule => ({ ...before, ...given(body) }),
  });

/** Adds whether a schedule is active, and until when. */
export const withState =
  (now: () => Date) =>
  (schedule: Schedule): ShownSchedule => ({
    ...schedule,
    active: isActiveAt(schedule, now()),
    next_change_at: nextChangeAfter(schedule, now())?.toISOString() ?? null,
  });
