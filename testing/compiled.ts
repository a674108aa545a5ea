import type { Compiled } from "../daemon/src/planes/inputs.ts";
import type { Askers } from "../daemon/src/compiler/book.ts";
import { carry } from "../daemon/src/compiler/carry.ts";
import { compile } from "../daemon/src/compiler/compile.ts";
import { decide } from "../daemon/src/compiler/decide.ts";
import { factsFor, type World } from "../daemon/src/compiler/facts.ts";
import type { Intent } from "../daemon/src/compiler/intent.ts";
import { namer } from "../daemon/src/compiler/naming.ts";
import { wanted } from "../daemon/src/compiler/numbers.ts";
import type { NameResources } from "../daemon/src/compiler/read-names.ts";
import { waysOf } from "../daemon/src/compiler/ways.ts";
import { intentWith, numbersFor } from "./intent.ts";

export const nobody: Askers = { device: [], device_group: [], privacy_class: [], trust_class: [] };

interface Around {
  readonly world?: Partial<World>;
  readonly said?: NameResources & Partial<Askers>;
  readonly neighbours?: Compiled["neighbours"];
}

/** Everything that follows from an intent, as the daemon would have it. */
export function compiledFrom(over: Partial<Intent>, { world, said, neighbours = [] }: Around = {}): Compiled {
  const intent = intentWith(over);
  const facts = factsFor(intent, { links: [], ...world });
  const decisions = decide(intent, facts);
  const ways = waysOf(decisions.ranked, intent, facts);
  const numbers = numbersFor(wanted(decisions.ranked, ways, intent.proxies));
  const bits = new Map(said?.dns_list?.map(({ id }, bit) => [id, bit]));
  const naming = namer()({ ...nobody, ...said, seen: neighbours }, intent, facts, decisions, ways, numbers, bits);
  const desired = compile(decisions, intent, facts, ways, numbers);
  const carriers = carry(intent, facts, numbers);
  return { revision: 1, intent, facts, decisions, ways, numbers, desired, carriers, naming, neighbours };
}
