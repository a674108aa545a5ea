import { escapeControls } from "../escape.ts";

/** The terminal a person reads. */
export interface Screen {
  readonly columns: number;
  readonly colors: boolean;
  /** IANA name; the zone of the machine unless given. */
  readonly timeZone?: string;
}

export type Style = "good" | "bad" | "warn" | "dim" | "strong";

interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** One line of text with styles. Every text in it is escaped, so no name can control the terminal. */
export type Rich = readonly Span[];

/** A template whose plain values are escaped: say`${name} is ${bad("blocked")}`. */
export const sentence = (texts: TemplateStringsArray, ...values: readonly (Rich | string | number)[]): Rich =>
  texts.flatMap((text, index) => [{ text }, ...(index < values.length ? rich(values[index]!) : [])]);

/** A value on one line. */
export const rich = (value: Rich | string | number): Rich =>
  typeof value === "object" ? value : [{ text: escapeControls(String(value)) }];

const styled = (style: Style) => (value: Rich | string | number) => rich(value).map(({ text }) => ({ text, style }));
export const good = styled("good");
export const bad = styled("bad");
export const warn = styled("warn");
export const dim = styled("dim");
export const strong = styled("strong");
export const withStyle = (value: string, style: Style | undefined): Rich =>
  style === undefined ? rich(value) : styled(style)(value);

export const plainText = (line: Rich): string => line.map(({ text }) => text).join("");

/** Lines separated by a text, as one line. */
export const joined = (parts: readonly Rich[], separator: string): Rich =>
  parts.flatMap((part, index) => (index === 0 ? part : [{ text: separator }, ...part]));

/** A line as the terminal shows it. */
export const shown = (line: Rich, { colors }: Pick<Screen, "colors">): string =>
  line
    .map(({ text, style }) => (colors && style !== undefined ? `\u001b[${codes[style]}m${text}\u001b[0m` : text))
    .join("")
    .trimEnd();

const codes: Readonly<Record<Style, string>> = { good: "32", bad: "31", warn: "33", dim: "2", strong: "1" };

/** Lines as the terminal shows them, wrapped at its width. The second column of a line stays a column. */
export const page = (lines: readonly Rich[], screen: Screen): string =>
  lines
    .flatMap((line) => wrapped(line, screen.columns, hangingIndent(plainText(line))))
    .map((line) => `${shown(line, screen)}\n`)
    .join("");

const widestFirstColumn = 34;

function hangingIndent(text: string): number {
  const [margin] = /^ */.exec(text)!;
  const [, first = ""] = /^( *\S.*? {2,})\S/.exec(text) ?? [];
  if (first !== "" && widthOf(first) <= widestFirstColumn) return widthOf(first);
  return margin.length;
}

/** Breaks a line at spaces. A word that is wider than the line is not broken: it can be copied. */
export function wrapped(line: Rich, columns: number, indent = 0): Rich[] {
  if (widthOf(plainText(line)) <= columns) return [line];
  const lines: Rich[] = [];
  let current: Span[] = [];
  let width = 0;
  let hasWord = false;
  for (const { word, space } of wordsOf(line)) {
    const wordWidth = widthOf(plainText(word));
    if (hasWord && width + space.length + wordWidth > columns) {
      lines.push(current);
      current = [{ text: " ".repeat(indent) }];
      width = indent;
    } else {
      current.push({ text: space });
      width += space.length;
    }
    current.push(...word);
    width += wordWidth;
    hasWord ||= wordWidth > 0;
  }
  return [...lines, current];
}

/** The words of a line, each with the space before it. A word may have several styles. */
function wordsOf(line: Rich): { readonly space: string; readonly word: Rich }[] {
  const words: { space: string; word: Span[] }[] = [];
  let isInWord = false;
  for (const { text, style } of line)
    for (const piece of text.split(/( +)/).filter((it) => it !== "")) {
      if (piece.startsWith(" ")) words.push({ space: piece, word: [] });
      else if (isInWord || words.at(-1)?.word.length === 0) words.at(-1)!.word.push({ text: piece, style });
      else words.push({ space: "", word: [{ text: piece, style }] });
      isInWord = !piece.startsWith(" ");
    }
  return words;
}

/** The beginning of a line, with an ellipsis if it is longer. */
export function cut(line: Rich, columns: number): Rich {
  if (widthOf(plainText(line)) <= columns) return line;
  let left = columns - 1;
  const kept: Span[] = [];
  for (const { text, style } of line) {
    let part = "";
    for (const { segment } of graphemes.segment(text)) {
      const width = widthOf(segment);
      if (width > left) return [...kept, { text: `${part}…`, style }];
      part += segment;
      left -= width;
    }
    kept.push({ text: part, style });
  }
  return kept;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const isWide =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|[\uff01-\uff60])/u;

/** The width of a text in terminal columns. */
export const widthOf = (text: string): number =>
  /^[\x20-\x7e]*$/.test(text)
    ? text.length
    : [...graphemes.segment(text)].reduce((sum, { segment }) => sum + (isWide.test(segment) ? 2 : 1), 0);
