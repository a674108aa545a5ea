import { type Allowance, excluded, type RetiredWord } from "./retired-words.ts";
import type { Source } from "./source.ts";

/** A retired word in a file. Without a line it is in the name of the file. */
export interface Hit {
  readonly file: string;
  readonly line?: number;
  readonly word: string;
  readonly instead: string;
}

export function retiredWordsIn(sources: readonly Source[], words: readonly RetiredWord[]): Hit[] {
  const everywhere = wordTable(words.filter(({ scope }) => scope === "everywhere"));
  const inNames = wordTable(words.filter(({ scope }) => scope === "names"));
  const all = wordTable(words);
  return sources
    .filter(({ file }) => !excluded.test(file))
    .flatMap(({ file, text }) => [
      ...found(file, all).map(({ word, instead }) => ({ file, word, instead })),
      ...withLines(text, found(text, everywhere)).map((it) => ({ file, ...it })),
      ...withLines(
        text,
        exportedNames(text).flatMap(({ name, index }) => found(name, inNames).map((it) => ({ ...it, index }))),
      ).map((it) => ({ file, ...it })),
    ]);
}

/** The hits that no allowance covers, and the allowances that cover none. */
export function withoutAllowed(hits: readonly Hit[], allowances: readonly Allowance[]) {
  const isCovered = (hit: Hit, { files, word }: Allowance): boolean => hit.word === word && files.test(hit.file);
  return {
    hits: hits.filter((hit) => !allowances.some((it) => isCovered(hit, it))),
    unused: allowances.filter((it) => !hits.some((hit) => isCovered(hit, it))),
  };
}

/** The hits outside of the pending paths, and the pending paths without any hit. */
export function withoutPending(hits: readonly Hit[], pending: readonly string[]) {
  return {
    hits: hits.filter(({ file }) => !pending.some((path) => isBelow(path, file))),
    clean: pending.filter((path) => !hits.some(({ file }) => isBelow(path, file))),
  };
}

/** `lab/` are all files below it, `lab/*` only those directly in it. */
function isBelow(path: string, file: string): boolean {
  if (path.endsWith("/")) return file.startsWith(path);
  if (!path.endsWith("/*")) return file === path;
  return file.startsWith(path.slice(0, -1)) && !file.slice(path.length - 1).includes("/");
}

export const messageOf = ({ file, line, word, instead }: Hit): string =>
  `${file}${line === undefined ? " (file name)" : `:${line}`}: "${word}" is retired, use: ${instead}`;

type WordTable = ReadonlyMap<string, string>;

const wordTable = (words: readonly RetiredWord[]): WordTable =>
  new Map(words.flatMap(({ forms, instead }) => forms.split(" ").map((form) => [form, instead] as const)));

interface Found {
  readonly word: string;
  readonly instead: string;
  readonly index: number;
}

/** Splits camelCase, snake_case and kebab-case. */
function found(text: string, words: WordTable): Found[] {
  const hits: Found[] = [];
  const token = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const word = match[0].toLowerCase();
    const instead = words.get(word);
    if (instead !== undefined) hits.push({ word, instead, index: match.index });
  }
  return hits;
}

const exportedNames = (text: string): { readonly name: string; readonly index: number }[] =>
  [...text.matchAll(/^export (?:async )?(?:const|let|function\*?|interface|type|class) (\w+)/gm)].map((match) => ({
    name: match[1]!,
    index: match.index + match[0].length - match[1]!.length,
  }));

/** Counts lines from one hit to the next, because some generated files are large. */
function withLines(text: string, hits: readonly Found[]): Omit<Hit, "file">[] {
  let [line, counted] = [1, 0];
  return hits.map(({ word, instead, index }) => {
    for (let end = text.indexOf("\n", counted); end !== -1 && end < index; end = text.indexOf("\n", counted)) {
      line += 1;
      counted = end + 1;
    }
    return { line, word, instead };
  });
}
