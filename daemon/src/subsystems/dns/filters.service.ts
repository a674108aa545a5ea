import { parseAddress, formatAddress } from "../../net/addresses.ts";
import type { InputOf } from "@portcullis/contract/endpoint";
import type { DnsBlockChange } from "@portcullis/contract/subsystems/dns";
import {
  type DnsEntry,
  type dnsBlocklist,
  type DnsFilterRule,
  type dnsFilterRules,
  dnsLimits,
  type DnsRewrite,
  type dnsRewrites,
} from "@portcullis/contract/subsystems/dns-filters";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { given, newId, refuseField, resolveOptional } from "../resources.ts";
import { domainBelow, domainIn } from "./domains.ts";
import { entries, refuseMore, wanted } from "./entries.ts";
import type { ServicePatterns } from "./service-patterns.ts";
import { everyone, sameSource, sourceOf } from "./source.ts";

/** Why an expression is too expensive to be evaluated for every query; null if it is not. */
export type Affordable = (pattern: string) => string | null;

interface RuleNeeds {
  readonly ledger: Ledger;
  readonly affordable: Affordable;
  readonly patterns: ServicePatterns;
}

/** Filter rules: exact names, names with subdomains, regular expressions, or services. */
export function filterRuleService({ ledger, affordable, patterns }: RuleNeeds) {
  type Create = InputOf<typeof dnsFilterRules.create>["body"];
  type Update = InputOf<typeof dnsFilterRules.update>["body"];
  type Query = InputOf<typeof dnsFilterRules.list>["query"];

  const scheduleOf = ({ schedule_id }: Pick<Update, "schedule_id">) =>
    resolveOptional(ledger.staged("schedule"), "schedule_id", schedule_id);
  const normalize = (rule: DnsFilterRule): DnsFilterRule => ({ ...rule, pattern: patternOf(rule) });
  function patternOf({ id, action, match, pattern }: DnsFilterRule): string {
    if (match === "service") {
      const others = ledger.staged<DnsFilterRule>("dns_filter_rule").all();
      refuseMore(
        others.filter((it) => it.match === match && it.id !== id).length,
        dnsLimits.serviceRules,
        "rules for services",
      );
      return patterns.known(action, pattern);
    }
    if (action === "safe_search") return refuseField("action", "needs the match service");
    if (match === "exact") return domainIn("pattern", pattern);
    if (match !== "regex") return domainBelow("pattern", pattern);
    const reason = affordable(pattern);
    return reason === null ? pattern : refuseField("pattern", reason);
  }
  return entries<DnsFilterRule, Create, Update, Query>({
    ledger,
    kind: "dns_filter_rule",
    noun: "filter rule",
    limit: dnsLimits.rules,
    create: (body) =>
      normalize({
        enabled: true,
        note: "",
        ...body,
        schedule_id: scheduleOf(body) ?? null,
        ...sourceOf(ledger, everyone, body),
        id: newId(),
      }),
    update: (before, body) =>
      normalize({
        ...before,
        ...given({ ...body, schedule_id: scheduleOf(body) }),
        ...sourceOf(ledger, before, body),
      }),
    contradiction: (one, other) => {
      if (one.name === other.name) return "Another filter rule has this name";
      const isSame = one.match === other.match && one.pattern === other.pattern && sameSource(one, other);
      return isSame && (one.schedule_id ?? null) === (other.schedule_id ?? null)
        ? `The filter rule ${other.name} has the same pattern for the same source and schedule`
        : undefined;
    },
    matcher: ({ source_type, action, enabled, name }) =>
      wanted<DnsFilterRule>(given({ source_type, action, enabled }), {
        text: name,
        of: (rule) => [rule.name, rule.pattern],
      }),
  });
}

export type DomainList = ReturnType<typeof domainListService>;

/** The allowlist or the blocklist: domains with their subdomains, each for a source. */
export function domainListService({ ledger, list }: { ledger: Ledger; list: "allow" | "block" }) {
  type Create = InputOf<typeof dnsBlocklist.create>["body"];
  type Update = InputOf<typeof dnsBlocklist.update>["body"];
  type Query = InputOf<typeof dnsBlocklist.list>["query"];
  const kind = `dns_${list}_entry`;
  const collection = ledger.staged<DnsEntry>(kind);

  const normalize = (entry: DnsEntry): DnsEntry => ({ ...entry, domain: domainBelow("domain", entry.domain) });
  const forEveryone = (domain: string) =>
    collection.all().find((entry) => entry.domain === domain && sameSource(entry, everyone));
  const spelled = (domains: readonly string[]) => [
    ...new Set(domains.map((domain, index) => domainBelow(`domains.${index}`, domain))),
  ];

  return {
    ...entries<DnsEntry, Create, Update, Query>({
      ledger,
      kind,
      noun: `${list} entry`,
      limit: dnsLimits.entries,
      create: (body) => normalize({ note: "", ...body, ...sourceOf(ledger, everyone, body), id: newId() }),
      update: (before, body) => normalize({ ...before, ...given(body), ...sourceOf(ledger, before, body) }),
      contradiction: (one, other) =>
        one.domain === other.domain && sameSource(one, other)
          ? `${one.domain} is on the ${list}list for this source already`
          : undefined,
      matcher: ({ source_type, domain }) =>
        wanted<DnsEntry>(given({ source_type }), { text: domain, of: (entry) => [entry.domain] }),
    }),
    /** For everyone. Existing entries stay unchanged. */
    add: (cause: Cause, requested: readonly string[]): DnsBlockChange => {
      const domains = spelled(requested);
      const changed = domains.filter((domain) => !forEveryone(domain));
      refuseMore(collection.count() + changed.length - 1, dnsLimits.entries, `${list} entries`);
      ledger.change(cause, (draft) => {
        for (const domain of changed) draft.put(kind, { ...everyone, id: newId(), domain, note: "" } as DnsEntry);
        draft.about(`${list}list`, { domains: changed });
      });
      return { domains, changed };
    },
    /** For everyone. Missing entries are ignored. */
    drop: (cause: Cause, requested: readonly string[]): DnsBlockChange => {
      const domains = spelled(requested);
      const going = domains.flatMap((domain) => forEveryone(domain) ?? []);
      const changed = going.map(({ domain }) => domain);
      ledger.change(cause, (draft) => {
        for (const { id } of going) draft.remove(kind, id);
        draft.about(`${list}list`, { domains: changed });
      });
      return { domains, changed };
    },
  };
}

/** Rewrites: names with an answer of the gateway's own. */
export function rewriteService({ ledger }: { ledger: Ledger }) {
  type Create = InputOf<typeof dnsRewrites.create>["body"];
  type Update = InputOf<typeof dnsRewrites.update>["body"];
  type Query = InputOf<typeof dnsRewrites.list>["query"];

  function normalize(rewrite: DnsRewrite): DnsRewrite {
    const { match, answer } = rewrite;
    const domain = (match === "exact" ? domainIn : domainBelow)("domain", rewrite.domain);
    const value = valueOf(rewrite);
    if (answer === "CNAME" && (value === domain || (match !== "exact" && value.endsWith(`.${domain}`))))
      refuseField("value", "points back to the rewritten name");
    return { ...rewrite, domain, value };
  }
  return entries<DnsRewrite, Create, Update, Query>({
    ledger,
    kind: "dns_rewrite",
    noun: "rewrite",
    limit: dnsLimits.rewrites,
    create: (body) =>
      normalize({
        match: "exact",
        value: "",
        enabled: true,
        ...body,
        ...sourceOf(ledger, everyone, body),
        id: newId(),
      }),
    update: (before, body) => normalize({ ...before, ...given(body), ...sourceOf(ledger, before, body) }),
    contradiction: (one, other) => {
      if (one.domain !== other.domain || one.match !== other.match || !sameSource(one, other)) return undefined;
      if (one.answer === other.answer && one.value === other.value) return "This rewrite exists already";
      const isAlone = [one, other].some(({ answer }) => answer === "NXDOMAIN" || answer === "CNAME");
      return isAlone ? `${one.domain} has another rewrite, and ${exclusiveAnswers} must be the only one` : undefined;
    },
    matcher: ({ source_type, enabled, domain }) =>
      wanted<DnsRewrite>(given({ source_type, enabled }), { text: domain, of: (it) => [it.domain, it.value] }),
  });
}

const exclusiveAnswers = "NXDOMAIN or CNAME";

function valueOf({ answer, value }: DnsRewrite): string {
  if (answer === "NXDOMAIN") return value === "" ? "" : refuseField("value", "must be empty for NXDOMAIN");
  if (answer === "CNAME") return domainIn("value", value);
  const address = parseAddress(value);
  const family = answer === "A" ? 4 : 6;
  if (address?.family !== family || (family === 6) !== value.includes(":"))
    return refuseField("value", `must be an IPv${family} address`);
  return formatAddress(address);
}
