import { escapeControls } from "./escape.ts";
import { widthOf } from "./screen/rich.ts";

type Row = Readonly<Record<string, unknown>>;

/** A header and one line per row, fields separated by tabs: for programs. */
export const table = (columns: readonly string[], rows: readonly unknown[]): string =>
  cellsOf(columns, rows)
    .map((cells) => `${cells.join("\t")}\n`)
    .join("");

/** The same in aligned columns: for people. */
export function alignedTable(columns: readonly string[], rows: readonly unknown[]): string {
  const lines = cellsOf(columns, rows);
  const widths = columns.map((_, index) => lines.reduce((max, cells) => Math.max(max, widthOf(cells[index]!)), 0));
  const padded = (text: string, index: number) => `${text}${" ".repeat(widths[index]! - widthOf(text))}`;
  return lines.map((cells) => `${cells.map(padded).join("  ").trimEnd()}\n`).join("");
}

const cellsOf = (columns: readonly string[], rows: readonly unknown[]): string[][] =>
  [columns, ...rows.map((row) => columns.map((column) => (row as Row)[column]))].map((cells) => cells.map(cell));

/** One value on one line: text unchanged, null as nothing, lists of plain values with commas, the rest as JSON. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return escapeControls(value);
  if (Array.isArray(value) && value.every(isPlain)) return value.map(cell).join(",");
  return escapeControls(JSON.stringify(value));
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== "object";

/** An object as `kind: device, count: 3`; anything else as in a table. */
export const phrase = (value: unknown): string =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, part]) => `${name}: ${cell(part)}`)
        .join(", ")
    : cell(value);

/** Formatted JSON. Line breaks inside of values are escaped. */
export const json = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .split("\n")
    .map((line) => `${escapeControls(line)}\n`)
    .join("");
