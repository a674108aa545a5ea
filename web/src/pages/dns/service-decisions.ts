import type { DnsFilterRule } from "@portcullis/contract/subsystems/dns-filters";
import type { DnsService } from "@portcullis/contract/subsystems/dns-services";
import type { DnsSource } from "@portcullis/contract/subsystems/dns-source";

type Action = DnsFilterRule["action"];

/** The decision about a service for a scope. */
export interface ServiceDecision {
  /** Its own rule, or none. */
  readonly own: Action | "none";
  /** What the rule of its category decides where it has none of its own. */
  readonly byCategory: Action | undefined;
}

type Subject = Pick<DnsService, "id" | "category" | "safe_search">;

/** Reads the decision from the rules, as the gateway does: a rule for the service takes precedence over one for its category. */
export function serviceDecision(
  rules: readonly DnsFilterRule[],
  { id, category, safe_search }: Subject,
  source: DnsSource,
): ServiceDecision {
  const own = actionFor(rules, id, source);
  const ofCategory = own === undefined ? actionFor(rules, category, source) : undefined;
  const isPossible = ofCategory !== "safe_search" || safe_search;
  return { own: own ?? "none", byCategory: isPossible ? ofCategory : undefined };
}

export const actionFor = (rules: readonly DnsFilterRule[], pattern: string, source: DnsSource): Action | undefined =>
  ruleFor(rules, pattern, source)?.action;

/** The rule that always applies, else the first one with a schedule. */
export function ruleFor(
  rules: readonly DnsFilterRule[],
  pattern: string,
  source: DnsSource,
): DnsFilterRule | undefined {
  const found = rules.filter(
    (it) =>
      it.enabled &&
      it.match === "service" &&
      it.pattern === pattern &&
      it.source_type === source.source_type &&
      it.source_value === source.source_value,
  );
  return found.find(({ schedule_id }) => !schedule_id) ?? found[0];
}
