/** The words of a line, or why OpenVPN would refuse it. */
export type Words =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "refused"; readonly problem: string };

/**
 * Splits a line as OpenVPN does (options_parse.c, parse_line): `"…"` and `'…'` quote, a backslash escapes a space, a
 * quote or itself, `#` and `;` begin a comment where a word could begin. What follows a closing quote is a new word.
 */
export function wordsOf(line: string): Words {
  const words: string[] = [];
  let at = 0;
  while (at < line.length) {
    if (isSpace(line[at]!)) {
      at++;
      continue;
    }
    if (line[at] === "#" || line[at] === ";") break;
    if (words.length === maxWords) return refused(`The line has more than ${maxWords} words.`);
    const word = line[at] === "'" ? inSingleQuotes(line, at + 1) : wordFrom(line, at);
    if (word.kind === "refused") return word;
    if (isLonger(word.text, maxWordBytes)) return refused(`A word of this line has more than ${maxWordBytes} bytes.`);
    words.push(word.text);
    at = word.end;
  }
  return { kind: "words", words };
}

/** A line that splits into exactly these words, which contain no control characters. */
export const lineOf = (words: readonly string[]): string => words.map(quoted).join(" ");

/** In UTF-8, with at most three bytes per UTF-16 unit: short words need not be encoded. */
export const isLonger = (text: string, bytes: number): boolean =>
  text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes;

/** OpenVPN reads lines of at most 255 bytes with their end. */
export const maxLineBytes = 254;

const maxWords = 16;
const maxWordBytes = 255;

type Word = { readonly kind: "word"; readonly text: string; readonly end: number };
type Refused = { readonly kind: "refused"; readonly problem: string };

function inSingleQuotes(line: string, start: number): Word | Refused {
  const end = line.indexOf("'", start);
  return end < 0
    ? refused("A single quote is opened and never closed.")
    : { kind: "word", text: line.slice(start, end), end: end + 1 };
}

function wordFrom(line: string, start: number): Word | Refused {
  const isQuoted = line[start] === '"';
  const parts: string[] = [];
  for (let at = isQuoted ? start + 1 : start; ; at++) {
    const character = line[at];
    if (character === undefined)
      return isQuoted
        ? refused("A double quote is opened and never closed.")
        : { kind: "word", text: parts.join(""), end: at };
    if (isQuoted ? character === '"' : isSpace(character))
      return { kind: "word", text: parts.join(""), end: isQuoted ? at + 1 : at };
    if (character === "\\") {
      const escaped = line[++at];
      if (escaped === undefined || !/[\\" \t]/.test(escaped))
        return refused(
          "A backslash precedes a character that must not be escaped. Write it twice, or use single quotes.",
        );
      parts.push(escaped);
    } else parts.push(character);
  }
}

const isSpace = (character: string): boolean => character === " " || character === "\t";

const refused = (problem: string): Refused => ({ kind: "refused", problem });

const quoted = (word: string): string =>
  /^[A-Za-z0-9_.:,+=@/?!%*-]+$/.test(word) ? word : `"${word.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
