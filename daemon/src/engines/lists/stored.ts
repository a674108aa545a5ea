import { isReason, reported, type Reason } from "@portcullis/contract/reason";
import type { Validators } from "../../system/download.ts";
import type { System } from "../../system/system.ts";

/** The stored metadata of a list. */
export interface StoredList {
  /** Its source; another source makes it another list. */
  readonly source: string;
  readonly digest: string;
  readonly entries: number;
  readonly skipped: number;
  readonly bytes: number;
  readonly readAtMs: number;
  /** The last request, whether it was changed or not. */
  readonly requestedAtMs: number;
  readonly failures: number;
  readonly problem: Reason | null;
  readonly validators: Validators;
  /** Of a file on the gateway. */
  readonly stamp: string | null;
}

export interface StoredBuild {
  readonly digest: string;
  readonly names: number;
  readonly bytes: number;
}

export interface StoredLists {
  readonly lists: Readonly<Record<string, StoredList>>;
  readonly build: StoredBuild | null;
}

const nothing: StoredLists = { lists: {}, build: null };
const version = 1;

/** An unreadable file is ignored: then everything is fetched and built again. */
export function readStored(system: System, path: string): StoredLists {
  const text = system.readText(path);
  if (text === undefined) return nothing;
  try {
    const { version: written, ...stored } = JSON.parse(text) as StoredLists & { readonly version: number };
    return written === version ? { ...stored, lists: mapped(stored.lists) } : nothing;
  } catch {
    return nothing; // Not ours.
  }
}

/** A problem of another version may be a sentence, or a code that this version does not have. */
const mapped = (lists: StoredLists["lists"]): StoredLists["lists"] =>
  Object.fromEntries(
    Object.entries(lists).map(([id, list]) => [
      id,
      { ...list, problem: isReason(list.problem) ? list.problem : reportedBefore(list.problem) },
    ]),
  );

const reportedBefore = (problem: unknown): Reason | null =>
  typeof problem === "string" && problem !== "" ? reported(problem) : null;

export const writeStored = (system: System, path: string, stored: StoredLists): void =>
  system.writeAtomically(path, JSON.stringify({ version, ...stored }), 0o600);
