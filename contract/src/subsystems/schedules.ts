import Type, { type Static } from "typebox";
import { collection } from "../collection.ts";
import { weekdays } from "../schedule-times.ts";
import { Id, Name, named, Nullable, OneOf, Text, TimeOfDay, Timestamp } from "../values.ts";

const times = {
  days: Type.Array(OneOf(weekdays), {
    minItems: 1,
    maxItems: 7,
    uniqueItems: true,
    description: "Days on which it starts",
  }),
  from: { ...TimeOfDay, description: "Start, in the time zone of the gateway" },
  to: { ...TimeOfDay, description: "End; not after the start: on the next day" },
};
const options = { note: Text("Purpose of the schedule") };

export const Schedule = Type.Object({ id: Id, name: Name, ...times, ...options });
export type Schedule = Readonly<Static<typeof Schedule>>;

const ShownSchedule = named(
  "Schedule",
  Type.Object({
    ...Schedule.properties,
    active: Type.Boolean({ description: "Whether it is active now" }),
    next_change_at: Nullable({ ...Timestamp, description: "When `active` changes; null: never" }),
  }),
);
export type ShownSchedule = Readonly<Static<typeof ShownSchedule>>;

/** Times of the week, for filter rules and policies. */
export const schedules = collection({
  path: "/schedules",
  noun: "schedule",
  resource: ShownSchedule,
  required: { name: Name, ...times },
  optional: options,
  cli: "schedules",
  columns: ["id", "name", "days", "from", "to", "active", "next_change_at"],
});
