import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { History, RecordedFigure } from "./figures.ts";
import type { Sizes } from "./part.ts";
import type { Verdict } from "./verdict.ts";

/** What is kept of one run of a part, as `proof/<part>.json`. */
export interface ProofRecord {
  readonly part: string;
  readonly verdict: Verdict;
  readonly commit: string;
  /** The covered sources differed from the commit. */
  readonly dirty?: true;
  /** Of the covered sources, when the part started. */
  readonly digest: string;
  readonly date: string;
  /** One-minute load averages. */
  readonly load: { readonly start: number; readonly end: number };
  readonly slowness: number;
  readonly seed: number;
  readonly sizes: Sizes;
  readonly seconds: number;
  readonly tests: { readonly passed: number; readonly failed: number };
  readonly broken: readonly string[];
  readonly missedDeadlines: readonly string[];
  readonly missedTargets: readonly string[];
  readonly figures: readonly RecordedFigure[];
  /** Benchmarks only. */
  readonly history?: History;
}

export type Records = ReadonlyMap<string, ProofRecord>;

export function readRecords(folder: string): Records {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  const records = names.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as ProofRecord);
  return new Map(records.map((record) => [record.part, record]));
}

export function writeRecord(folder: string, record: ProofRecord): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${record.part}.json`), formatted(record));
}

/** A part without a record, or whose sources are no longer those of its record, has to run. */
export const isStale = (record: ProofRecord | undefined, digest: string): boolean => record?.digest !== digest;

/** JSON as the formatter of this repository leaves it: what fits on a line is on a line. */
export function formatted(record: object): string {
  const fields = Object.entries(record).map(([key, value]) => `  ${JSON.stringify(key)}: ${laidOut(value, 2, key)}`);
  return `{\n${fields.join(",\n")}\n}\n`;
}

const lineWidth = 120;

function laidOut(value: unknown, indent: number, key?: string): string {
  const flat = onOneLine(value);
  const before = indent + (key === undefined ? 0 : JSON.stringify(key).length + 2);
  if (typeof value !== "object" || value === null || before + flat.length + 1 <= lineWidth) return flat;
  const [margin, end] = [" ".repeat(indent + 2), " ".repeat(indent)];
  if (Array.isArray(value)) {
    const items = value.map((item) => `${margin}${laidOut(item, indent + 2)}`);
    return `[\n${items.join(",\n")}\n${end}]`;
  }
  const fields = Object.entries(value).map(
    ([name, it]) => `${margin}${JSON.stringify(name)}: ${laidOut(it, indent + 2, name)}`,
  );
  return `{\n${fields.join(",\n")}\n${end}}`;
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, it]) => `${JSON.stringify(key)}: ${onOneLine(it)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
