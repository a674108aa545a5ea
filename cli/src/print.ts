import { harmless } from "./harmless.ts";

type Row = Readonly<Record<string, unknown>>;

/** Rows under a header, fields parted by tabs, one line each whatever is in them. */
export const table = (columns: readonly string[], rows: readonly unknown[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => (row as Row)[column]))]
    .map((cells) => `${cells.map(cell).join("\t")}\n`)
    .join("");

/** One value on one line: text as it is, nothing for null, the members of a list, the rest as JSON. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return harmless(value);
  if (Array.isArray(value) && value.every(isPlain)) return value.map(cell).join(",");
  return harmless(JSON.stringify(value));
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== "object";

/** Lines of JSON: the only line breaks are those between its parts. */
export const json = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .split("\n")
    .map((line) => `${harmless(line)}\n`)
    .join("");
