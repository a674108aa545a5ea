import { escapeControls } from "./escape.ts";

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

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const isWide =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|[\uff01-\uff60])/u;

/** The width of a text in terminal columns. */
const widthOf = (text: string): number =>
  /^[\x20-\x7e]*$/.test(text)
    ? text.length
    : [...graphemes.segment(text)].reduce((sum, { segment }) => sum + (isWide.test(segment) ? 2 : 1), 0);

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
