import type { Drift } from "../engine.ts";

type Item = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What kinds change by themselves: handles, the time an element has left, what was counted. */
const noise = new Set(["handle", "expires", "packets", "bytes"]);

/** Filled by others; what is in them is no drift. */
const kept = new Set(["domain4", "domain6"]);

/** `nft -j list table …` → lines that change only when the rules do. Elements of a set come in any order. */
export function canonicalListing(json: string): string {
  const { nftables = [] } = JSON.parse(json) as { nftables?: Item[] };
  return nftables
    .filter((item) => !("metainfo" in item))
    .map((item) => JSON.stringify(settled(item), quietly))
    .join("\n");
}

const quietly = (key: string, value: unknown): unknown => (noise.has(key) ? undefined : value);

function settled(item: Item): unknown {
  const kind = "map" in item ? "map" : "set" in item ? "set" : undefined;
  if (kind === undefined) return item;
  const { elem = [], ...holder } = item[kind] as { elem?: unknown[]; name?: string };
  if (kept.has(holder.name ?? "")) return { [kind]: holder };
  return { [kind]: { ...holder, elem: elem.map((it) => JSON.stringify(it, quietly)).toSorted() } };
}

/** The names of what stands, from a canonical listing. */
export function namesIn(listing: string): { holders: string[]; chains: string[] } {
  const items = listing
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Item);
  const ours = (kind: string) =>
    items.flatMap((item) => (item[kind]?.["table"] === "portcullis" ? [String(item[kind]["name"])] : []));
  return { holders: [...ours("map"), ...ours("set")], chains: ours("chain") };
}

/** Which rules, chains and sets are not the same on two sides, each by its table and name. */
export function differingLines(expected: string, actual: string): Drift[] {
  const [wanted, standing] = [expected, actual].map(
    (listing) => new Set(listing.split("\n").filter((line) => line !== "")),
  );
  return [
    ...[...wanted!]
      .filter((line) => !standing!.has(line))
      .map((line) => ({ ...named(line), expected: line, actual: null })),
    ...[...standing!]
      .filter((line) => !wanted!.has(line))
      .map((line) => ({ ...named(line), expected: null, actual: line })),
  ];
}

function named(line: string): Pick<Drift, "resource" | "field"> {
  const [kind = "", item = {}] = Object.entries(JSON.parse(line) as Item)[0] ?? [];
  const { table = "", chain, name = "" } = item as { table?: string; chain?: string; name?: string };
  return { resource: `${table} ${chain ?? name}`.trim(), field: kind };
}
