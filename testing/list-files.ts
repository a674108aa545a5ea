import { readdirSync, readFileSync } from "node:fs";
import type { KnownFormat } from "../daemon/src/engines/lists/detect.parse.ts";
import type { Entry, ListFormat } from "../daemon/src/engines/lists/lists.model.ts";
import { type Found, readText } from "../daemon/src/engines/lists/text.parse.ts";
import { fastestCpuMs } from "./cpu-time.ts";

const folder = new URL("../daemon/src/engines/lists/corpus/", import.meta.url);

export const listFormats = ["hosts", "domains", "adblock", "rpz"] as const;

/** Small lists similar to real ones, by format. */
export const listCorpus: readonly { readonly name: string; readonly format: KnownFormat; readonly text: string }[] =
  readdirSync(folder)
    .toSorted()
    .map((name) => ({
      name,
      format: listFormats.find((it) => name.endsWith(`.${it}`))!,
      text: readFileSync(new URL(name, folder), "utf8"),
    }));

/** The name of the machine in all tests of lists. */
export const ownName = "gateway.home.example";

export interface ReadWhole extends Found {
  readonly found: readonly Entry[];
}

/** Reads a text in chunks of these sizes, repeated until its end. */
export function readPieces(format: ListFormat, text: string, sizes: readonly number[]): ReadWhole {
  const found: Entry[] = [];
  const reader = readText({ format, ownNames: new Set([ownName]), emit: (entry) => found.push(entry) });
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length]!);
    reader.push(text.slice(at, at + size));
    at += size;
  }
  return { ...reader.end(), found };
}

/** The properties of every text that this one violates, each as a sentence. */
export function listViolations(format: ListFormat, text: string, sizes: readonly number[]): readonly string[] {
  let whole: ReadWhole;
  let pieces: ReadWhole;
  let tookMs: number;
  try {
    whole = readPieces(format, text, [text.length]);
    tookMs = fastestCpuMs(() => readPieces(format, text, [1 << 18]), maxMs(text));
    pieces = readPieces(format, text, sizes);
  } catch (error) {
    return [`it throws ${String(error)}`];
  }
  const { found } = whole;
  const isAscii = /^[\0-\x7f]*$/.test(text);
  const lower = text.toLowerCase();
  return failing({
    [`it takes ${Math.round(tookMs)} ms for ${text.length} characters`]: tookMs <= maxMs(text),
    "the chunks change the result": JSON.stringify(whole) === JSON.stringify(pieces),
    "a name is invalid": found.every(({ name }) => isName(name)),
    "its count is wrong": found.length === whole.entries,
    "its number of lines is wrong": whole.lines === linesIn(text),
    "a hosts file has entries other than exact names": whole.format !== "hosts" || found.every(isPlainHost),
    "a list of domains has exceptions": whole.format !== "domains" || !found.some(({ isException }) => isException),
    "a name is not in the text":
      whole.format === "rpz" || !isAscii || found.slice(0, 50).every(({ name }) => lower.includes(name)),
  });
}

/** CPU time depends on the machine. A parser whose cost grows with the square of the text needs a hundred times as much. */
const maxMs = (text: string): number => 150 + text.length / 200;

const isName = (name: string): boolean =>
  name.length <= 253 &&
  name.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label)) &&
  !/(?:^|\.)[0-9]+$/.test(name);

const isPlainHost = ({ name, scope, isException }: Entry): boolean =>
  scope === "exact" && !isException && name !== ownName && name.includes(".");

function linesIn(text: string): number {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  return lines.length - (lines.at(-1) === "" ? 1 : 0);
}

const failing = (properties: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.entries(properties)
    .filter(([, holds]) => !holds)
    .map(([property]) => property);
