/** A regular expression, as far as it can be followed byte by byte without ever going back. */
export type Expression =
  /** One byte, of those marked. Either case of a letter is marked, or neither. */
  | { readonly kind: "byte"; readonly among: Uint8Array }
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  | { readonly kind: "sequence"; readonly parts: readonly Expression[] }
  | { readonly kind: "choice"; readonly options: readonly Expression[] }
  | { readonly kind: "repeat"; readonly of: Expression; readonly least: number; readonly most: number | null };

/** Why a pattern is not taken, in words for people, and where in it. */
export interface Refusal {
  readonly kind: "refused";
  readonly reason: string;
  readonly position: number;
}

const mostCharacters = 1000;
const mostRepeats = 255;

/**
 * Letters, digits and other characters of names, `.`, `[a-z]`, `[^a-z]`, `\d`, `\w`, `\D`, `\W`, `\.` and the like,
 * groups, `|`, `*`, `+`, `?`, `{n,m}`, `^` and `$`. How greedy a repetition is makes no difference here.
 */
export function parseRegex(pattern: string): Expression | Refusal {
  try {
    if (pattern.length > mostCharacters) refuse(`longer than ${mostCharacters} characters`, mostCharacters);
    const text = { pattern, at: 0 };
    const expression = choice(text);
    if (text.at < pattern.length) refuse("a ) that closes no group", text.at);
    return expression;
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

class Refused extends Error {
  readonly refusal: Refusal;
  constructor(reason: string, position: number) {
    super(reason);
    this.refusal = { kind: "refused", reason, position };
  }
}

function refuse(reason: string, position: number): never {
  throw new Refused(reason, position);
}

interface Text {
  readonly pattern: string;
  at: number;
}

const peek = ({ pattern, at }: Text): string => pattern.charAt(at);

function take(text: Text, expected: string): boolean {
  if (!text.pattern.startsWith(expected, text.at)) return false;
  text.at += expected.length;
  return true;
}

function choice(text: Text): Expression {
  const options = [sequence(text)];
  while (take(text, "|")) options.push(sequence(text));
  return options.length === 1 ? options[0]! : { kind: "choice", options };
}

function sequence(text: Text): Expression {
  const parts: Expression[] = [];
  while (!["", "|", ")"].includes(peek(text))) parts.push(repeated(text));
  return { kind: "sequence", parts };
}

function repeated(text: Text): Expression {
  const of = single(text);
  const position = text.at;
  const times = repetition(text);
  if (!times) return of;
  if (of.kind === "start" || of.kind === "end") refuse("nothing to repeat", position);
  take(text, "?");
  if (["*", "+", "?", "{"].includes(peek(text))) refuse("a repetition of a repetition", text.at);
  return { kind: "repeat", of, ...times };
}

function repetition(text: Text): { readonly least: number; readonly most: number | null } | undefined {
  if (take(text, "*")) return { least: 0, most: null };
  if (take(text, "+")) return { least: 1, most: null };
  if (take(text, "?")) return { least: 0, most: 1 };
  const position = text.at;
  if (!take(text, "{")) return undefined;
  const [all, from, comma, to] = /^(\d{1,4})(,?)(\d{0,4})\}/.exec(text.pattern.slice(text.at)) ?? [];
  if (all === undefined || (!comma && to))
    refuse("a { that begins no {n}, {n,} or {n,m}; as a character it is \\{", position);
  text.at += all.length;
  const least = Number(from);
  const most = comma ? (to ? Number(to) : null) : least;
  if (most !== null && most < least) refuse("the second number is less than the first", position);
  if (Math.max(least, most ?? 0) > mostRepeats)
    refuse(`more than ${mostRepeats} repetitions are not affordable`, position);
  return { least, most };
}

function single(text: Text): Expression {
  const position = text.at;
  const character = peek(text);
  text.at += 1;
  switch (character) {
    case "^":
      return { kind: "start" };
    case "$":
      return { kind: "end" };
    case ".":
      return { kind: "byte", among: new Uint8Array(256).fill(1) };
    case "(":
      return group(text, position);
    case "[":
      return { kind: "byte", among: bracket(text, position) };
    case "\\":
      return { kind: "byte", among: folded(escaped(text, position)) };
    case "*":
    case "+":
    case "?":
      return refuse("nothing to repeat", position);
    case "{":
    case "}":
    case "]":
      return refuse(`a ${character} on its own; as a character it is \\${character}`, position);
    default:
      return { kind: "byte", among: folded([plain(character, position)]) };
  }
}

const lookarounds: readonly string[] = ["?=", "?!", "?<=", "?<!"];

function group(text: Text, position: number): Expression {
  if (lookarounds.some((sign) => take(text, sign))) refuse("looking ahead or behind is not possible", position);
  if (!take(text, "?:") && peek(text) === "?")
    refuse("of groups with ? only (?: is known; case never counts", position);
  const inside = choice(text);
  if (!take(text, ")")) refuse("a ( that is not closed", position);
  return inside;
}

function bracket(text: Text, position: number): Uint8Array {
  const isNegated = take(text, "^");
  const bytes: number[] = [];
  while (!take(text, "]")) {
    if (peek(text) === "") refuse("a [ that is not closed", position);
    const at = text.at;
    const from = member(text);
    if (peek(text) !== "-" || ["]", ""].includes(text.pattern.charAt(text.at + 1))) {
      bytes.push(...from);
      continue;
    }
    text.at += 1;
    const to = member(text);
    if (from.length !== 1 || to.length !== 1) refuse("a range has one character at either end", at);
    if (to[0]! < from[0]!) refuse("a range that ends before it begins", at);
    for (let byte = from[0]!; byte <= to[0]!; byte += 1) bytes.push(byte);
  }
  const among = folded(bytes);
  return isNegated ? among.map((is) => 1 - is) : among;
}

function member(text: Text): readonly number[] {
  const position = text.at;
  const character = peek(text);
  text.at += 1;
  if (character === "[") refuse("a [ within [ ]; as a character it is \\[", position);
  return character === "\\" ? escaped(text, position) : [plain(character, position)];
}

function escaped(text: Text, position: number): readonly number[] {
  const character = peek(text);
  text.at += 1;
  if (character === "d") return digits;
  if (character === "D") return allBut(digits);
  if (character === "w") return wordly;
  if (character === "W") return allBut(wordly);
  if (character === "") refuse("a \\ at the end", position);
  if (/[1-9]/.test(character)) refuse("referring back to a group is not possible", position);
  if (/[a-z0]/i.test(character)) refuse(`\\${character} is not known here`, position);
  return [plain(character, position)];
}

function plain(character: string, position: number): number {
  const code = character.charCodeAt(0);
  if (code < 0x20 || code > 0x7e) refuse("names are queried in ASCII; other letters are written as xn--…", position);
  return code;
}

const allBytes = Array.from({ length: 256 }, (_, byte) => byte);
const digits = allBytes.filter((byte) => /[0-9]/.test(String.fromCharCode(byte)));
const wordly = allBytes.filter((byte) => /[0-9a-z_]/i.test(String.fromCharCode(byte)));
const allBut = (bytes: readonly number[]): readonly number[] => allBytes.filter((byte) => !bytes.includes(byte));

function folded(bytes: readonly number[]): Uint8Array {
  const among = new Uint8Array(256);
  for (const byte of bytes) {
    among[byte] = 1;
    if (/[a-z]/i.test(String.fromCharCode(byte))) among[byte ^ 0x20] = 1;
  }
  return among;
}
