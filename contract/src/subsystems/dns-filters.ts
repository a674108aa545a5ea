import Type, { type Static } from "typebox";
import { collection } from "../collection.ts";
import { Id, Name, named, Nullable, OneOf, Reference, ReferenceOrName, Text } from "../values.ts";
import { Domain, DnsSourceTypeName, dnsSource, storedDnsSource, sourceName } from "./dns-source.ts";

/** Limits, so that a runaway script does not slow down every query. */
export const dnsLimits = { rules: 20_000, serviceRules: 1000, entries: 50_000, rewrites: 20_000 } as const;

const FilterAction = OneOf(["allow", "block", "safe_search"], {
  description: "safe_search: the server of the service that has no adult results answers; only with the match service",
});
const FilterMatch = OneOf(["exact", "suffix", "wildcard", "regex", "service"], {
  description:
    "exact: the name itself; suffix: the name and its subdomains; wildcard: its subdomains only; regex: names that match the expression; service: all names of a service, or of a category of services",
});

const ruleFields = {
  name: Name,
  action: FilterAction,
  match: FilterMatch,
  pattern: Type.String({
    minLength: 1,
    maxLength: 512,
    description:
      "Domain name, a regular expression for the name in lower case without the final dot, or a service or category of `GET /dns/services`",
  }),
};
const ruleOptions = { enabled: Type.Boolean({ default: true }), note: Text("Reason of the entry") };
const scheduleDescription = "The rule applies while this schedule is active; null: always";

export const DnsFilterRule = Type.Object({
  id: Id,
  ...ruleFields,
  ...storedDnsSource,
  ...ruleOptions,
  schedule_id: Type.Optional(Nullable({ ...Reference("schedule"), description: scheduleDescription })),
});
const ShownRule = named("DnsFilterRule", Type.Object({ ...DnsFilterRule.properties, ...sourceName }));
export type DnsFilterRule = Readonly<Static<typeof DnsFilterRule>>;

export const dnsFilterRules = collection({
  path: "/dns/filter-rules",
  noun: "filter rule",
  key: "dns_filter_rule",
  resource: ShownRule,
  required: ruleFields,
  optional: {
    ...dnsSource,
    ...ruleOptions,
    schedule_id: Nullable({ ...ReferenceOrName("schedule"), description: scheduleDescription }),
  },
  filters: {
    source_type: DnsSourceTypeName,
    action: FilterAction,
    enabled: Type.Boolean(),
    name: Type.String({ maxLength: 254, description: "Part of the name or the pattern" }),
  },
  cli: "filter-rules",
  columns: ["id", "name", "action", "match", "pattern", "source_type", "source_name", "enabled"],
  idInQuery: true,
});

const entryFields = { domain: { ...Domain, description: "The domain and its subdomains" } };
const entryOptions = { note: Text("Reason of the entry") };
const entryFilters = {
  source_type: DnsSourceTypeName,
  domain: Type.String({ maxLength: 254, description: "Part of the domain" }),
};
const entryColumns = ["id", "domain", "source_type", "source_name", "note"];

export const DnsEntry = Type.Object({ id: Id, ...entryFields, ...storedDnsSource, ...entryOptions });
export type DnsEntry = Readonly<Static<typeof DnsEntry>>;
const shownEntry = (name: string) => named(name, Type.Object({ ...DnsEntry.properties, ...sourceName }));

export const dnsAllowlist = collection({
  path: "/dns/allowlist",
  noun: "allow entry",
  key: "dns_allow_entry",
  resource: shownEntry("DnsAllowEntry"),
  required: entryFields,
  optional: { ...dnsSource, ...entryOptions },
  filters: entryFilters,
  cli: "allowlist",
  columns: entryColumns,
  idInQuery: true,
});

export const dnsBlocklist = collection({
  path: "/dns/blocklist",
  noun: "block entry",
  key: "dns_block_entry",
  resource: shownEntry("DnsBlockEntry"),
  required: entryFields,
  optional: { ...dnsSource, ...entryOptions },
  filters: entryFilters,
  cli: "blocklist",
  columns: entryColumns,
  idInQuery: true,
});

const RewriteMatch = OneOf(["exact", "suffix", "wildcard"], { default: "exact" });
const RewriteAnswer = OneOf(["NXDOMAIN", "A", "AAAA", "CNAME"], {
  description: "The answer. Several A and AAAA rewrites of one name are answered together",
});
const rewriteOptions = {
  match: RewriteMatch,
  value: Type.String({ maxLength: 254, description: "Address or name in the answer; empty for NXDOMAIN" }),
  enabled: Type.Boolean({ default: true }),
};

export const DnsRewrite = Type.Object({
  id: Id,
  domain: Domain,
  answer: RewriteAnswer,
  ...storedDnsSource,
  ...rewriteOptions,
});
const ShownRewrite = named("DnsRewrite", Type.Object({ ...DnsRewrite.properties, ...sourceName }));
export type DnsRewrite = Readonly<Static<typeof DnsRewrite>>;

export const dnsRewrites = collection({
  path: "/dns/rewrites",
  noun: "rewrite",
  key: "dns_rewrite",
  resource: ShownRewrite,
  required: { domain: Domain, answer: RewriteAnswer },
  optional: { ...dnsSource, ...rewriteOptions },
  filters: { ...entryFilters, enabled: Type.Boolean() },
  cli: "rewrites",
  columns: ["id", "domain", "match", "answer", "value", "source_type", "source_name", "enabled"],
  idInQuery: true,
});
