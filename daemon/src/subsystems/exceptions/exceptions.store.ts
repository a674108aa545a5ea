import type { Exception, ExceptionType } from "@portcullis/contract/subsystems/exceptions";
import type { Database, Row } from "../../ledger/database.ts";

/** A row, without the fields that depend on the time of the request: active and device_name. */
export type StoredException = Omit<Exception, "active" | "device_name">;

interface Search {
  readonly type?: string | undefined;
  readonly device_id?: string | undefined;
  /** The last id of the previous page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Ids increase with time, so that order of id is order of creation. Writes run inside the caller's change. */
export function exceptionStore(database: Database) {
  return {
    get: (id: string): StoredException | undefined => {
      const row = database.get("SELECT * FROM exception WHERE id = ?", id);
      return row && toException(row);
    },
    /** Newest first. */
    search: ({ type, device_id, before, limit }: Search): { items: StoredException[]; total: number } => {
      const given = { type, device_id };
      const { where, values } = conditions(given);
      const page = conditions({ ...given, before });
      return {
        items: database
          .all(`SELECT * FROM exception${page.where} ORDER BY id DESC LIMIT ?`, ...page.values, limit)
          .map(toException),
        total: Number(database.get(`SELECT count(*) AS total FROM exception${where}`, ...values)!["total"]),
      };
    },
    /** Exceptions that have not ended, the next to expire first. */
    running: (): StoredException[] =>
      database.all("SELECT * FROM exception WHERE ended_at IS NULL ORDER BY expires_at, id").map(toException),
    add: (it: StoredException): void =>
      void database.run(
        "INSERT INTO exception VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)",
        it.id,
        it.type,
        it.device_id,
        Number(it.allow_direct),
        it.duration_min,
        it.reason,
        JSON.stringify(it.destinations),
        it.actor,
        it.created_at,
        it.expires_at,
        JSON.stringify(it.answers),
      ),
    end: (id: string, at: string): void => void database.run("UPDATE exception SET ended_at = ? WHERE id = ?", at, id),
    /** Deletes exceptions that ended before a time, and the oldest ended ones beyond a limit. */
    prune: (before: string, keep: number): void =>
      void database.run(
        `DELETE FROM exception WHERE ended_at < ? OR id IN (
           SELECT id FROM exception WHERE ended_at IS NOT NULL ORDER BY id DESC LIMIT -1 OFFSET ?)`,
        before,
        keep,
      ),
  };
}
export type ExceptionStore = ReturnType<typeof exceptionStore>;

function conditions(given: Pick<Search, "type" | "device_id" | "before">): { where: string; values: string[] } {
  const sql = { type: "type = ?", device_id: "device_id = ?", before: "id < ?" };
  const set = Object.entries(given).flatMap(([field, value]) =>
    value === undefined ? [] : [{ sql: sql[field as keyof typeof sql], value }],
  );
  return {
    where: set.length === 0 ? "" : ` WHERE ${set.map((it) => it.sql).join(" AND ")}`,
    values: set.map(({ value }) => value),
  };
}

const toException = (row: Row): StoredException => ({
  id: String(row["id"]),
  type: row["type"] as ExceptionType,
  device_id: String(row["device_id"]),
  allow_direct: row["allow_direct"] === 1,
  duration_min: Number(row["duration_min"]),
  reason: String(row["reason"]),
  destinations: JSON.parse(String(row["destinations"])) as string[],
  answers: JSON.parse(String(row["answers"])) as Exception["answers"],
  actor: String(row["actor"]),
  created_at: String(row["created_at"]),
  expires_at: String(row["expires_at"]),
  ended_at: row["ended_at"] === null ? null : String(row["ended_at"]),
});
