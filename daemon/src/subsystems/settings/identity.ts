import { randomUUID } from "node:crypto";
import type { Database } from "../../ledger/database.ts";

/** The id of the gateway, generated at its first start. It is not a published resource, because a rollback must not change it. */
export function nodeIdentity(database: Database): string {
  const known = database.get("SELECT value FROM setting WHERE key = 'node_id'");
  if (known) return String(known["value"]);
  const id = randomUUID();
  database.run("INSERT INTO setting (key, value) VALUES ('node_id', ?)", id);
  return id;
}
