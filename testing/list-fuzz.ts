import type { KnownFormat } from "../daemon/src/engines/lists/detect.parse.ts";
import { listCorpus, ownName } from "./list-files.ts";
import { randomFrom } from "./seed.ts";

/** Valid, mutated and hostile lists, and the sizes of the chunks in which they are read. */
export function listText(
  format: KnownFormat,
  seed: number,
): { readonly text: string; readonly sizes: readonly number[] } {
  const random = randomFrom(seed);
  const below = (bound: number): number => Math.floor(random() * bound);
  const of = <T>(choices: readonly T[]): T => choices[below(choices.length)]!;
  const chance: Chance = { below, of };
  // Mostly of this format. Users declare the wrong format often enough.
  const file = (): string =>
    of(listCorpus.filter((it) => below(5) === 0 || it.format === format).concat(ofFormat(format))).text;
  let text = below(4) === 0 ? written(chance) : file();
  for (let left = below(5); left > 0; left--) text = of(mutations)({ text, file, chance }).slice(0, maxCharacters);
  return { text, sizes: Array.from({ length: 1 + below(5) }, () => 1 + below(of([3, 100, 70_000, 300_000]))) };
}

const ofFormat = (format: KnownFormat) => listCorpus.filter((it) => it.format === format);

const maxCharacters = 256 * 1024;

interface Chance {
  readonly below: (bound: number) => number;
  readonly of: <T>(choices: readonly T[]) => T;
}

type Mutation = (material: { readonly text: string; readonly file: () => string; readonly chance: Chance }) => string;

const mutations: readonly Mutation[] = [
  ({ text, file, chance }) => {
    const other = file();
    return text.slice(0, chance.below(text.length + 1)) + other.slice(chance.below(other.length + 1));
  },
  ({ text, chance }) => {
    const at = chance.below(text.length + 1);
    const flipped = String.fromCharCode((text.charCodeAt(at) || 65) ^ (1 << chance.below(8)));
    return text.slice(0, at) + flipped + text.slice(at + 1);
  },
  ({ text, chance }) => {
    const at = chance.below(text.length + 1);
    return text.slice(0, at) + chance.of(hostile) + text.slice(at);
  },
  ({ text, chance }) => inLines(text, (lines) => lines.splice(chance.below(lines.length + 1), 0, chance.of(hostile))),
  ({ text, chance }) => inLines(text, (lines) => lines.splice(chance.below(lines.length), 1)),
  ({ text, chance }) =>
    inLines(text, (lines) => {
      const at = chance.below(lines.length);
      const line = lines[at]!;
      lines[at] = chance.of([
        line.toUpperCase(),
        ` ${line}`,
        `${line}\t# x`,
        `${line}\r`,
        `@@${line}`,
        `||${line}^`,
        `*.${line}`,
      ]);
    }),
  ({ text, chance }) => text.slice(0, chance.below(text.length + 1)),
  ({ text }) => `\uFEFF${text}`,
  ({ text, chance }) => {
    const from = chance.below(text.length + 1);
    const piece = text.slice(from, from + 1 + chance.below(chance.of([4, 40, 4000])));
    const times = chance.below(chance.of([4, 100, 1 + Math.ceil(maxCharacters / (piece.length || 1))]));
    return (text.slice(0, from) + piece.repeat(times) + text.slice(from)).slice(0, maxCharacters);
  },
];

function inLines(text: string, change: (lines: string[]) => void): string {
  const lines = text.split("\n");
  change(lines);
  return lines.join("\n");
}

/** From the grammars of all formats, for what no corpus file contains. */
function written({ below, of }: Chance): string {
  const line = (): string => Array.from({ length: 1 + below(4) }, () => of(words)).join(of([" ", "\t", "", "."]));
  return Array.from({ length: 1 + below(200) }, line).join(of(["\n", "\r\n"]));
}

const words = [
  ..."0.0.0.0 127.0.0.1 :: ::1 192.0.2.1 a.example b.c.example localhost com 1.2.3 0x7f.1 xn--a xn--bcher-kva.de".split(
    " ",
  ),
  ..."|| @@|| @@ | ^ ^| ^$important ^$all ^$third-party ^$ $, *. . .. * ## #@# # ! ; [x] /re/".split(" "),
  ...'@ $ORIGIN $TTL $INCLUDE IN 60 1h CNAME A AAAA SOA NS TXT ( ) rpz-passthru. rpz-ip rpz.example. "a;b"'.split(" "),
  ..."bücher.example ＡＤＳ.example ｅｘａｍｐｌｅ。com ß.example ä ١٢٣ １.２.３.４ \u200d.a.b 例え.テスト".split(" "),
  ownName,
  "a".repeat(63) + ".example",
  "a".repeat(64) + ".example",
  "ä".repeat(60) + ".example",
  Array.from({ length: 126 }, () => "a").join("."),
  Array.from({ length: 128 }, () => "a").join("."),
];

const hostile = [
  ...Array.from("\0\r\u2028\u0085\uFEFF\uFFFD\u202E\u00A0\t\v\\\"'#;$^|@*()[]/!\n "),
  "\r\n",
  "\uD800",
  "0.0.0.0 " + "a.b ".repeat(30_000),
  "(".repeat(50_000),
  "a.".repeat(60_000),
  ".".repeat(100_000),
  " ".repeat(100_000),
  "#".repeat(100_000),
  "|".repeat(4000),
  "||" + "a".repeat(4000) + "^",
  "||a.example^$" + ",".repeat(4000),
  "ä".repeat(4000),
  "ä.".repeat(120) + "example",
  "xn--" + "9".repeat(59) + ".example",
  "\n".repeat(50_000),
  "||a.example^\n".repeat(10_000),
  "0.0.0.0 bücher.example\n".repeat(8000),
  "x CNAME .\n".repeat(10_000),
  "$ORIGIN a\n".repeat(10_000),
  "$ORIGIN " + "a.".repeat(2000) + "\n@ SOA .\nx CNAME .\n",
  "\\".repeat(4000),
  '"'.repeat(4001),
  "<!doctype html><html>",
  "__proto__.example",
  "constructor",
];
