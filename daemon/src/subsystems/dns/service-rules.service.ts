import type { InputOf } from "@portcullis/contract/endpoint";
import type { DnsFilterRule } from "@portcullis/contract/subsystems/dns-filters";
import type { DnsService, DnsServiceRule, dnsServices } from "@portcullis/contract/subsystems/dns-services";
import type { DnsSource } from "@portcullis/contract/subsystems/dns-source";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { given, resolveOptional } from "../resources.ts";
import { withSourceName } from "../source-names.ts";
import type { filterRuleService } from "./filters.service.ts";
import { servicePatterns } from "./service-patterns.ts";
import { everyone, sameSource, sourceOf } from "./source.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly services: readonly DnsService[];
  readonly rules: ReturnType<typeof filterRuleService>;
}

export type ServiceRules = ReturnType<typeof serviceRuleService>;

/** One filter rule for each service and source, without a name of the operator's. */
export function serviceRuleService({ ledger, services, rules }: Needs) {
  type Change = InputOf<typeof dnsServices.set>["body"];
  const collection = ledger.staged<DnsFilterRule>("dns_filter_rule");
  const patterns = servicePatterns(services);
  const named = withSourceName(ledger);

  function set(cause: Cause, id: string, { action, schedule_id, ...requested }: Change): DnsServiceRule {
    const service = patterns.known(action === "none" ? "block" : action, id, "path");
    const source = sourceOf(ledger, everyone, requested);
    const own = collection.all().filter((it) => isFor(it, service, source));
    const schedule = resolveOptional(ledger.staged("schedule"), "schedule_id", schedule_id);
    const rule_id =
      action === "none"
        ? removeAll(cause, own)
        : put(cause, own, { action, ...given({ schedule_id: schedule }) }, service, source);
    return { service, action, ...named(source), rule_id };
  }

  /** Of all schedules: afterwards none applies to the service. */
  function removeAll(cause: Cause, own: readonly DnsFilterRule[]): null {
    if (own.length > 0)
      ledger.change(cause, (draft) => {
        for (const { id } of own) draft.remove("dns_filter_rule", id);
      });
    return null;
  }

  /** A service can have a rule for each schedule: the one of the requested schedule is changed, else the one that always applies. */
  function put(
    cause: Cause,
    own: readonly DnsFilterRule[],
    wanted: Pick<DnsFilterRule, "schedule_id"> & { readonly action: DnsFilterRule["action"] },
    service: string,
    source: DnsSource,
  ): string {
    const { schedule_id = null } = wanted;
    const before = own.find((it) => (it.schedule_id ?? null) === schedule_id) ?? own[0];
    if (before) return rules.update(cause, before.id, { ...wanted, enabled: true }).id;
    const name = nameOf(service, source);
    return rules.create(cause, { name, match: "service", pattern: service, ...source, ...wanted }).id;
  }

  /** A rule of the operator's may have the name already. */
  function nameOf(service: string, source: DnsSource): string {
    const subject = services.find(({ id }) => id === service)?.name ?? service;
    const { source_name } = named(source);
    const name = `${subject}: ${source_name || "everyone"}`.slice(0, nameLength);
    const taken = new Set(collection.all().map((it) => it.name));
    if (!taken.has(name)) return name;
    return [...taken].map((_, index) => `${name} ${index + 2}`).find((it) => !taken.has(it)) ?? name;
  }

  return { list: () => [...services], set };
}

/** Leaves room for a number. */
const nameLength = 110;

const isFor = (rule: DnsFilterRule, service: string, source: DnsSource): boolean =>
  rule.match === "service" && rule.pattern === service && sameSource(rule, source);
