import { collectInto, piecesInside, piecesOf, removeFile, renameFile, type Written } from "../../system/bulk-files.ts";
import { download, type Validators } from "../../system/download.ts";
import type { Entry, ListFormat } from "./lists.model.ts";
import { type Found, readText } from "./text.parse.ts";

/** A list to be had, looked at, and kept if it is one. */
export interface ReadTask {
  readonly kind: "read";
  readonly from:
    | { readonly kind: "url"; readonly url: string; readonly allowPrivate: boolean; readonly known: Validators }
    | { readonly kind: "file"; readonly folder: string; readonly path: string }
    | { readonly kind: "text"; readonly text: string };
  readonly format: ListFormat;
  readonly ownNames: readonly string[];
  /** Where it is kept. */
  readonly path: string;
  /** What is kept now, if anything is. */
  readonly before: { readonly digest: string; readonly entries: number } | null;
  /** Somebody looked at it, or put it there just now. */
  readonly mayShrink: boolean;
  readonly limits: Limits;
}

export interface Limits {
  readonly maxBytes: number;
  readonly limitMs: number;
  readonly maxRedirects: number;
}

export const defaultLimits: Limits = { maxBytes: 64 << 20, limitMs: 120_000, maxRedirects: 5 };

export type ReadAnswer =
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly problem: string }
  | { readonly kind: "read"; readonly found: Found; readonly written: Written; readonly validators: Validators };

/** What is not a list never takes the place of one. */
export async function readList(task: ReadTask): Promise<ReadAnswer> {
  const draft = `${task.path}.new`;
  try {
    const got = await obtain(task, draft);
    if (got === undefined || got.written.digest === task.before?.digest) return { kind: "unchanged" };
    const nonsense = nonsenseIn(draft);
    if (nonsense !== undefined) return { kind: "refused", problem: nonsense };
    const found = readFile({ path: draft, format: task.format, ownNames: task.ownNames, emit: () => {} });
    const problem = problemWith(found, task);
    if (problem !== undefined) return { kind: "refused", problem };
    renameFile(draft, task.path);
    return { kind: "read", found, ...got };
  } catch (error) {
    return { kind: "refused", problem: sentence(error) };
  } finally {
    removeFile(draft);
  }
}

interface Got {
  readonly written: Written;
  readonly validators: Validators;
}

const noValidators: Validators = { etag: null, lastModified: null };

async function obtain({ from, limits }: ReadTask, draft: string): Promise<Got | undefined> {
  if (from.kind === "url") {
    const got = await download({ ...from, into: draft, ...limits });
    if (got.kind === "unchanged") return undefined;
    const { etag, lastModified, bytes, digest } = got;
    return { written: { bytes, digest }, validators: { etag, lastModified } };
  }
  const file = collectInto(draft, limits.maxBytes);
  try {
    if (from.kind === "text") file.add(new TextEncoder().encode(from.text));
    else for (const piece of piecesInside(from.folder, from.path)) file.add(piece);
    return { written: file.finish(), validators: noValidators };
  } finally {
    file.close();
  }
}

/** A page that asks for a login or says sorry, or no text at all. */
function nonsenseIn(path: string): string | undefined {
  const [piece = new Uint8Array()] = piecesOf(path);
  const beginning = piece.subarray(0, 1024);
  if (beginning.includes(0)) return "It is no text";
  return /^\uFEFF?\s*</.test(new TextDecoder().decode(beginning)) ? "It is a web page and no list" : undefined;
}

function problemWith({ entries }: Found, { before, mayShrink }: ReadTask): string | undefined {
  if (entries === 0) return "There is no name in it";
  const isShrunk = before !== null && before.entries >= 100 && entries * 10 < before.entries;
  return isShrunk && !mayShrink
    ? `It has ${entries} names left of ${before.entries}; refresh it to take it as it is`
    : undefined;
}

const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reads what is kept. Memory for a piece at a time, however long it is. */
export function readFile({
  path,
  format,
  ownNames,
  emit,
}: {
  readonly path: string;
  readonly format: ListFormat;
  readonly ownNames: readonly string[];
  readonly emit: (entry: Entry) => void;
}): Found {
  const decoder = new TextDecoder();
  const reader = readText({ format, ownNames: new Set(ownNames), emit });
  for (const piece of piecesOf(path)) reader.push(decoder.decode(piece, { stream: true }));
  reader.push(decoder.decode());
  return reader.end();
}
