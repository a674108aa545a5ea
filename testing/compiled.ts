import type { Compiled } from "../daemon/src/planes/inputs.ts";
import type { Askers } from "../daemon/src/compiler/dns/filter-policy.ts";
import { carry } from "../daemon/src/compiler/links/links.ts";
import { compile } from "../daemon/src/compiler/compile.ts";
import { decide } from "../daemon/src/compiler/policy/decide.ts";
import { factsFor, type World } from "../daemon/src/compiler/input/facts.ts";
import type { Intent } from "../daemon/src/compiler/input/intent.ts";
import { namer } from "../daemon/src/compiler/dns/dns-plan.ts";
import { wanted } from "../daemon/src/compiler/egress/kernel-ids.ts";
import type { NameResources } from "../daemon/src/compiler/input/read-dns.ts";
import { waysOf } from "../daemon/src/compiler/egress/egresses.ts";
import { intentWith, numbersFor } from "./intent.ts";

export const noDnsClients: Askers = { device: [], device_group: [], privacy_class: [], trust_class: [] };

interface Options {
  readonly world?: Partial<World>;
  readonly said?: NameResources & Partial<Askers>;
  readonly neighbours?: Compiled["neighbours"];
}

/** Everything that the daemon compiles from an intent. */
export function compiledFrom(over: Partial<Intent>, { world, said, neighbours = [] }: Options = {}): Compiled {
  const intent = intentWith(over);
  const facts = factsFor(intent, { links: [], ...world });
  const decisions = decide(intent, facts);
  const ways = waysOf(decisions.ranked, intent, facts);
  const numbers = numbersFor(wanted(decisions.ranked, ways, intent.proxies));
  const bits = new Map(said?.dns_list?.map(({ id }, bit) => [id, bit]));
  const naming = namer()({ ...noDnsClients, ...said, seen: neighbours }, intent, facts, decisions, ways, numbers, bits);
  const desired = compile(decisions, intent, facts, ways, numbers);
  const carriers = carry(intent, facts, numbers);
  return { revision: 1, intent, facts, decisions, ways, numbers, desired, carriers, naming, neighbours };
}
