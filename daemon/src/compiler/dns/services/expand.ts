import type { DnsFilterRule } from "@portcullis/contract/subsystems/dns-filters";
import type { Action, Match } from "../../../engines/dnsdist/filter-policy.model.ts";
import { type Service, servicesOf } from "./catalogue.ts";

/** What a rule for a service or a category decides about the names of the services. */
export interface ServiceVerdict {
  readonly match: Match;
  readonly action: Action;
}

/**
 * The names of a rule whose pattern is a service or a category. `own` are services with an enabled rule of their own for the
 * same source: a rule for their category does not apply to them.
 */
export const expandService = (
  { action, pattern }: Pick<DnsFilterRule, "action" | "pattern">,
  own: ReadonlySet<string>,
): ServiceVerdict[] =>
  servicesOf(pattern)
    .filter(({ id }) => id === pattern || !own.has(id))
    .flatMap((it) => (action === "safe_search" ? safeSearchOf(it) : namesOf(it, { kind: action })));

const namesOf = ({ domains, hosts = [] }: Service, action: Action): ServiceVerdict[] => [
  ...domains.map((name): ServiceVerdict => ({ match: { kind: "suffix", name }, action })),
  ...hosts.map((name): ServiceVerdict => ({ match: { kind: "exact", name }, action })),
];

/** A rewrite to a name is answered with the addresses that this name has at the upstream resolvers of the client. */
function safeSearchOf({ safeSearch }: Service): ServiceVerdict[] {
  if (!safeSearch) return [];
  const action: Action = { kind: "rewrite", v4: [], v6: [], cname: safeSearch.server };
  return safeSearch.names.map((name) => ({ match: { kind: "exact", name }, action }));
}
