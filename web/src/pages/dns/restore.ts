/** Entries that can be restored after their removal. */
export const removable = [
  "dnsFilterRules",
  "dnsAllowlist",
  "dnsBlocklist",
  "dnsRewrites",
  "dnsForwarders",
  "dnsRecords",
  "schedules",
] as const;
export type Entries = (typeof removable)[number];

/** The writable fields of an entry: without its id and display names. */
export const creating = (row: object): object =>
  Object.fromEntries(Object.entries(row).filter(([field]) => !shownOnly.includes(field)));

const shownOnly = ["id", "zone_name", "source_name", "active", "next_change_at"];
