import { winningRanges } from "./rank-comparison.render.ts";
import { isHidingResolvers, type ListedResolvers } from "./controls.render.ts";
import { classid } from "../marks.model.ts";
import type { Ranked, Ruleset } from "../nftables.model.ts";
import { type WindowRanges, windowRanges } from "./windows.render.ts";
import { type Element, encoded, type NamedSet } from "../table.model.ts";

/** Interval maps: addresses, and rank comparisons. Undefined where a side of a comparison is empty. */
export interface RangeMaps {
  readonly sources: readonly {
    readonly interface: string;
    readonly v4: NamedSet;
    readonly v6: NamedSet;
    /** The same keys as a set: their senders have a rank. */
    readonly known4: NamedSet;
    readonly known6: NamedSet;
  }[];
  readonly destinations: { readonly v4: NamedSet; readonly v6: NamedSet };
  readonly comparisons: Readonly<Record<"source" | "destination" | "domain", NamedSet | undefined>>;
  readonly resolvers: ListedResolvers | undefined;
  /** For each window. */
  readonly windows: readonly WindowRanges[];
}

/** `known` has the existing maps, which are reused if they are equal. */
export function rangeMaps(ruleset: Ruleset, generation: number, known: readonly NamedSet[] | undefined): RangeMaps {
  const { macRanks, bySource, byDestination, byDomain, unmatchedRank, controls } = ruleset;
  const make = rangeMapMaker(generation, known);
  const addresses = (role: string, type: string, ranked: readonly Ranked[]): NamedSet =>
    make(
      role,
      `${type} : classid`,
      ranked.map(({ key, rank }) => ({ key, data: classid(rank) })),
    );
  const comparison = (
    role: string,
    candidates: readonly number[],
    current: readonly number[],
  ): NamedSet | undefined => {
    const ranges = winningRanges(candidates, current);
    const elements = ranges.map((key) => ({ key, data: "jump take_candidate" }));
    return ranges.length === 0 ? undefined : make(role, "mark . classid : verdict", elements);
  };
  const [sourceRanks, destinationRanks] = [ranksOf(bySource), ranksOf([byDestination])];
  const domainRanks = byDomain.map(({ rank }) => rank);
  const defenders = [...macRanks, unmatchedRank];
  return {
    sources: bySource.map(({ interface: name, v4, v6 }) => ({
      interface: name,
      v4: addresses(`source4_${encoded(name)}`, "ipv4_addr", v4),
      v6: addresses(`source6_${encoded(name)}`, "ipv6_addr", v6),
      known4: make(
        `known4_${encoded(name)}`,
        "ipv4_addr",
        v4.map(({ key }) => onlyKey(key)),
        "set",
      ),
      known6: make(
        `known6_${encoded(name)}`,
        "ipv6_addr",
        v6.map(({ key }) => onlyKey(key)),
        "set",
      ),
    })),
    destinations: {
      v4: addresses("destination4", "ipv4_addr", byDestination.v4),
      v6: addresses("destination6", "ipv6_addr", byDestination.v6),
    },
    comparisons: {
      source: comparison("source_wins", sourceRanks, defenders),
      destination: comparison("destination_wins", destinationRanks, [...defenders, ...sourceRanks]),
      domain: comparison("domain_wins", domainRanks, [...defenders, ...sourceRanks, ...destinationRanks]),
    },
    resolvers: isHidingResolvers(controls)
      ? {
          v4: make("resolver4", "ipv4_addr", controls.resolvers.v4.map(onlyKey), "set"),
          v6: make("resolver6", "ipv6_addr", controls.resolvers.v6.map(onlyKey), "set"),
        }
      : undefined,
    windows: windowRanges(ruleset, (role, type, keys) => make(role, type, keys.map(onlyKey), "set")),
  };
}

const onlyKey = (key: string): Element => ({ key });

export const ranksOf = (
  tables: readonly { readonly v4: readonly Ranked[]; readonly v6: readonly Ranked[] }[],
): number[] => tables.flatMap(({ v4, v6 }) => [...v4, ...v6]).map(({ rank }) => rank);

/** Creates interval maps, and reuses equal ones. To flush and refill one would take seconds. */
function rangeMapMaker(generation: number, known: readonly NamedSet[] = []) {
  const existing = new Map(known.map((set) => [set.role, set]));
  return (role: string, type: string, elements: readonly Element[], kind: NamedSet["kind"] = "map"): NamedSet => {
    const same = existing.get(role);
    if (same && isSameList(same.elements, elements)) return same;
    const name = `${role}_${generation}`;
    // Generations wrap around, after a long time.
    return { name: name === same?.name ? `${name}b` : name, role, kind, type, flags: "interval", elements };
  };
}

const isSameList = (a: readonly Element[], b: readonly Element[]): boolean =>
  a.length === b.length && a.every(({ key, data }, index) => key === b[index]!.key && data === b[index]!.data);
