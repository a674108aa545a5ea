import type { Compiled } from "../daemon/src/planes/inputs.ts";
import { allocateAll, compile, neededAllocations } from "../daemon/src/compiler/compile.ts";
import type { ClientResources } from "../daemon/src/compiler/dns/filter-policy.ts";
import { factsFor, type ObservedState } from "../daemon/src/compiler/input/facts.ts";
import type { Intent } from "../daemon/src/compiler/input/intent.ts";
import type { DnsResources } from "../daemon/src/compiler/input/read-dns.ts";
import { intentWith, numbersInOrder } from "./intent.ts";

export const noDnsClients: ClientResources = { device: [], device_group: [], privacy_class: [], trust_class: [] };

interface Options {
  readonly observed?: Partial<ObservedState>;
  readonly resources?: DnsResources & Partial<ClientResources>;
  readonly neighbours?: Compiled["neighbours"];
}

/** Everything that the daemon compiles from an intent. */
export function compiledFrom(over: Partial<Intent>, options: Options = {}): Compiled {
  const { observed, neighbours = [] } = options;
  const intent = intentWith(over);
  const facts = factsFor(intent, { links: [], ...observed });
  const resources = { ...noDnsClients, ...options.resources };
  const allocations = allocateAll(neededAllocations({ intent, facts, resources }), numbersInOrder);
  return { revision: 1, intent, facts, neighbours, ...compile({ intent, facts, resources, neighbours, allocations }) };
}
