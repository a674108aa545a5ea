import { renderNat } from "./nat.render.ts";
import type { Filling, SteeringDifference } from "./steering.diff.ts";
import type { Steering } from "./steering.render.ts";
import type { Chain, Element, Holder } from "../table.model.ts";

/** The one table an apply rewrites. Everything outside our tables belongs to someone else. */
export const steeringTable = "inet portcullis";

/** The names of what the kernel has now. */
export interface Standing {
  readonly holders: readonly string[];
  readonly chains: readonly string[];
}

const hooks: Readonly<Record<string, string>> = {
  dns_zone: "type filter hook prerouting priority raw; policy accept;",
  prerouting: "type filter hook prerouting priority mangle; policy accept;",
  clamp: "type filter hook forward priority mangle; policy accept;",
};

/**
 * Steering → nft transactions that rewrite the table in place: new maps of ranges first, which nobody asks yet; then
 * everything else at once, chains anew, elements as far as they differ, and what belongs to older generations goes.
 * Deleting the table and making it anew would lose packets, and the time left of every exception.
 */
export function renderTransactions(
  { ruleset, holders, chains }: Steering,
  { beforehand, filled }: SteeringDifference,
  standing: Standing,
  nowMs: number,
): string[] {
  const wantedChains = new Set(chains.map(({ name }) => name));
  const goneChains = standing.chains.filter((name) => !wantedChains.has(name));
  const wantedHolders = new Set(holders.map(({ name }) => name));
  const goneHolders = standing.holders.filter((name) => !wantedHolders.has(name));
  return [
    ...(beforehand.length > 0 ? [text(prepared(beforehand, nowMs))] : []),
    text([
      renderNat(ruleset.lan),
      ...block(
        holders.map(declare),
        chains.map(({ name }) => chainText({ name, rules: [] })),
      ),
      ...[...wantedChains, ...goneChains].map((name) => `flush chain ${steeringTable} ${name}`),
      ...filled.flatMap(emptying),
      ...goneHolders.map((name) => `delete map ${steeringTable} ${name}`),
      ...goneChains.map((name) => `delete chain ${steeringTable} ${name}`),
      ...block([], chains.map(chainText)),
      ...filled.flatMap(({ holder, added }) => elementCommands("add", holder, added, nowMs)),
    ]),
  ];
}

const text = (lines: readonly string[]): string => [...lines, ""].join("\n");

/** Maps of ranges, filled before anybody looks into them. One may be left over from a daemon that died just here. */
const prepared = (holders: readonly Holder[], nowMs: number): string[] => [
  ...block(holders.map(declare), [chainText({ name: "take_candidate", rules: [] })]),
  ...holders.map(({ kind, name }) => `flush ${kind} ${steeringTable} ${name}`),
  ...holders.flatMap((holder) => elementCommands("add", holder, holder.elements, nowMs)),
];

const emptying = ({ holder, isEmptied, removed }: Filling): string[] =>
  isEmptied
    ? [`flush ${holder.kind} ${steeringTable} ${holder.name}`]
    : elementCommands(
        "delete",
        holder,
        removed.map(({ key }) => ({ key })),
        0,
      );

function elementCommands(
  verb: "add" | "delete",
  { name }: Holder,
  elements: readonly Element[],
  nowMs: number,
): string[] {
  if (elements.length === 0) return [];
  const list = elements.map((element) => elementText(element, nowMs)).join(",\n\t");
  return [`${verb} element ${steeringTable} ${name} {\n\t${list}\n}`];
}

/** An element whose time is up when it is written is gone with the next tick: nft takes 0 for "never". */
const elementText = ({ key, data, comment, untilMs }: Element, nowMs: number): string =>
  [
    key,
    ...(untilMs === undefined ? [] : [`timeout ${Math.max(1, Math.ceil(untilMs - nowMs))}ms`]),
    ...(comment === undefined ? [] : [`comment "${comment}"`]),
    ...(data === undefined ? [] : [`: ${data}`]),
  ].join(" ");

const block = (holders: readonly string[], chains: readonly string[]): string[] => [
  `table ${steeringTable} {`,
  ...holders,
  ...chains,
  "}",
];

const declare = ({ kind, name, type, flags, size }: Holder): string =>
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
