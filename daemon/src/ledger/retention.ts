import type { Database } from "./database.ts";

/**
 * Deletes revisions beyond the newest `keep`, except pinned ones and the base of a pending change, then the versions
 * and digests that no remaining revision contains. Returns the number of deleted revisions.
 */
export function prune(database: Database, keep: number): number {
  const forgotten = database.run(
    `DELETE FROM revision WHERE pinned = 0 AND number <= (SELECT max(number) FROM revision) - ?
       AND number NOT IN (SELECT base FROM pending UNION SELECT revision FROM pending)`,
    keep,
  );
  if (forgotten === 0) return 0;
  database.run(
    `DELETE FROM version WHERE until IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM revision WHERE number >= version.since AND number < version.until)`,
  );
  // A digest is still needed if it is the last one of its kind at or before a remaining revision.
  database.run(
    `DELETE FROM kind_digest AS it WHERE EXISTS (
       SELECT 1 FROM kind_digest AS later WHERE later.kind = it.kind AND later.revision > it.revision
         AND NOT EXISTS (SELECT 1 FROM revision WHERE number >= it.revision AND number < later.revision))`,
  );
  return forgotten;
}
