import type { InputOf } from "@portcullis/contract/endpoint";
import type { DnsFilterRule } from "@portcullis/contract/subsystems/dns-filters";
import type { DnsService, DnsServiceRule, dnsServices } from "@portcullis/contract/subsystems/dns-services";
import type { DnsSource } from "@portcullis/contract/subsystems/dns-source";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { given } from "../resources.ts";
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
    const before = collection.all().find((it) => isFor(it, service, source));
    return {
      service,
      action,
      ...named(source),
      rule_id: change(cause, before, { action, ...given({ schedule_id }) }, service, source),
    };
  }

  function change(
    cause: Cause,
    before: DnsFilterRule | undefined,
    { action, ...when }: Pick<Change, "action" | "schedule_id">,
    service: string,
    source: DnsSource,
  ): string | null {
    if (action === "none") {
      if (before) rules.remove(cause, before.id);
      return null;
    }
    if (before) return rules.update(cause, before.id, { action, enabled: true, ...when }).id;
    const name = nameOf(service, source);
    return rules.create(cause, { name, action, match: "service", pattern: service, ...source, ...when }).id;
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
