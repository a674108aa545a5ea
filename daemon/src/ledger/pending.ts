import type { Database } from "./database.ts";
import type { Resource } from "./collection.ts";

/** A revision that is reverted unless it is confirmed in time. */
export interface Pending {
  readonly revision: number;
  /** The revision that a revert restores. */
  readonly base: number;
  readonly at: string;
  readonly deadline: string;
  readonly actor: string;
  /** Kinds that are locked meanwhile. */
  readonly kinds: readonly string[];
  /** Whether a revert restores the staged tables too. After an apply it keeps them, so that no edits are lost. */
  readonly restage: boolean;
  /** Staged changes that a rollback discarded; a revert restores them. */
  readonly edits: readonly Edit[];
}

/** A staged resource that differs from the published one; null: it is deleted in the staged state. */
export interface Edit {
  readonly kind: string;
  readonly id: string;
  readonly resource: Resource | null;
}

export function readPending(database: Database): Pending | undefined {
  const row = database.get("SELECT * FROM pending");
  return (
    row && {
      revision: Number(row["revision"]),
      base: Number(row["base"]),
      at: String(row["at"]),
      deadline: String(row["deadline"]),
      actor: String(row["actor"]),
      kinds: JSON.parse(String(row["kinds"])) as string[],
      restage: row["restage"] === 1,
      edits: JSON.parse(String(row["edits"])) as Edit[],
    }
  );
}

export function writePending(
  database: Database,
  { revision, base, at, deadline, actor, kinds, restage, edits }: Pending,
): void {
  database.run(
    `INSERT INTO pending (only_one, revision, base, at, deadline, actor, kinds, restage, edits)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`,
    revision,
    base,
    at,
    deadline,
    actor,
    JSON.stringify(kinds),
    restage ? 1 : 0,
    JSON.stringify(edits),
  );
}

export const clearPending = (database: Database): void => void database.run("DELETE FROM pending");
