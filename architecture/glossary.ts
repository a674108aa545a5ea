import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RetiredWord, retiredWords } from "./retired-words.ts";

const begin = "<!-- retired words: begin. Generated from architecture/retired-words.ts by `npm run glossary` -->";
const end = "<!-- retired words: end -->";

/** Replaces the table of retired words between the two markers. */
export function withRetiredWords(document: string, words: readonly RetiredWord[]): string {
  const [before, rest] = document.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined)
    throw new Error(`The document lacks the markers ${begin} and ${end}`);
  const rows = words.map(({ forms, instead, scope }) => {
    const where = scope === "everywhere" ? "everywhere" : "file names, exports";
    return `| ${forms.replaceAll(" ", ", ")} | ${instead} | ${where} |`;
  });
  const table = ["| retired | write | checked in |", "|---|---|---|", ...rows].join("\n");
  return `${before}${begin}\n\n${table}\n\n${end}${after}`;
}

if (import.meta.main) {
  const path = join(import.meta.dirname, "../docs/glossary.md");
  writeFileSync(path, withRetiredWords(readFileSync(path, "utf8"), retiredWords));
}
