import { parseArgs } from "node:util";
import type { Part, Sizes } from "./part.ts";

/** The arguments of `npm run proof -- …`. */
export interface Choice {
  /** Parts whose name contains one of these; none means all parts. */
  readonly words: readonly string[];
  /** `stale`: only parts without a record for the current sources. */
  readonly which: "stale" | "all";
  readonly listOnly: boolean;
  /** No part starts after so many seconds. */
  readonly forSec: number;
  /** Other sizes than the full ones: the result is shown and not recorded. */
  readonly sizes: Sizes;
}

export const usage = `npm run proof                     all stale parts, in order
npm run proof -- dns leak         every part whose name contains one of these words, stale or not
npm run proof -- dns --stale      only the stale ones of them
npm run proof -- --all            every part, stale or not
npm run proof -- --list           lists the parts and their records, and runs nothing; with --stale the stale ones
npm run proof -- --for 60m        starts no part after this time (s, m, h)
npm run proof -- fuzz --with SECONDS=5
                                  other sizes, to try something: shows the result and records nothing`;

export function parseChoice(words: readonly string[]): Choice {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      stale: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      for: { type: "string" },
      with: { type: "string", multiple: true, default: [] },
    },
  });
  if (values.stale && values.all) throw new Error("--stale and --all exclude each other");
  const areNamed = positionals.length > 0;
  return {
    words: positionals,
    which: values.all || (!values.stale && (areNamed || values.list)) ? "all" : "stale",
    listOnly: values.list,
    forSec: values.for === undefined ? Infinity : secondsIn(values.for),
    sizes: Object.fromEntries(values.with.map(sizeIn)),
  };
}

const unitSec = { s: 1, m: 60, h: 3600 } as const;

function secondsIn(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`Not a time: ${text}. Examples: 90s, 60m, 2h`);
  return Number(count) * unitSec[unit as keyof typeof unitSec];
}

function sizeIn(text: string): [string, number] {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`Not a size: ${text}. Example: SECONDS=5`);
  return [name, Number(value)];
}

/** The parts that the words name, in the order of the proof. A word that names none is a mistake. */
export function namedParts(parts: readonly Part[], words: readonly string[]): readonly Part[] {
  const unknown = words.filter((word) => !parts.some(({ name }) => name.includes(word)));
  if (unknown.length > 0) throw new Error(`No part is called ${unknown.join(" or ")}`);
  return words.length === 0 ? parts : parts.filter(({ name }) => words.some((word) => name.includes(word)));
}
