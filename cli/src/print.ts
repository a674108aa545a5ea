import { escapeControls } from "./escape.ts";

type Row = Readonly<Record<string, unknown>>;

/** Rows under a header, fields separated by tabs, one line each whatever is in them: for programs. */
export const table = (columns: readonly string[], rows: readonly unknown[]): string =>
  cellsOf(columns, rows)
    .map((cells) => `${cells.join("\t")}\n`)
    .join("");

/** The same in columns of equal width: for people. */
export function alignedTable(columns: readonly string[], rows: readonly unknown[]): string {
  const lines = cellsOf(columns, rows);
  const widths = columns.map((_, place) => lines.reduce((most, cells) => Math.max(most, widthOf(cells[place]!)), 0));
  const padded = (text: string, place: number) => `${text}${" ".repeat(widths[place]! - widthOf(text))}`;
  return lines.map((cells) => `${cells.map(padded).join("  ").trimEnd()}\n`).join("");
}

const cellsOf = (columns: readonly string[], rows: readonly unknown[]): string[][] =>
  [columns, ...rows.map((row) => columns.map((column) => (row as Row)[column]))].map((cells) => cells.map(cell));

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const isWide =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|[\uff01-\uff60])/u;

/** How many columns of a terminal a text takes. */
const widthOf = (text: string): number =>
  /^[\x20-\x7e]*$/.test(text)
    ? text.length
    : [...graphemes.segment(text)].reduce((sum, { segment }) => sum + (isWide.test(segment) ? 2 : 1), 0);

/** One value on one line: text as it is, nothing for null, the members of a list, the rest as JSON. */
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

/** Lines of JSON: the only line breaks are those between its parts. */
export const json = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .split("\n")
    .map((line) => `${escapeControls(line)}\n`)
    .join("");
