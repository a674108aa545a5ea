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
  readonly problem: string;
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
    return written === version ? stored : nothing;
  } catch {
    return nothing; // Not ours.
  }
}

export const writeStored = (system: System, path: string, stored: StoredLists): void =>
  system.writeAtomically(path, JSON.stringify({ version, ...stored }), 0o600);
