import type { Drift } from "../engine.ts";
import { classid, fromClassid, hex } from "./marks.model.ts";
import type { Element, NamedSet } from "./table.model.ts";

type Fields = Readonly<Record<string, unknown>>;
type Item = Readonly<Record<string, Fields>>;

/** Fields that change without a change of the rules. */
const noise = new Set(["handle", "packets", "bytes"]);

const itemsOf = (json: string): readonly Item[] => (JSON.parse(json) as { nftables?: Item[] }).nftables ?? [];

/**
 * `nft -j list …` → lines about our tables that change only when the rules do. Elements of a set come in any order; those of
 * some sets do not count.
 */
export function canonicalListing(
  json: string,
  tables: readonly string[],
  withoutElements: readonly string[] = [],
): string {
  return itemsOf(json)
    .filter((item) => tables.includes(tableOf(item)))
    .map((item) =>
      JSON.stringify(normalized(item, withoutElements), (key, value: unknown) => (noise.has(key) ? undefined : value)),
    )
    .join("\n");
}

function tableOf(item: Item): string {
  const [kind = "", { family, table, name } = {}] = Object.entries(item)[0] ?? [];
  return `${String(family)} ${String(kind === "table" ? name : table)}`;
}

function normalized(item: Item, withoutElements: readonly string[]): unknown {
  const kind = "map" in item ? "map" : "set" in item ? "set" : undefined;
  if (kind === undefined) return item;
  const { elem, ...set } = item[kind] as { elem?: unknown[]; flags?: unknown[]; name?: unknown };
  // Packets fill it. nft 1.0.6 does not show that in JSON; nothing else that is listed with elements has a timeout.
  if (set.flags?.some((flag) => flag === "dynamic" || flag === "timeout")) return { [kind]: set };
  if (withoutElements.includes(String(set.name))) return { [kind]: set };
  return { [kind]: { ...set, ...(elem && { elem: elem.map((it) => JSON.stringify(it)).toSorted() }) } };
}

/** The names of the objects of a table, from a canonical listing. */
export function namesIn(listing: string, table: string): { sets: string[]; chains: string[] } {
  const items = linesOf(listing).map((line) => JSON.parse(line) as Item);
  const ours = (kind: string) =>
    items.flatMap((item) => (item[kind] && tableOf(item) === table ? [String(item[kind]["name"])] : []));
  return { sets: [...ours("map"), ...ours("set")], chains: ours("chain") };
}

/** How many rules a canonical listing has. */
export const rulesListed = (listing: string): number => listing.match(/^\{"rule":/gm)?.length ?? 0;

/** How many rules a script of ours loads: each is a line of its own in the body of a chain. */
export function rulesIn(script: string): number {
  const bodies = [...script.matchAll(/^\tchain \S+ \{\n(.*?)^\t\}/gms)].map(([, body]) => body!);
  return bodies.flatMap((body) => body.split("\n")).filter((line) => /^\t\t(?!type )\S/.test(line)).length;
}

/** Sets and maps of a canonical listing that hold other elements than our script gave them. Packets fill some themselves. */
export function differingSets(script: string, listing: string): string[] {
  const given = new Map(
    [...script.matchAll(/^\t(?:set|map) (\S+) \{\n(?:(?!\t\}).*\n)*?\t\telements = \{ (.*) \}$/gm)].map(
      ([, name, held]) => [name!, held!.split(", ").map(normal).toSorted().join(", ")] as const,
    ),
  );
  return linesOf(listing).flatMap((line) => {
    const item = JSON.parse(line) as Item;
    const { name, elem = [], flags } = (item["set"] ?? item["map"] ?? {}) as Partial<Listed>;
    if (name === undefined || flags?.some((flag) => flag === "dynamic" || flag === "timeout")) return [];
    const held = elem.map((it) =>
      spelled(JSON.parse(it))
        .filter((part) => part !== "")
        .join(" : "),
    );
    return held.toSorted().join(", ") === (given.get(name) ?? "") ? [] : [name];
  });
}

/** As nft's numbers are read: a port and a user are written like a mark. */
const normal = (element: string): string =>
  element
    .split(/( [.:] )/)
    .map((atom) => (/^(?:0x[0-9a-f]+|\d+)$/i.test(atom) ? hex(Number(atom)) : atom.replaceAll('"', "")))
    .join("");

interface Listed {
  readonly name: string;
  readonly elem: readonly string[];
  readonly flags: readonly string[];
}

/** Rules, chains and sets that differ, each by its table and name. */
export function differingLines(expected: string, actual: string): Drift[] {
  const [wanted, existing] = [new Set(linesOf(expected)), new Set(linesOf(actual))];
  const missing = [...wanted].filter((line) => !existing.has(line));
  const strange = [...existing].filter((line) => !wanted.has(line));
  return [
    ...missing.map((line) => ({ ...named(line), expected: line, actual: null })),
    ...strange.map((line) => ({ ...named(line), expected: null, actual: line })),
  ];
}

const linesOf = (listing: string): string[] => listing.split("\n").filter((line) => line !== "");

function named(line: string): Pick<Drift, "resource" | "field"> {
  const [kind = "", item = {}] = Object.entries(JSON.parse(line) as Item)[0] ?? [];
  const { table = "", chain, name = "" } = item as { table?: string; chain?: string; name?: string };
  return { resource: `${table} ${chain ?? name}`.trim(), field: kind };
}

/** Elements that differ from the loaded ones. Expired elements may be gone, and sets that are filled elsewhere are skipped. */
export function differingElements(table: string, loaded: readonly NamedSet[], json: string, nowMs: number): Drift[] {
  const existing = elementsIn(json);
  return loaded
    .filter(({ isFilledElsewhere }) => !isFilledElsewhere)
    .flatMap(({ name, elements }) => {
      const found = existing.get(name) ?? new Map<string, string>();
      const at = (key: string) => ({ resource: `${table} ${name}`, field: `element ${key}` });
      const wrong = elements.flatMap((element): Drift[] => {
        const [key, expected] = [spelledKey(element), element.data ?? ""];
        const actual = found.get(key);
        found.delete(key);
        const isOver = (element.untilMs ?? Infinity) <= nowMs;
        if (actual === expected || (actual === undefined && isOver)) return [];
        return [{ ...at(key), expected, actual: actual ?? null }];
      });
      return [...wrong, ...[...found].map(([key, actual]) => ({ ...at(key), expected: null, actual }))];
    });
}

/** `nft -j list table …` → set or map → key → data, as we would have written them. */
export const elementsIn = (json: string): Map<string, Map<string, string>> =>
  new Map(
    itemsOf(json).flatMap((item) => {
      const set = (item["map"] ?? item["set"]) as { name: string; elem?: unknown[] } | undefined;
      return set ? [[set.name, new Map((set.elem ?? []).map(spelled))] as const] : [];
    }),
  );

/** Our own spelling of a key: without the quotes nft wants around interface names. */
const spelledKey = ({ key }: Element): string => key.replaceAll('"', "");

/** `nft`'s element → key and data as we would have written them. */
function spelled(element: unknown): [string, string] {
  if (Array.isArray(element)) return [text(element[0]), text(element[1])];
  return [text(element), ""];
}

function text(value: unknown): string {
  if (typeof value === "number") return hex(value);
  if (typeof value === "string") return value;
  const [kind = "", inner] = Object.entries(value as Record<string, unknown>)[0] ?? [];
  switch (kind) {
    case "elem":
      return text((inner as { val: unknown }).val);
    case "concat":
      return (inner as unknown[]).map(text).join(" . ");
    case "range":
      return (inner as unknown[]).map(text).join("-");
    case "prefix":
      return prefixText(inner as { addr: string | number; len: number });
    case "accept":
      return kind;
    case "jump":
    case "goto":
      return `${kind} ${(inner as { target: string }).target}`;
    default:
      return JSON.stringify(value);
  }
}

/** nft writes ranges of marks and classes that happen to be aligned like networks. */
function prefixText({ addr, len }: { addr: string | number; len: number }): string {
  const isClass = typeof addr === "string" && /^[0-9a-f]{0,4}:[0-9a-f]{0,4}$/.test(addr);
  if (typeof addr === "string" && !isClass) return `${addr}/${len}`;
  const first = typeof addr === "number" ? addr : fromClassid(addr);
  const last = first + 2 ** (32 - len) - 1;
  const [from, to] = [first, last].map(isClass ? classid : hex);
  return from === to ? from! : `${from}-${to}`;
}
