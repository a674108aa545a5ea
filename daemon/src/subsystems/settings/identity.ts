import { randomUUID } from "node:crypto";
import type { Database } from "../../ledger/database.ts";

/** The gateway's own id, made at its first start. It is no published resource: a rollback must not change who we are. */
export function nodeIdentity(database: Database): string {
  const known = database.get("SELECT value FROM setting WHERE key = 'node_id'");
  if (known) return String(known["value"]);
  const id = randomUUID();
  database.run("INSERT INTO setting (key, value) VALUES ('node_id', ?)", id);
  return id;
}
