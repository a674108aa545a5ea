import type { Validators } from "../../system/download.ts";
import type { System } from "../../system/system.ts";

/** What is known of a list besides its text, across restarts. */
export interface StoredList {
  /** What it was read from; another source makes it another list. */
  readonly source: string;
  readonly digest: string;
  readonly entries: number;
  readonly skipped: number;
  readonly bytes: number;
  readonly readAtMs: number;
  /** The last time it was looked for, found new or not. */
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

/** What cannot be understood is forgotten: then everything is read again, and built again. */
export function readStored(system: System, path: string): StoredLists {
  const text = system.readText(path);
  if (text === undefined) return nothing;
  try {
    const { version: written, ...kept } = JSON.parse(text) as StoredLists & { readonly version: number };
    return written === version ? kept : nothing;
  } catch {
    return nothing; // Written by somebody else.
  }
}

export const writeStored = (system: System, path: string, kept: StoredLists): void =>
  system.writeAtomically(path, JSON.stringify({ version, ...kept }), 0o600);
