import type { Cause } from "./change.ts";
import type { Database, Row } from "./database.ts";

export interface AuditEntry {
  readonly id: number;
  readonly timestamp: string;
  readonly actor: string;
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly details: Record<string, unknown>;
}

/** The criteria of a search in the audit log. `before` is the last id of the previous page. */
export interface AuditSearch {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly resource_type?: string | undefined;
  readonly resource_id?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Records, which are not part of revisions. */
export interface Records {
  audit(cause: Cause, resourceId: string, details: Readonly<Record<string, unknown>>): number;
  /** Newest first. */
  searchAudit(search: AuditSearch): AuditEntry[];
  pruneAudit(keep: number): number;
}

export function openRecords(database: Database, now: () => Date): Records {
  return {
    audit: ({ actor, action, resourceType }, resourceId, details) => {
      const row = database.get(
        "INSERT INTO audit (at, actor, action, resource_type, resource_id, details) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
        now().toISOString(),
        actor,
        action,
        resourceType,
        resourceId,
        JSON.stringify(details),
      );
      return Number(row!["id"]);
    },
    searchAudit: (search) => {
      const { sql, values } = auditQuery(search);
      return database.all(sql, ...values).map(toEntry);
    },
    pruneAudit: (keep) => database.run("DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?", keep),
  };
}

function auditQuery({ limit, before, since, until, ...exact }: AuditSearch): {
  sql: string;
  values: (string | number)[];
} {
  const conditions: [string, string | number | undefined][] = [
    ["id < ?", before],
    ["at >= ?", since],
    ["at < ?", until],
    ["actor = ?", exact.actor],
    ["action = ?", exact.action],
    ["resource_type = ?", exact.resource_type],
    ["resource_id = ?", exact.resource_id],
  ];
  const given = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const where = given.length === 0 ? "" : `WHERE ${given.map(({ sql }) => sql).join(" AND ")}`;
  return {
    sql: `SELECT * FROM audit ${where} ORDER BY id DESC LIMIT ?`,
    values: [...given.map(({ value }) => value), limit],
  };
}

const toEntry = ({ id, at, actor, action, resource_type, resource_id, details }: Row): AuditEntry => ({
  id: Number(id),
  timestamp: String(at),
  actor: String(actor),
  action: String(action),
  resource_type: String(resource_type),
  resource_id: String(resource_id),
  details: JSON.parse(String(details)) as Record<string, unknown>,
});
