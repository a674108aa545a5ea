import type { Validators } from "../../system/download.ts";
import type { System } from "../../system/system.ts";

/** What is known of a list besides its text, across restarts. */
export interface KeptList {
  /** What it was read from; another source makes it another list. */
  readonly source: string;
  readonly digest: string;
  readonly entries: number;
  readonly skipped: number;
  readonly bytes: number;
  readonly readAtMs: number;
  /** The last time it was looked for, found new or not. */
  readonly askedAtMs: number;
  readonly failures: number;
  readonly problem: string;
  readonly validators: Validators;
  /** Of a file on the gateway. */
  readonly stamp: string | null;
}

export interface KeptBuild {
  readonly digest: string;
  readonly names: number;
  readonly bytes: number;
}

export interface Kept {
  readonly lists: Readonly<Record<string, KeptList>>;
  readonly build: KeptBuild | null;
}

const nothing: Kept = { lists: {}, build: null };
const version = 1;

/** What cannot be understood is forgotten: then everything is read again, and built again. */
export function readKept(system: System, path: string): Kept {
  const text = system.readText(path);
  if (text === undefined) return nothing;
  try {
    const { version: written, ...kept } = JSON.parse(text) as Kept & { readonly version: number };
    return written === version ? kept : nothing;
  } catch {
    return nothing; // Written by somebody else.
  }
}

export const writeKept = (system: System, path: string, kept: Kept): void =>
  system.writeAtomically(path, JSON.stringify({ version, ...kept }), 0o600);
