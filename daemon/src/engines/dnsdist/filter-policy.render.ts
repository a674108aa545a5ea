import { addressBytes, type Cidr, parseAddress, parseNetwork } from "../../net/addresses.ts";
import type { Automaton, Compile } from "./automaton.model.ts";
import type { Action, FilterPolicy, Client, Phase } from "./filter-policy.model.ts";
import { type CdbEntry, hashOf, renderCdb } from "./cdb.render.ts";
import { type DecidingRule, type MergedLayer, mergedLayers, maxLayers } from "./layers.model.ts";
import { wireOf } from "./name.model.ts";

/**
 * The file `policy.cdb`, as the resolvers' script searches it. The same policy gives the same bytes. Answers are tagged with
 * the revision, so that the log finds the deciding rule, also after later writes.
 */
export const renderFilterPolicy = (policy: FilterPolicy, compile?: Compile, revision = 0): Uint8Array<ArrayBuffer> =>
  renderCdb(policyEntries(policy, revision, compile));

export const fileVersion: CdbEntry = { key: Uint8Array.of(0xff), value: uint32(1) };

function* policyEntries(policy: FilterPolicy, revision: number, compile?: Compile): Iterable<CdbEntry> {
  yield fileVersion;
  yield { key: joined([text("v")]), value: uint32(revision) };
  yield* clientEntries(policy);
  const wires: Uint8Array[] = [];
  for (const [number, layer] of mergedLayers(policy, compile)) yield* layerEntries(number, layer, wires);
  // Most names are in no layer.
  yield { key: joined([text("l"), text("a")]), value: joined([[0], sieveOf(wires)]) };
  yield* routeEntries(policy);
}

function* clientEntries({ clients, others }: FilterPolicy): Iterable<CdbEntry> {
  const networks = clients.map(({ network }) => parseNetwork(network)).filter((network) => network !== undefined);
  yield { key: joined([text("m")]), value: prefixes(networks, 4) };
  yield { key: joined([text("n")]), value: prefixes(networks, 6) };
  yield { key: joined([text("d")]), value: clientRecord(others) };
  for (const client of clients) {
    const network = parseNetwork(client.network);
    if (!network) continue;
    const { family, base, bits } = network;
    yield { key: joined([text("c"), [bits], addressBytes({ family, value: base })]), value: clientRecord(client) };
  }
}

const prefixes = (networks: readonly Cidr[], family: 4 | 6): Uint8Array =>
  Uint8Array.from(new Set(networks.filter((it) => it.family === family).map(({ bits }) => bits)))
    .sort()
    .reverse();

const logDetail = { full: 0, counts: 1, none: 2 } as const;

/** What scripts of an earlier daemon do not know comes last: they go on with what they understand. */
function clientRecord({ log, lists, layers, isWithoutV6 = false, phases = [] }: Omit<Client, "network">): Uint8Array {
  const known = layers.slice(0, maxLayers);
  const flags = phases.length > 0 || isWithoutV6 ? [isWithoutV6 ? 1 : 0] : [];
  const later = phases.length > 0 ? [[phases.length], ...phases.map(phaseBytes)] : [];
  return joined([[logDetail[log]], uint32(lists), [known.length], ...known.map(uint16), flags, ...later]);
}

function phaseBytes({ untilSec, lists, layers, isWithoutV6 = false, skipsExternalFilter = false }: Phase): Uint8Array {
  const known = layers.slice(0, maxLayers);
  const flags = (isWithoutV6 ? 1 : 0) | (skipsExternalFilter ? 2 : 0);
  return joined([uint32(Math.floor(untilSec)), [flags], uint32(lists), [known.length], ...known.map(uint16)]);
}

/** `all` collects the names of all layers. */
function* layerEntries(number: number, layer: MergedLayer, all: Uint8Array[]): Iterable<CdbEntry> {
  const kinds = [
    ["e", layer.exact],
    ["s", layer.suffix],
    ["w", layer.wildcard],
  ] as const;
  const wires: Uint8Array[] = [];
  for (const [letter, rules] of kinds) {
    for (const [name, rule] of rules) {
      const wire = wireOf(name)!;
      wires.push(wire);
      all.push(wire);
      yield { key: joined([text(letter), [number >>> 8, number], wire]), value: ruleBytes(rule) };
    }
  }
  yield { key: joined([text("l"), [number >>> 8, number]]), value: joined([[kindsIn(layer)], sieveOf(wires)]) };
  if (layer.regexes.length === 0) return;
  const regexes = layer.regexes.map((rule) => joined([ruleBytes(rule), automatonBytes(rule.automaton)]));
  const sized = regexes.flatMap((bytes) => [uint32(bytes.length), bytes]);
  yield { key: joined([text("x"), [number >>> 8, number]]), value: joined([uint16(regexes.length), ...sized]) };
}

/**
 * Nearly every name is in nearly no layer. Two bits of a sieve tell so without a search; a name it lets through is
 * searched for. What has no sieve is always searched.
 */
function sieveOf(wires: readonly Uint8Array[]): Uint8Array {
  const sieve = new Uint8Array(Math.max(8, 2 ** Math.ceil(Math.log2(wires.length * 2))));
  const put = (bit: number): void => void (sieve[bit >>> 3]! |= 1 << (bit & 7));
  const last = sieve.length * 8 - 1;
  for (const wire of wires) {
    const hash = hashOf(wire, wire.length);
    put((hash ^ (hash >>> 15)) & last);
    put((hash >>> 7) & last);
  }
  return sieve;
}

/** What need not be looked for; a layer of which this is not said may have rules of any kind. */
const kindsIn = ({ exact, suffix, wildcard }: MergedLayer): number =>
  (exact.size > 0 ? 1 : 0) | (suffix.size > 0 ? 2 : 0) | (wildcard.size > 0 ? 4 : 0);

const letterOf = { allow: "A", block: "N", rewrite: "R" } as const;

const ruleBytes = ({ index, action }: DecidingRule): Uint8Array =>
  joined([text(letterOf[action.kind]), uint32(index), action.kind === "rewrite" ? answers(action) : []]);

/** What is no address of its family is not given. */
export function answers({ v4, v6, cname }: Extract<Action, { kind: "rewrite" }>): Uint8Array {
  const four = addresses(v4, 4);
  const six = addresses(v6, 6);
  const target = cname === null ? undefined : wireOf(cname);
  return joined([[four.length], ...four, [six.length], ...six, [target?.length ?? 0], target ?? []]);
}

const addresses = (texts: readonly string[], family: 4 | 6): readonly Uint8Array[] =>
  texts
    .flatMap((text) => parseAddress(text) ?? [])
    .filter((address) => address.family === family)
    .slice(0, 255)
    .map(addressBytes);

const automatonBytes = ({ states, classes, classOf, accepting, next }: Automaton): Uint8Array =>
  joined([uint16(states), [classes], classOf, accepting, littleEndian(next)]);

function littleEndian(numbers: Uint16Array): Uint8Array {
  const bytes = new Uint8Array(numbers.length * 2);
  for (const [at, number] of numbers.entries()) {
    bytes[at * 2] = number;
    bytes[at * 2 + 1] = number >>> 8;
  }
  return bytes;
}

/**
 * A domain of two policies is the stronger one's. Numbers are keys as well, for of an address that is in the kernel's map
 * already nothing but the number is known.
 */
function* routeEntries({ routes }: FilterPolicy): Iterable<CdbEntry> {
  const wires: Uint8Array[] = [];
  for (const { domain, number, rank } of routes.toSorted((one, other) => one.rank - other.rank)) {
    const wire = wireOf(domain);
    if (!wire || wire.length === 1) continue;
    wires.push(wire);
    yield { key: joined([text("t"), wire]), value: joined([uint32(number), uint32(rank)]) };
    yield { key: joined([text("r"), uint32(number)]), value: uint32(rank) };
  }
  yield { key: joined([text("l")]), value: joined([[0], sieveOf(wires)]) };
}

function uint32(value: number): Uint8Array {
  return Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24);
}

function uint16(value: number): Uint8Array {
  return Uint8Array.of(value, value >>> 8);
}

const text = (letter: string): readonly number[] => [letter.charCodeAt(0)];

function joined(parts: readonly ArrayLike<number>[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  return bytes;
}
