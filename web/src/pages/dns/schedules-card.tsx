import { weekdays } from "@portcullis/contract/schedule-times";
import type { ShownSchedule } from "@portcullis/contract/subsystems/schedules";
import { useQuery } from "@tanstack/react-query";
import { allRows } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { EntryDialog } from "../../ui/body-form.tsx";
import { EntryTable } from "../../ui/entry-table.tsx";
import { useRemoval } from "./removal.ts";

/** Times of the week that filter rules refer to. */
export function SchedulesCard() {
  const t = useTranslation().dns.rules;
  const query = useQuery({ ...allRows("schedules", "list"), refetchInterval: 60_000 });
  const remove = useRemoval("schedules");
  return (
    <EntryTable
      title={t.schedules.title}
      query={query}
      nameOf={({ name }) => name}
      empty={t.schedules.empty}
      subsystem="schedules"
      add={t.schedules.add}
      word="schedule"
      columns={[
        { key: "name", title: t.name, width: "1.3fr", cell: ({ name }) => name },
        { key: "days", title: t.schedules.days, width: "1.5fr", cell: (it) => <Days days={it.days} /> },
        { key: "times", title: t.schedules.times, width: "8rem", cell: ({ from, to }) => `${from}–${to}` },
        { key: "state", title: t.schedules.state, width: "1.5fr", cell: (it) => <StateNow schedule={it} /> },
      ]}
      dialog={(row, onClose) => <ScheduleDialog row={row} onClose={onClose} />}
      removal={(it) => remove(it, it.name)}
    />
  );
}

function Days({ days }: Pick<ShownSchedule, "days">) {
  const t = useTranslation().dns.rules.schedules;
  if (days.length === weekdays.length) return t.everyDay;
  return weekdays
    .filter((day) => days.includes(day))
    .map((day) => t.shortDays[day])
    .join(", ");
}

function StateNow({ schedule: { active, next_change_at } }: { readonly schedule: ShownSchedule }) {
  const t = useTranslation().dns.rules.schedules;
  const format = useFormat();
  const until = next_change_at === null ? "" : format.exact(new Date(next_change_at));
  return active ? t.active(until) : t.inactive(until);
}

function ScheduleDialog({ row, onClose }: { readonly row: ShownSchedule | undefined; readonly onClose: () => void }) {
  const t = useTranslation().dns.rules;
  return (
    <EntryDialog<"schedules", "name" | "days" | "from" | "to" | "note">
      of="schedules"
      row={row}
      first={{ days: ["sunday", "monday", "tuesday", "wednesday", "thursday"], from: "21:00", to: "07:00" }}
      onClose={onClose}
      invalidates={["dns", "dnsFilterRules"]}
      title={row ? t.edit(row.name) : t.schedules.add}
      fields={["name", "days", ["from", "to"], "note"]}
      texts={{
        name: t.name,
        days: { label: t.schedules.days, options: t.schedules.dayNames },
        from: t.schedules.from,
        to: { label: t.schedules.to, hint: t.schedules.toHint },
        note: t.note,
      }}
    />
  );
}
