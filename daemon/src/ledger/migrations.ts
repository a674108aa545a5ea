/** Append-only. An applied migration must not change: every ledger stores its checksum. */
export const migrations: readonly string[] = [
  // staged: the staged resources. version: the published resources, from one revision until another.
  // A bucket's digest covers its live versions; a kind's covers its buckets; a revision's covers the kinds.
  `CREATE TABLE staged (
     kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, digest TEXT NOT NULL,
     PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID;
   CREATE TABLE version (
     kind TEXT NOT NULL, bucket INTEGER NOT NULL, id TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER,
     body TEXT NOT NULL, digest TEXT NOT NULL,
     PRIMARY KEY (kind, bucket, id, since)) STRICT, WITHOUT ROWID;
   CREATE TABLE bucket (
     kind TEXT NOT NULL, bucket INTEGER NOT NULL, digest TEXT NOT NULL,
     PRIMARY KEY (kind, bucket)) STRICT, WITHOUT ROWID;
   CREATE TABLE kind_digest (
     kind TEXT NOT NULL, revision INTEGER NOT NULL, digest TEXT NOT NULL,
     PRIMARY KEY (kind, revision)) STRICT, WITHOUT ROWID;
   CREATE TABLE revision (
     number INTEGER PRIMARY KEY, at TEXT NOT NULL, actor TEXT NOT NULL, cause TEXT NOT NULL, digest TEXT NOT NULL,
     changed INTEGER NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, note TEXT NOT NULL DEFAULT '') STRICT;
   CREATE TABLE pending (
     only_one INTEGER PRIMARY KEY CHECK (only_one = 1), revision INTEGER NOT NULL, base INTEGER NOT NULL,
     at TEXT NOT NULL, deadline TEXT NOT NULL, actor TEXT NOT NULL, kinds TEXT NOT NULL,
     restage INTEGER NOT NULL, edits TEXT NOT NULL) STRICT;`,
  // Records, which are not part of revisions.
  `CREATE TABLE audit (
     id INTEGER PRIMARY KEY, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
     resource_type TEXT NOT NULL, resource_id TEXT NOT NULL, details TEXT NOT NULL) STRICT;
   CREATE INDEX audit_by_resource ON audit (resource_type, resource_id);`,
  // Settings, and the sealed values of secrets. Values are immutable; a change adds a version.
  `CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE sealed_value (
     secret_id TEXT NOT NULL, version INTEGER NOT NULL, form TEXT NOT NULL CHECK (form IN ('enc', 'plain')), value TEXT NOT NULL,
     PRIMARY KEY (secret_id, version)) STRICT, WITHOUT ROWID;`,
  // Admin account, sessions and API keys.
  `CREATE TABLE admin (
     only_one INTEGER PRIMARY KEY CHECK (only_one = 1), username TEXT NOT NULL, password TEXT NOT NULL) STRICT;
   CREATE TABLE session (
     id TEXT PRIMARY KEY, username TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL, address TEXT NOT NULL)
     STRICT, WITHOUT ROWID;
   CREATE TABLE api_key (
     id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
     created_at TEXT NOT NULL, expires_at TEXT) STRICT, WITHOUT ROWID;`,
  // Numbers of names in the kernel.
  `CREATE TABLE allocation (
     kind TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL,
     PRIMARY KEY (kind, name), UNIQUE (kind, number)) STRICT, WITHOUT ROWID;`,
  // Exceptions are not a published kind, so that no rollback restores one.
  `CREATE TABLE exception (
     id TEXT PRIMARY KEY, type TEXT NOT NULL, device_id TEXT NOT NULL, allow_direct INTEGER NOT NULL,
     duration_min INTEGER NOT NULL, reason TEXT NOT NULL, destinations TEXT NOT NULL, actor TEXT NOT NULL,
     created_at TEXT NOT NULL, expires_at TEXT NOT NULL, ended_at TEXT) STRICT, WITHOUT ROWID;
   CREATE INDEX exception_running ON exception (expires_at) WHERE ended_at IS NULL;`,
  // The API key of a session: the session has the current validity of the key.
  `ALTER TABLE session ADD COLUMN key_id TEXT;
   CREATE INDEX session_by_key ON session (key_id);`,
  // DNS answers for the device of an exception.
  `ALTER TABLE exception ADD COLUMN answers TEXT NOT NULL DEFAULT '[]';`,
  // The fingerprint of the passphrase of a value, so that a lost passphrase is detected without decrypting every value.
  `ALTER TABLE sealed_value ADD COLUMN passphrase_id TEXT;`,
  // Pauses are no published kind either. boot and deadline_ms: the end by the monotonic clock of that boot.
  `CREATE TABLE pause (
     id TEXT PRIMARY KEY, type TEXT NOT NULL, source_type TEXT NOT NULL, source_value TEXT NOT NULL, domain TEXT,
     duration_min INTEGER NOT NULL, reason TEXT NOT NULL, actor TEXT NOT NULL, created_at TEXT NOT NULL,
     expires_at TEXT NOT NULL, ended_at TEXT, boot TEXT NOT NULL, deadline_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE INDEX pause_running ON pause (expires_at) WHERE ended_at IS NULL;`,
  // Which configuration documents created or adopted which resources: only these are pruned with a document.
  `CREATE TABLE document_resource (
     owner TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (owner, kind, id)) STRICT, WITHOUT ROWID;
   CREATE INDEX document_resource_owners ON document_resource (kind, id);`,
];
