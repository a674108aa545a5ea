import { accepts, type Compile } from "./automaton.model.ts";
import type { FilterPolicy, Client, ListLookup, Phase, Rule, Verdict } from "./filter-policy.model.ts";
import { type DecidingRule, isStronger, type MergedLayer, mergedLayers, maxLayers, rulesOf } from "./layers.model.ts";
import { labelsOf, wireOf } from "./name.model.ts";
import { addressWidth, type Cidr, networkAround, parseAddress, parseNetwork } from "../../net/addresses.ts";

/** The verdict for a client and a name. The resolvers' script must agree on every one. */
export type Evaluate = (address: string, name: string) => Verdict;

export const verdictOf = (policy: FilterPolicy, lookup: ListLookup, address: string, name: string): Verdict =>
  evaluator(policy, lookup)(address, name);

/** The same for many queries. */
export function evaluator(policy: FilterPolicy, lookup: ListLookup, compile?: Compile): Evaluate {
  const layers = mergedLayers(policy, compile);
  const rules = rulesOf(policy);
  const clientOf = clientFinder(policy);
  return (address, name) => {
    const wire = wireOf(name);
    if (!policy.isFiltering || !wire) return { kind: "none" };
    const queried = queriedName(wire);
    const client = clientOf(address);
    for (const number of client.layers.slice(0, maxLayers)) {
      const layer = layers.get(number);
      const deciding = layer && decide(layer, queried);
      if (deciding) return ruled(deciding, rules);
    }
    return listed(policy, lookup, client.lists, queried.suffixes);
  };
}

/**
 * The verdict for an answer with aliases: a blocked target blocks the whole answer, unless
 * the query itself was allowed. The target of a rewrite counts, too.
 */
export function answerVerdict(evaluate: Evaluate, address: string, query: string, targets: readonly string[]): Verdict {
  const own = evaluate(address, query);
  if (own.kind === "allow" || own.kind === "block") return own;
  return targets.map((target) => evaluate(address, target)).find(({ kind }) => kind === "block") ?? own;
}

interface QueriedName {
  /** The name itself first, its last label last. */
  readonly suffixes: readonly string[];
  /** As regular expressions see it: a dot between labels, none at the end. */
  readonly text: Uint8Array;
}

function queriedName(wire: Uint8Array): QueriedName {
  const labels = labelsOf(wire);
  const text = wire.slice(1, -1);
  for (let at = wire[0]!; at < text.length; at += 1 + wire[at + 1]!) text[at] = 46;
  return { suffixes: labels.map((_, at) => labels.slice(at).join(".")), text };
}

/** The filter policy as it is at a time: of each client, the settings that hold then. */
export function policyAt(policy: FilterPolicy, sec: number): FilterPolicy {
  const now = <C extends Omit<Client, "network">>({ phases, isWithoutV6: isLast, ...last }: C) => {
    const { layers, lists, isWithoutV6 = false } = phaseAt(phases, sec) ?? { ...last, isWithoutV6: isLast };
    return { ...last, layers, lists, ...(isWithoutV6 && { isWithoutV6 }) };
  };
  return { ...policy, clients: policy.clients.map(now), others: now(policy.others) };
}

/** The phase of a client at a time; undefined: none holds. */
export const phaseAt = (phases: Client["phases"], sec: number): Phase | undefined =>
  phases?.find(({ untilSec }) => sec < Math.floor(untilSec));

/** The client: the narrowest network that contains the address. */
export function clientFinder({ clients, others }: FilterPolicy): (address: string) => Omit<Client, "network"> {
  const known = new Map<string, Client>();
  const prefixes = new Set<number>();
  for (const client of clients) {
    const network = parseNetwork(client.network);
    if (!network) continue;
    prefixes.add(network.bits);
    const key = networkKey(network);
    if (!known.has(key)) known.set(key, client);
  }
  const narrowestFirst = [...prefixes].sort((one, other) => other - one);
  return (text) => {
    const address = parseAddress(text);
    if (!address) return others;
    for (const bits of narrowestFirst) {
      const client = bits <= addressWidth[address.family] && known.get(networkKey(networkAround(address, bits)));
      if (client) return client;
    }
    return others;
  };
}

const networkKey = ({ family, base, bits }: Cidr): string => `${family} ${base}/${bits}`;

/** The rule nearest to the name, else the strongest regular expression. */
function decide(layer: MergedLayer, { suffixes, text }: QueriedName): DecidingRule | undefined {
  const exact = suffixes.length > 0 ? layer.exact.get(suffixes[0]!) : undefined;
  if (exact) return exact;
  for (const [at, name] of suffixes.entries()) {
    const suffix = layer.suffix.get(name);
    const wildcard = at > 0 ? layer.wildcard.get(name) : undefined;
    if (suffix && wildcard) return isStronger(wildcard.action, suffix.action) ? wildcard : suffix;
    if (suffix ?? wildcard) return suffix ?? wildcard;
  }
  return layer.regexes.find(({ automaton }) => accepts(automaton, text));
}

function ruled({ index, action }: DecidingRule, rules: readonly Rule[]): Verdict {
  const by = { kind: "rule", cause: rules[index]!.cause } as const;
  return action.kind === "rewrite" ? { kind: action.kind, by, action } : { kind: action.kind, by };
}

function listed({ lists }: FilterPolicy, lookup: ListLookup, mask: number, suffixes: readonly string[]): Verdict {
  let blocked = 0;
  let allowed = 0;
  for (const [at, name] of suffixes.entries()) {
    const found = lookup(name);
    if (!found) continue;
    blocked |= at === 0 ? found.exact : found.below;
    allowed |= at === 0 ? found.allowExact : found.allowBelow;
  }
  const by = (bits: number) => ({ kind: "list", id: idOf(lists, 31 - Math.clz32(bits & -bits)) }) as const;
  if ((allowed & mask) !== 0) return { kind: "allow", by: by(allowed & mask) };
  if ((blocked & mask) !== 0) return { kind: "block", by: by(blocked & mask) };
  return { kind: "none" };
}

/** A bit without a list is reported by its number. */
const idOf = (lists: FilterPolicy["lists"], bit: number): string =>
  lists.find((list) => list.bit === bit)?.id ?? `bit ${bit}`;
