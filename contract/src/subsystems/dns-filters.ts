import Type, { type Static } from "typebox";
import { collection } from "../collection.ts";
import { Id, Name, named, OneOf, Text } from "../values.ts";
import { Domain, DnsSourceTypeName, dnsSource, storedDnsSource, sourceName } from "./dns-source.ts";

/** A runaway script must not make every question slow to answer. */
export const dnsLimits = { rules: 20_000, entries: 50_000, rewrites: 20_000 } as const;

const FilterAction = OneOf(["allow", "block"]);
const FilterMatch = OneOf(["exact", "suffix", "wildcard", "regex"], {
  description:
    "exact: that name; suffix: it and all names below; wildcard: all names below, not itself; regex: names an expression fits",
});

const ruleFields = {
  name: Name,
  action: FilterAction,
  match: FilterMatch,
  pattern: Type.String({
    minLength: 1,
    maxLength: 512,
    description: "Domain name, or a regular expression over the name in lower case without its final dot",
  }),
};
const ruleOptions = { enabled: Type.Boolean({ default: true }), note: Text("Why it is there") };

export const DnsFilterRule = Type.Object({ id: Id, ...ruleFields, ...storedDnsSource, ...ruleOptions });
const ShownRule = named("DnsFilterRule", Type.Object({ ...DnsFilterRule.properties, ...sourceName }));
export type DnsFilterRule = Readonly<Static<typeof DnsFilterRule>>;

export const dnsFilterRules = collection({
  path: "/dns/filter-rules",
  noun: "filter rule",
  key: "dns_filter_rule",
  resource: ShownRule,
  required: ruleFields,
  optional: { ...dnsSource, ...ruleOptions },
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

const entryFields = { domain: { ...Domain, description: "It and every name below" } };
const entryOptions = { note: Text("Why it is there") };
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
  description: "What is answered. Several A and AAAA of one name are answered together",
});
const rewriteOptions = {
  match: RewriteMatch,
  value: Type.String({ maxLength: 254, description: "Address or name to answer; empty for NXDOMAIN" }),
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
