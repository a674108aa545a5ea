import type { Database } from "./database.ts";
import type { Resource } from "./collection.ts";

/** A revision that goes back by itself unless somebody confirms it in time. */
export interface Pending {
  readonly revision: number;
  /** Where it goes back to. */
  readonly base: number;
  readonly at: string;
  readonly deadline: string;
  readonly actor: string;
  /** Kinds that cannot change meanwhile. */
  readonly kinds: readonly string[];
  /** Whether going back puts the staged tables back too. An apply keeps them, so that nobody's edits are lost. */
  readonly restage: boolean;
  /** What was staged and not published when a rollback discarded it: going back brings it back. */
  readonly edits: readonly Edit[];
}

/** One staged resource that is not the published one; null where it is only gone from the staged ones. */
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
