import { type Automaton, automatonOf, type Compile } from "./automaton.model.ts";
import type { Action, FilterPolicy, Layer, Rule } from "./filter-policy.model.ts";
import { labelsOf, wireOf } from "./name.model.ts";

/** A layer in which every name has one rule of each kind at most. Names are normalized. */
export interface MergedLayer {
  readonly exact: ReadonlyMap<string, DecidingRule>;
  readonly suffix: ReadonlyMap<string, DecidingRule>;
  readonly wildcard: ReadonlyMap<string, DecidingRule>;
  /** The strongest first. */
  readonly regexes: readonly (DecidingRule & { readonly automaton: Automaton })[];
}

/** A rule that may decide, with its index in the filter policy. */
export interface DecidingRule {
  readonly index: number;
  readonly action: Action;
}

/** A client has no more layers than a byte counts. */
export const maxLayers = 255;

/** All rules, in the order by which they are numbered. */
export const rulesOf = ({ layers }: FilterPolicy): readonly Rule[] => layers.flatMap(({ rules }) => rules);

/** By number. Invalid names and refused patterns are left out: they can never match. */
export function mergedLayers(
  { layers }: FilterPolicy,
  compile: Compile = automatonOf,
): ReadonlyMap<number, MergedLayer> {
  const merged = new Map<number, MergedLayer>();
  let first = 0;
  for (const layer of layers) {
    if (!merged.has(layer.number)) merged.set(layer.number, mergedLayer(layer, first, compile));
    first += layer.rules.length;
  }
  return merged;
}

function mergedLayer({ rules }: Layer, first: number, compile: Compile): MergedLayer {
  const named = { exact: new Map<string, DecidingRule>(), suffix: new Map(), wildcard: new Map() };
  const regexes: (DecidingRule & { readonly automaton: Automaton })[] = [];
  for (const [at, { match, action }] of rules.entries()) {
    const rule = { index: first + at, action };
    if (match.kind === "regex") {
      const automaton = compile(match.pattern);
      if (automaton.kind === "automaton") regexes.push({ ...rule, automaton });
      continue;
    }
    const wire = wireOf(match.name);
    if (!wire || wire.length === 1) continue;
    const name = labelsOf(wire).join(".");
    named[match.kind].set(name, merge(named[match.kind].get(name), rule));
  }
  return { ...named, regexes: regexes.toSorted((one, other) => strength(other.action) - strength(one.action)) };
}

/** The stronger rule wins, and of equals the first. Rewrites of one name are combined. */
function merge(one: DecidingRule | undefined, other: DecidingRule): DecidingRule {
  if (!one || isStronger(other.action, one.action)) return other;
  if (one.action.kind !== "rewrite" || other.action.kind !== "rewrite") return one;
  const v4 = [...new Set([...one.action.v4, ...other.action.v4])];
  const v6 = [...new Set([...one.action.v6, ...other.action.v6])];
  return { ...one, action: { kind: "rewrite", v4, v6, cname: one.action.cname ?? other.action.cname } };
}

export const isStronger = (one: Action, other: Action): boolean => strength(one) > strength(other);

const strength = ({ kind }: Action): number => ({ allow: 2, rewrite: 1, block: 0 })[kind];
