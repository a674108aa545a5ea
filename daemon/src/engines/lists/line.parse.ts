import type { Entry } from "./lists.model.ts";

/** Reads one line, hands on what it says, and answers how many things in it mean nothing here. */
export type LineParser = (line: string, emit: (entry: Entry) => void) => number;

export function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isSpace(text.charCodeAt(at))) at++;
  return at;
}

export function startOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

const isSpace = (code: number): boolean => code === 32 || code === 9;

/** Up to a `#` that begins a comment: at the start, or after a space. */
export function withoutComment(line: string): string {
  for (let at = line.indexOf("#"); at >= 0; at = line.indexOf("#", at + 1))
    if (at === 0 || isSpace(line.charCodeAt(at - 1))) return line.slice(0, at).trim();
  return line.trim();
}
