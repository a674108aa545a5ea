import type { Compiled } from "../daemon/src/planes/inputs.ts";
import type { ClientResources } from "../daemon/src/compiler/dns/filter-policy.ts";
import { compileLinks } from "../daemon/src/compiler/links/links.ts";
import { compile } from "../daemon/src/compiler/compile.ts";
import { decide } from "../daemon/src/compiler/policy/decide.ts";
import { factsFor, type ObservedState } from "../daemon/src/compiler/input/facts.ts";
import type { Intent } from "../daemon/src/compiler/input/intent.ts";
import { dnsPlanner } from "../daemon/src/compiler/dns/dns-plan.ts";
import { neededIds } from "../daemon/src/compiler/egress/kernel-ids.ts";
import type { DnsResources } from "../daemon/src/compiler/input/read-dns.ts";
import { egressesOf } from "../daemon/src/compiler/egress/egresses.ts";
import { intentWith, numbersFor } from "./intent.ts";

export const noDnsClients: ClientResources = { device: [], device_group: [], privacy_class: [], trust_class: [] };

interface Options {
  readonly world?: Partial<ObservedState>;
  readonly said?: DnsResources & Partial<ClientResources>;
  readonly neighbours?: Compiled["neighbours"];
}

/** Everything that the daemon compiles from an intent. */
export function compiledFrom(over: Partial<Intent>, { world, said, neighbours = [] }: Options = {}): Compiled {
  const intent = intentWith(over);
  const facts = factsFor(intent, { links: [], ...world });
  const decisions = decide(intent, facts);
  const egresses = egressesOf(decisions.ranked, intent, facts);
  const kernelIds = numbersFor(neededIds(decisions.ranked, egresses, intent.proxies));
  const bits = new Map(said?.dns_list?.map(({ id }, bit) => [id, bit]));
  const dns = dnsPlanner()(
    { ...noDnsClients, ...said, seen: neighbours },
    intent,
    facts,
    decisions,
    egresses,
    kernelIds,
    bits,
  );
  const desired = compile(decisions, intent, facts, egresses, kernelIds);
  const links = compileLinks(intent, facts, kernelIds);
  return { revision: 1, intent, facts, decisions, egresses, kernelIds, desired, links, dns, neighbours };
}
