import type { Pause, PauseSourceType, PauseType } from "@portcullis/contract/subsystems/pauses";
import type { Database, Row } from "../../ledger/database.ts";

/** A row: a pause without the fields that depend on the time of the request and on other resources. */
export interface StoredPause
  extends Omit<Pause, "active" | "remaining_sec" | "source_name" | "unpaused" | "unpaused_total"> {
  /** The boot in which it was created. */
  readonly boot: string;
  /** Its end, by the monotonic clock of that boot. */
  readonly deadline_ms: number;
}

interface Search {
  readonly type?: string | undefined;
  /** The last id of the previous page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Ids increase with time, so that order of id is order of creation. Writes run inside the caller's change. */
export function pauseStore(database: Database) {
  return {
    get: (id: string): StoredPause | undefined => {
      const row = database.get("SELECT * FROM pause WHERE id = ?", id);
      return row && toPause(row);
    },
    /** Newest first. */
    search: ({ type, before, limit }: Search): { items: StoredPause[]; total: number } => {
      const isType = type === undefined ? { sql: "", values: [] } : { sql: " AND type = ?", values: [type] };
      const isBefore = before === undefined ? { sql: "", values: [] } : { sql: " AND id < ?", values: [before] };
      const page = `SELECT * FROM pause WHERE true${isType.sql}${isBefore.sql} ORDER BY id DESC LIMIT ?`;
      const count = `SELECT count(*) AS total FROM pause WHERE true${isType.sql}`;
      return {
        items: database.all(page, ...isType.values, ...isBefore.values, limit).map(toPause),
        total: Number(database.get(count, ...isType.values)!["total"]),
      };
    },
    /** Pauses that have not ended, the next to expire first. */
    running: (): StoredPause[] =>
      database.all("SELECT * FROM pause WHERE ended_at IS NULL ORDER BY expires_at, id").map(toPause),
    add: (it: StoredPause): void =>
      void database.run(
        "INSERT INTO pause VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)",
        it.id,
        it.type,
        it.source_type,
        it.source_value,
        it.domain,
        it.duration_min,
        it.reason,
        it.actor,
        it.created_at,
        it.expires_at,
        it.boot,
        it.deadline_ms,
      ),
    end: (id: string, at: string): void => void database.run("UPDATE pause SET ended_at = ? WHERE id = ?", at, id),
    /** Deletes pauses that ended before a time, and the oldest ended ones beyond a limit. */
    prune: (before: string, keep: number): void =>
      void database.run(
        `DELETE FROM pause WHERE ended_at < ? OR id IN (
           SELECT id FROM pause WHERE ended_at IS NOT NULL ORDER BY id DESC LIMIT -1 OFFSET ?)`,
        before,
        keep,
      ),
  };
}
export type PauseStore = ReturnType<typeof pauseStore>;

const toPause = (row: Row): StoredPause => ({
  id: String(row["id"]),
  type: row["type"] as PauseType,
  source_type: row["source_type"] as PauseSourceType,
  source_value: String(row["source_value"]),
  domain: row["domain"] === null ? null : String(row["domain"]),
  duration_min: Number(row["duration_min"]),
  reason: String(row["reason"]),
  actor: String(row["actor"]),
  created_at: String(row["created_at"]),
  expires_at: String(row["expires_at"]),
  ended_at: row["ended_at"] === null ? null : String(row["ended_at"]),
  boot: String(row["boot"]),
  deadline_ms: Number(row["deadline_ms"]),
});
