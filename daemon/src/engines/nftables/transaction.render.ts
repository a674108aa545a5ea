import { renderNat } from "./nat.render.ts";
import type { Chain, Element, Holder, Steering } from "./steering.render.ts";

/** The one table an apply rewrites. Everything outside our tables belongs to someone else. */
export const steeringTable = "inet portcullis";

/** What the kernel has now: by name, and, when nobody else has been at it since we loaded it, in full. */
export interface Standing {
  readonly holders: readonly string[];
  readonly chains: readonly string[];
  readonly known?: Pick<Steering, "holders"> | undefined;
}

const hooks: Readonly<Record<string, string>> = {
  prerouting: "type filter hook prerouting priority mangle; policy accept;",
};

/**
 * Steering → nft transactions that rewrite the table in place: new maps of ranges first, which nobody asks yet; then
 * everything else at once, chains anew, elements as far as they differ, and what belongs to older generations goes.
 * Deleting the table and making it anew would lose packets, and the time left of every exception.
 */
export function renderTransactions(
  { ruleset, holders, chains }: Steering,
  standing: Standing,
  nowMs: number,
): string[] {
  const known = new Map(standing.known?.holders.map((holder) => [holder.name, holder]));
  const beforehand = holders.filter(({ name, role }) => role !== undefined && !known.has(name));
  const atOnce = holders.filter(({ kept, role }) => !kept && role === undefined);
  const wantedChains = new Set(chains.map(({ name }) => name));
  const goneChains = standing.chains.filter((name) => !wantedChains.has(name));
  const wantedHolders = new Set(holders.map(({ name }) => name));
  const goneHolders = standing.holders.filter((name) => !wantedHolders.has(name));
  const filling = atOnce.map((holder) => fill(holder, known.get(holder.name), nowMs));
  return [
    ...(beforehand.length > 0 ? [text(prepared(beforehand, nowMs))] : []),
    text([
      renderNat(ruleset.lan),
      ...block(
        holders.map(declare),
        chains.map(({ name }) => chainText({ name, rules: [] })),
      ),
      ...[...wantedChains, ...goneChains].map((name) => `flush chain ${steeringTable} ${name}`),
      ...filling.flatMap(({ removed }) => removed),
      ...goneHolders.map((name) => `delete map ${steeringTable} ${name}`),
      ...goneChains.map((name) => `delete chain ${steeringTable} ${name}`),
      ...block([], chains.map(chainText)),
      ...filling.flatMap(({ added }) => added),
    ]),
  ];
}

const text = (lines: readonly string[]): string => [...lines, ""].join("\n");

/** Maps of ranges, filled before anybody looks into them. One may be left over from a daemon that died just here. */
const prepared = (holders: readonly Holder[], nowMs: number): string[] => [
  ...block(holders.map(declare), [chainText({ name: "take", rules: [] })]),
  ...holders.map(({ name }) => `flush map ${steeringTable} ${name}`),
  ...holders.flatMap(({ name, elements }) => elementCommands("add", `${steeringTable} ${name}`, elements, nowMs)),
];

/** Changes of more than this share of a map are cheaper as a map emptied and filled. */
const worthComparing = 0.5;

/** What must be taken out of a map or set, and then put in. Without knowing what is in it, everything. */
function fill(holder: Holder, known: Holder | undefined, nowMs: number): { removed: string[]; added: string[] } {
  const place = `${steeringTable} ${holder.name}`;
  const refilled = () => ({
    removed: [`flush ${holder.kind} ${place}`],
    added: elementCommands("add", place, holder.elements, nowMs),
  });
  if (!known || known.type !== holder.type) return refilled();
  const { removed, added } = elementChanges(known.elements, holder.elements);
  if (removed.length + added.length === 0) return { removed: [], added: [] };
  // nft reads a whole interval map before it changes one element of it, and what ends by itself may be gone already.
  if (holder.flags !== undefined || removed.length + added.length > holder.elements.length * worthComparing)
    return refilled();
  return {
    removed: elementCommands(
      "delete",
      place,
      removed.map(({ key }) => ({ key })),
      nowMs,
    ),
    added: elementCommands("add", place, added, nowMs),
  };
}

/** Whether one can stand for the other: generations differ, but nobody would be sent elsewhere. */
export function isSameSteering(a: Steering, b: Steering): boolean {
  const [lasting, others] = [a, b].map(({ holders }) => holders.filter(({ mortal }) => !mortal)) as [
    Holder[],
    Holder[],
  ];
  return (
    a.meaning === b.meaning &&
    lasting.length === others.length &&
    lasting.every(({ name, type, flags, elements }, place) => {
      const other = others[place]!;
      if (name !== other.name || type !== other.type || flags !== other.flags) return false;
      const { removed, added } = elementChanges(elements, other.elements);
      return removed.length + added.length === 0;
    })
  );
}

/** By key: what is not wanted any more or leads elsewhere, and what is new or leads there now. */
function elementChanges(
  before: readonly Element[],
  after: readonly Element[],
): { removed: Element[]; added: Element[] } {
  if (before === after) return { removed: [], added: [] };
  const old = new Map(before.map((element) => [element.key, element]));
  const added = after.filter((element) => {
    const same = isSame(old.get(element.key), element);
    if (same) old.delete(element.key);
    return !same;
  });
  return { removed: [...old.values()], added };
}

const isSame = (a: Element | undefined, b: Element): boolean =>
  a !== undefined && a.data === b.data && a.comment === b.comment && a.untilMs === b.untilMs;

function elementCommands(verb: "add" | "delete", place: string, elements: readonly Element[], nowMs: number): string[] {
  if (elements.length === 0) return [];
  const list = elements.map((element) => elementText(element, nowMs)).join(",\n\t");
  return [`${verb} element ${place} {\n\t${list}\n}`];
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

const declare = ({ kind, name, type, flags }: Holder): string =>
  [`\t${kind} ${name} {`, `\t\ttype ${type}`, ...(flags ? [`\t\tflags ${flags}`] : []), "\t}"].join("\n");

function chainText({ name, rules }: Chain): string {
  const hook = hooks[name];
  return [`\tchain ${name} {`, ...(hook ? [`\t\t${hook}`] : []), ...rules.map((rule) => `\t\t${rule}`), "\t}"].join(
    "\n",
  );
}
