import { renderNat } from "./nat.render.ts";
import type { ElementUpdate, SteeringDifference } from "./steering.diff.ts";
import type { Steering } from "./steering.render.ts";
import type { Chain, Element, NamedSet } from "../table.model.ts";

/** The table that an apply rewrites. Tables that are not ours are never touched. */
export const steeringTable = "inet portcullis";

/** Names of the objects that the kernel has now. */
export interface ExistingObjects {
  readonly sets: readonly string[];
  readonly chains: readonly string[];
}

const hooks: Readonly<Record<string, string>> = {
  dns_zone: "type filter hook prerouting priority raw; policy accept;",
  prerouting: "type filter hook prerouting priority mangle; policy accept;",
  clamp: "type filter hook forward priority mangle; policy accept;",
};

/**
 * Steering → nft transactions that rewrite the table in place: new interval maps first, which no rule uses yet; then
 * everything else atomically: chains are rewritten, differing elements updated, objects of older generations deleted.
 * Deleting and recreating the table would lose packets, and the remaining time of every exception.
 */
export function renderTransactions(
  { ruleset, sets, chains }: Steering,
  { prepared, updates }: SteeringDifference,
  existing: ExistingObjects,
  nowMs: number,
): string[] {
  const wantedChains = new Set(chains.map(({ name }) => name));
  const goneChains = existing.chains.filter((name) => !wantedChains.has(name));
  const wantedSets = new Set(sets.map(({ name }) => name));
  const goneSets = existing.sets.filter((name) => !wantedSets.has(name));
  return [
    ...(prepared.length > 0 ? [text(preparation(prepared, nowMs))] : []),
    text([
      renderNat(ruleset.lan),
      ...block(
        sets.map(declare),
        chains.map(({ name }) => chainText({ name, rules: [] })),
      ),
      ...[...wantedChains, ...goneChains].map((name) => `flush chain ${steeringTable} ${name}`),
      ...updates.flatMap(emptying),
      ...goneSets.map((name) => `delete map ${steeringTable} ${name}`),
      ...goneChains.map((name) => `delete chain ${steeringTable} ${name}`),
      ...block([], chains.map(chainText)),
      ...updates.flatMap(({ set, added }) => elementCommands("add", set, added, nowMs)),
    ]),
  ];
}

const text = (lines: readonly string[]): string => [...lines, ""].join("\n");

/** Interval maps, filled before a rule uses them. One may be left over from a daemon that was killed at this point. */
const preparation = (sets: readonly NamedSet[], nowMs: number): string[] => [
  ...block(sets.map(declare), [chainText({ name: "take_candidate", rules: [] })]),
  ...sets.map(({ kind, name }) => `flush ${kind} ${steeringTable} ${name}`),
  ...sets.flatMap((set) => elementCommands("add", set, set.elements, nowMs)),
];

const emptying = ({ set, isEmptied, removed }: ElementUpdate): string[] =>
  isEmptied
    ? [`flush ${set.kind} ${steeringTable} ${set.name}`]
    : elementCommands(
        "delete",
        set,
        removed.map(({ key }) => ({ key })),
        0,
      );

function elementCommands(
  verb: "add" | "delete",
  { name }: NamedSet,
  elements: readonly Element[],
  nowMs: number,
): string[] {
  if (elements.length === 0) return [];
  const list = elements.map((element) => elementText(element, nowMs)).join(",\n\t");
  return [`${verb} element ${steeringTable} ${name} {\n\t${list}\n}`];
}

/** An element that has expired when it is written gets 1 ms: nft reads 0 as "never". */
const elementText = ({ key, data, comment, untilMs }: Element, nowMs: number): string =>
  [
    key,
    ...(untilMs === undefined ? [] : [`timeout ${duration(Math.max(1, Math.ceil(untilMs - nowMs)))}`]),
    ...(comment === undefined ? [] : [`comment "${comment}"`]),
    ...(data === undefined ? [] : [`: ${data}`]),
  ].join(" ");

/** nft reads no number with more than eight digits. */
const duration = (ms: number): string => (ms < 100_000_000 ? `${ms}ms` : `${Math.floor(ms / 1000)}s${ms % 1000}ms`);

const block = (sets: readonly string[], chains: readonly string[]): string[] => [
  `table ${steeringTable} {`,
  ...sets,
  ...chains,
  "}",
];

const declare = ({ kind, name, type, flags, size }: NamedSet): string =>
  [
    `\t${kind} ${name} {`,
    `\t\ttype ${type}`,
    ...(size === undefined ? [] : [`\t\tsize ${size}`]),
    ...(flags ? [`\t\tflags ${flags}`] : []),
    "\t}",
  ].join("\n");

function chainText({ name, rules }: Chain): string {
  const hook = hooks[name];
  return [`\tchain ${name} {`, ...(hook ? [`\t\t${hook}`] : []), ...rules.map((rule) => `\t\t${rule}`), "\t}"].join(
    "\n",
  );
}
