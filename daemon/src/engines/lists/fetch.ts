import { because, reported, type Reason } from "@portcullis/contract/reason";
import { collectInto, piecesInside, piecesOf, removeFile, renameFile, type Written } from "../../system/bulk-files.ts";
import { download, type Validators } from "../../system/download.ts";
import { RefusedSource } from "../../system/refused-source.ts";
import type { PqMode } from "../../net/key-exchange.ts";
import type { Entry, ListFormat } from "./lists.model.ts";
import { type Found, readText } from "./text.parse.ts";

/** Fetches a list, validates it, and stores it if it is valid. */
export interface ReadTask {
  readonly kind: "read";
  readonly from:
    | { readonly kind: "url"; readonly url: string; readonly allowPrivate: boolean; readonly known: Validators }
    | { readonly kind: "file"; readonly folder: string; readonly path: string }
    | { readonly kind: "text"; readonly text: string };
  readonly format: ListFormat;
  readonly ownNames: readonly string[];
  /** Where it is stored. */
  readonly path: string;
  /** The stored version, if any. */
  readonly before: { readonly digest: string; readonly entries: number } | null;
  /** The operator requested it, so a much shorter list is accepted. */
  readonly mayShrink: boolean;
  readonly limits: Limits;
  readonly pqMode: PqMode;
}

export interface Limits {
  readonly maxBytes: number;
  readonly limitMs: number;
  readonly maxRedirects: number;
}

export const defaultLimits: Limits = { maxBytes: 64 << 20, limitMs: 120_000, maxRedirects: 5 };

export type ReadAnswer =
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly problem: Reason }
  | { readonly kind: "read"; readonly found: Found; readonly written: Written; readonly validators: Validators };

/** An invalid download never replaces a list. */
export async function readList(task: ReadTask): Promise<ReadAnswer> {
  const draft = `${task.path}.new`;
  try {
    const got = await obtain(task, draft);
    if (got === undefined || got.written.digest === task.before?.digest) return { kind: "unchanged" };
    const invalid = invalidContent(draft);
    if (invalid !== undefined) return { kind: "refused", problem: invalid };
    const found = readFile({ path: draft, format: task.format, ownNames: task.ownNames, emit: () => {} });
    const problem = problemWith(found, task);
    if (problem !== undefined) return { kind: "refused", problem };
    renameFile(draft, task.path);
    return { kind: "read", found, ...got };
  } catch (error) {
    return { kind: "refused", problem: problemOf(error) };
  } finally {
    removeFile(draft);
  }
}

interface Got {
  readonly written: Written;
  readonly validators: Validators;
}

const noValidators: Validators = { etag: null, lastModified: null };

async function obtain({ from, limits, pqMode }: ReadTask, draft: string): Promise<Got | undefined> {
  if (from.kind === "url") {
    const got = await download({ ...from, into: draft, ...limits, pqMode });
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

/** A login or error page, or no text at all. */
function invalidContent(path: string): Reason | undefined {
  const [piece = new Uint8Array()] = piecesOf(path);
  const beginning = piece.subarray(0, 1024);
  if (beginning.includes(0)) return because("list_not_text");
  return /^\uFEFF?\s*</.test(new TextDecoder().decode(beginning)) ? because("list_is_page") : undefined;
}

function problemWith({ entries }: Found, { before, mayShrink }: ReadTask): Reason | undefined {
  if (entries === 0) return because("list_empty");
  const isShrunk = before !== null && before.entries >= 100 && entries * 10 < before.entries;
  return isShrunk && !mayShrink ? because("list_shrunk", { entries, before: before.entries }) : undefined;
}

function problemOf(error: unknown): Reason {
  if (!(error instanceof RefusedSource)) return reported(error instanceof Error ? error.message : String(error));
  const { problem } = error;
  switch (problem.kind) {
    case "status":
      return because("download_status", { status: String(problem.status) });
    case "slow":
      return because("download_slow", { limit_ms: problem.limitMs });
    case "redirected":
      return because("download_redirected", { limit: problem.limit });
    case "packed":
      return because("download_packed", { encoding: problem.encoding });
    case "no-url":
      return because("download_no_url", { url: problem.url });
    case "too-large":
      return because("list_too_large", { megabytes: problem.megabytes });
    case "missing":
      return because("list_file_missing", { folder: problem.folder });
    case "downgraded":
    case "protocol":
    case "password":
    case "inside":
      return because(plainProblems[problem.kind]);
  }
}

const plainProblems = {
  downgraded: "download_downgraded",
  protocol: "download_protocol",
  password: "download_password",
  inside: "download_inside",
} as const;

/** Reads a stored list, one piece at a time. */
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
