/** Entries that can be put back after their removal. */
export const removable = [
  "dnsFilterRules",
  "dnsAllowlist",
  "dnsBlocklist",
  "dnsRewrites",
  "dnsForwarders",
  "dnsRecords",
] as const;
export type Entries = (typeof removable)[number];

/** Of what was read, the fields that create it anew: not its id, and no names that are only shown. */
export const creating = (row: object): object =>
  Object.fromEntries(Object.entries(row).filter(([field]) => !shownOnly.includes(field)));

const shownOnly = ["id", "zone_name", "source_name"];
