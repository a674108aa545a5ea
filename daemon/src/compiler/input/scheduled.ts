import { isActiveAt } from "@portcullis/contract/schedule-times";
import type { DnsResources } from "./read-dns.ts";

/** The schedules that are not active, in one string: rules are compiled again when it changes. */
export const inactiveSchedules = ({ schedule = [] }: DnsResources, date: Date): string =>
  schedule
    .filter((it) => !isActiveAt(it, date))
    .map(({ id }) => id)
    .join(" ");

/** The resources with the rules of inactive schedules disabled. */
export function withoutInactive<R extends DnsResources>(resources: R, inactive: string): R {
  if (inactive === "") return resources;
  const ids = new Set(inactive.split(" "));
  return {
    ...resources,
    dns_filter_rule:
      resources.dns_filter_rule?.filter(({ schedule_id }) => !schedule_id || !ids.has(schedule_id)) ?? [],
  };
}
