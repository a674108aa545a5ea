import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readTree } from "../scripts/proof/sources.ts";
import { withRetiredWords } from "./glossary.ts";
import { allowances, excluded, pending, type RetiredWord, retiredWords } from "./retired-words.ts";
import { messageOf, retiredWordsIn, withoutAllowed, withoutPending } from "./word-scan.ts";

const root = join(import.meta.dirname, "..");

describe("the repository", () => {
  const files = readTree(root).paths.filter((file) => !excluded.test(file));
  const sources = files.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
  const allowed = withoutAllowed(retiredWordsIn(sources, retiredWords), allowances);
  const checked = withoutPending(allowed.hits, pending);

  test("has no retired word outside of the pending paths", () => {
    expect(sources.length).toBeGreaterThan(1000);
    expect(checked.hits.map(messageOf)).toEqual([]);
  });

  test("has a retired word in every pending path (remove the others from `pending`)", () =>
    expect(checked.clean).toEqual([]));

  test("needs every allowance (remove the others from `allowances`)", () =>
    expect(allowed.unused.map(({ files: it, word }) => `${it} ${word}`)).toEqual([]));
});

describe("retired words", () => {
  const words: readonly RetiredWord[] = [
    { forms: "shelf shelves", instead: "collection", scope: "everywhere" },
    { forms: "crowd", instead: "clients", scope: "names" },
  ];
  const wordsIn = (file: string, text = "") =>
    retiredWordsIn([{ file, text }], words).map(({ word, line }) => `${word} ${line ?? "name"}`);

  test.each([
    ["an identifier", "cli/src/a.ts", "const a = 1;\nconst topShelf = a;", "shelf 2"],
    ["an identifier in snake case", "daemon/a.py", "top_shelf = 1", "shelf 1"],
    ["a constant", "cli/src/a.ts", "const TOP_SHELF = 1;", "shelf 1"],
    ["a type", "cli/src/a.ts", "interface ShelfOptions {}", "shelf 1"],
    ["a comment", "cli/src/a.ts", "// On the shelves.", "shelves 1"],
    ["a string", "cli/src/a.ts", 'throw new Error("The shelf is empty");', "shelf 1"],
    ["Markdown", "docs/a.md", "# A\n\nThe shelf.", "shelf 3"],
    ["a file name", "cli/src/top-shelf.ts", "", "shelf name"],
    ["a folder name", "cli/shelf/a.ts", "", "shelf name"],
    ["a file name, of a word that prose may use", "lab/crowd.py", "", "crowd name"],
    ["an export, of a word that prose may use", "lab/a.ts", "\nexport const crowdSize = 3;", "crowd 2"],
  ])("are found in %s", (_, file, text, hit) => expect(wordsIn(file, text)).toEqual([hit]));

  test.each([
    ["inside of another word", "cli/src/a.ts", "const bookshelf = 1; // Shelfmark"],
    ["in prose, if only names are checked", "docs/a.md", "A crowd of clients."],
    ["in local names, if only exports are checked", "lab/a.ts", "const crowd = 3;"],
    ["in generated records", "docs/proof.md", "the shelf"],
  ])("are accepted %s", (_, file, text) => expect(wordsIn(file, text)).toEqual([]));

  test("a hit is reported with its place and its replacement", () => {
    const hits = retiredWordsIn([{ file: "cli/shelf.ts", text: "\n// shelves" }], words);
    expect(hits.map(messageOf)).toEqual([
      'cli/shelf.ts (file name): "shelf" is retired, use: collection',
      'cli/shelf.ts:2: "shelves" is retired, use: collection',
    ]);
  });

  const hits = retiredWordsIn(
    [
      { file: "lab/a.ts", text: "// shelf" },
      { file: "web/b.ts", text: "// shelf" },
    ],
    words,
  );

  test("an allowance covers one word in its files, and is reported if it covers nothing", () => {
    const inLab = { files: /^lab\//, word: "shelf", reason: "" };
    const inCli = { files: /^cli\//, word: "shelf", reason: "" };
    const otherForm = { files: /^web\//, word: "shelves", reason: "" };
    const left = withoutAllowed(hits, [inLab, inCli, otherForm]);
    expect(left.hits.map(({ file }) => file)).toEqual(["web/b.ts"]);
    expect(left.unused).toEqual([inCli, otherForm]);
  });

  test("a pending path hides its hits, and is reported if it has none", () => {
    const left = withoutPending(hits, ["lab/", "cli/"]);
    expect(left.hits.map(({ file }) => file)).toEqual(["web/b.ts"]);
    expect(left.clean).toEqual(["cli/"]);
    const deeper = retiredWordsIn([{ file: "lab/leaks/a.ts", text: "// shelf" }], words);
    expect(withoutPending(deeper, ["lab/"]).hits).toEqual([]);
    expect(withoutPending(deeper, ["lab/*", "lab/leaks/a"]).clean).toEqual(["lab/*", "lab/leaks/a"]);
    expect(withoutPending(deeper, ["lab/leaks/*"]).hits).toEqual([]);
  });

  test("no form is listed twice", () => {
    const forms = retiredWords.flatMap((it) => it.forms.split(" "));
    expect(forms.filter((form, index) => forms.indexOf(form) !== index)).toEqual([]);
  });

  test("docs/glossary.md lists them (`npm run glossary` regenerates the table)", () => {
    const document = readFileSync(join(root, "docs/glossary.md"), "utf8");
    expect(withRetiredWords(document, retiredWords)).toBe(document);
    expect(withRetiredWords(document, words)).not.toBe(document);
  });
});
