import { readdirSync, readFileSync } from "node:fs";
import type { KnownFormat } from "../daemon/src/engines/lists/detect.parse.ts";
import type { Entry, ListFormat } from "../daemon/src/engines/lists/lists.model.ts";
import { type Found, readText } from "../daemon/src/engines/lists/text.parse.ts";
import { fastestCpuMs } from "./cpu-time.ts";

const folder = new URL("../daemon/src/engines/lists/corpus/", import.meta.url);

export const listFormats = ["hosts", "domains", "adblock", "rpz"] as const;

/** Small lists that look like real ones, by format. */
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
  readonly said: readonly Entry[];
}

/** Reads a text that arrives in pieces of these sizes, over and over. */
export function readPieces(format: ListFormat, text: string, sizes: readonly number[]): ReadWhole {
  const said: Entry[] = [];
  const reader = readText({ format, ownNames: new Set([ownName]), emit: (entry) => said.push(entry) });
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length]!);
    reader.push(text.slice(at, at + size));
    at += size;
  }
  return { ...reader.end(), said };
}

/** Which promises for every text whatsoever this one breaks, each as a sentence. */
export function brokenByList(format: ListFormat, text: string, sizes: readonly number[]): readonly string[] {
  let whole: ReadWhole;
  let pieces: ReadWhole;
  let tookMs: number;
  try {
    whole = readPieces(format, text, [text.length]);
    tookMs = fastestCpuMs(() => readPieces(format, text, [1 << 18]), mostMs(text));
    pieces = readPieces(format, text, sizes);
  } catch (error) {
    return [`it throws ${String(error)}`];
  }
  const { said } = whole;
  const isAscii = /^[\0-\x7f]*$/.test(text);
  const lower = text.toLowerCase();
  return failing({
    [`it takes ${Math.round(tookMs)} ms for ${text.length} characters`]: tookMs <= mostMs(text),
    "pieces make a difference": JSON.stringify(whole) === JSON.stringify(pieces),
    "a name is none": said.every(({ name }) => isName(name)),
    "its count is wrong": said.length === whole.entries,
    "it counts other lines than there are": whole.lines === linesIn(text),
    "a hosts file speaks of more than names": whole.format !== "hosts" || said.every(isPlainHost),
    "bare names have exceptions": whole.format !== "domains" || !said.some(({ isException }) => isException),
    "a name is invented":
      whole.format === "rpz" || !isAscii || said.slice(0, 50).every(({ name }) => lower.includes(name)),
  });
}

const mostMs = (text: string): number => 150 + text.length / 1000;

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

const failing = (laws: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.entries(laws)
    .filter(([, holds]) => !holds)
    .map(([law]) => law);
