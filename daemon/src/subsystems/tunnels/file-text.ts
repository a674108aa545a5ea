import { type Reason } from "@portcullis/contract/reason";
import type { Refusal } from "./profile.ts";

export type Lines =
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

/** The lines of a tunnel file, or why the text is ambiguous. */
export function linesOf(text: string): Lines {
  const whole = problemOfWhole(text);
  if (whole) return { kind: "refused", refusals: [{ line: null, problem: whole }] };
  const lines = (text.startsWith(byteOrderMark) ? text.slice(1) : text).split("\n").map(withoutCarriageReturn);
  const refusals = lines.flatMap((line, index) => {
    const problem = problemOfLine(line);
    return problem ? [{ line: index + 1, problem }] : [];
  });
  return refusals.length > 0 ? { kind: "refused", refusals: refusals.slice(0, maxRefusals) } : { kind: "lines", lines };
}

export interface Findings {
  readonly refuse: (line: number | null, problem: string) => void;
  /** One note per topic: a file with a hundred `route` lines gets one note. */
  readonly note: (topic: string, reason: Reason) => void;
  readonly isFull: () => boolean;
  readonly refusals: readonly Refusal[];
  readonly notes: () => readonly Reason[];
}

export function collectFindings(): Findings {
  const refusals: Refusal[] = [];
  const notes = new Map<string, Reason>();
  return {
    refuse: (line, problem) => {
      if (refusals.length < maxRefusals) refusals.push({ line, problem });
    },
    note: (topic, reason) => {
      if (!notes.has(topic)) notes.set(topic, reason);
    },
    isFull: () => refusals.length >= maxRefusals,
    refusals,
    notes: () => [...notes.values()],
  };
}

/** A number of at most nine digits within bounds; undefined for `+5`, `5.0`, `0x5` or ``. */
export function wholeNumber(text: string, min: number, max: number): number | undefined {
  if (!/^\d{1,9}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

/** Replaces control characters, so that text in a comment stays on its line. */
export const onOneLine = (text: string): string =>
  Array.from(text, (character) => (isControl(character.codePointAt(0)!) ? " " : character)).join("");

const byteOrderMark = "\uFEFF";
const maxBytes = 256 * 1024;
const maxRefusals = 50;

const withoutCarriageReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

function problemOfWhole(text: string): string | undefined {
  if (text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes)
    return "The file is larger than 256 KiB.";
  if (looksLikeUtf16(text)) return "The file is written in UTF-16. Save it as UTF-8 and import it again.";
  if (text.startsWith("ï»¿")) return "The file is UTF-8 but was read as Latin-1. Read it as UTF-8 and import it again.";
  if (!text.isWellFormed()) return "The file contains lone surrogates. Save it as UTF-8.";
  return undefined;
}

/**
 * Detects UTF-16 that was decoded as another encoding: its byte order mark, a NUL next to most letters, or swapped bytes.
 * The beginning is sufficient; a NUL further down is reported with its line.
 */
function looksLikeUtf16(text: string): boolean {
  if (/^(?:\uFFFE|\u00FF\u00FE|\u00FE\u00FF|\uFFFD\uFFFD)/.test(text)) return true;
  const codes = Array.from({ length: Math.min(text.length, 64) }, (_, index) => text.charCodeAt(index));
  const odd = codes.filter((code) => code === 0 || (code > 0xff && (code & 0xff) === 0));
  return odd.length >= 2 && odd.length * 3 >= codes.length;
}

function problemOfLine(line: string): string | undefined {
  for (const character of line) {
    const code = character.codePointAt(0)!;
    if (code === 0xfffd) return "The line contains bytes that are not UTF-8. Save the file as UTF-8.";
    if (code === 0xd) return "The line contains a carriage return, which some programs treat as the end of a line.";
    if (code === 0x2028 || code === 0x2029 || code === 0x85)
      return "The line contains a Unicode line separator, which some programs treat as the end of a line.";
    if (isControl(code)) return `The line contains the control character ${nameOf(code)}.`;
  }
  return undefined;
}

const isControl = (code: number): boolean =>
  (code < 0x20 && code !== 0x9) || (code >= 0x7f && code < 0xa0) || code === 0x2028 || code === 0x2029;

const nameOf = (code: number): string => (code === 0 ? "NUL" : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`);
