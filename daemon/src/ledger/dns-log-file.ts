import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Row } from "./database.ts";

/** The database of a log. It is separate from the ledger, because its loss does not affect any traffic. */
export interface LogFile {
  all(sql: string, ...values: SQLInputValue[]): Row[];
  run(sql: string, ...values: SQLInputValue[]): number;
  transaction(work: () => void): void;
  /** Writes the WAL back into the file: only then is deleted data gone from the disk. */
  checkpoint(): void;
  close(): void;
}

/** What a log contains. There are no migrations: a log with another version is recreated. */
export interface LogFormat {
  readonly version: number;
  /** Its tables and indexes, in SQL. */
  readonly schema: string;
  readonly pageBytes: number;
}

/** Throws if the file has another schema or is corrupt. */
export function openLogFile(path: string, format: LogFormat = dnsLogFormat): LogFile {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite"); // As in database.ts.
  const sqlite = new DatabaseSync(path, { enableDoubleQuotedStringLiterals: false });
  const statements = new Map<string, StatementSync>();
  try {
    configure(sqlite, format);
    prepare(sqlite, format);
  } catch (error) {
    sqlite.close();
    throw error;
  }
  function prepared(sql: string): StatementSync {
    const known = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, known);
    return known;
  }
  return {
    all: (sql, ...values) => prepared(sql).all(...values) as Row[],
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    transaction: (work) => {
      sqlite.exec("BEGIN IMMEDIATE");
      try {
        work();
        sqlite.exec("COMMIT");
      } catch (error) {
        if (sqlite.isTransaction) sqlite.exec("ROLLBACK");
        throw error;
      }
    },
    checkpoint: () => sqlite.exec("PRAGMA wal_checkpoint(TRUNCATE)"),
    close: () => {
      statements.clear();
      sqlite.close();
    },
  };
}

/** SQLITE_CORRUPT, SQLITE_NOTADB, and another schema: permanent errors. */
export const isCorrupt = (error: unknown): boolean =>
  error instanceof ForeignFile || [11, 26].includes(((error as { errcode?: number }).errcode ?? 0) & 0xff);

export const isOtherVersion = (error: unknown): boolean => error instanceof ForeignFile;

class ForeignFile extends Error {}

/**
 * synchronous = OFF: the log never waits for the disk. A killed daemon loses nothing; a power cut may corrupt the file,
 * which is then recreated. Large pages make a full scan twice as fast. Deleted data is overwritten, because entries are
 * deleted for the privacy of the clients.
 */
function configure(sqlite: DatabaseSync, { pageBytes }: LogFormat): void {
  sqlite.exec(`PRAGMA page_size = ${pageBytes}`);
  sqlite.exec("PRAGMA auto_vacuum = INCREMENTAL");
  sqlite.exec("PRAGMA locking_mode = EXCLUSIVE");
  sqlite.exec("PRAGMA journal_mode = WAL");
  sqlite.exec("PRAGMA synchronous = OFF");
  sqlite.exec("PRAGMA secure_delete = ON");
  sqlite.exec(`PRAGMA wal_autocheckpoint = ${(1 << 20) / pageBytes}`);
  sqlite.exec(`PRAGMA journal_size_limit = ${4 << 20}`);
}

function prepare(sqlite: DatabaseSync, { version, schema }: LogFormat): void {
  const { user_version: found } = sqlite.prepare("PRAGMA user_version").get() as { user_version: number };
  if (found === 0) sqlite.exec(`BEGIN; ${schema}; PRAGMA user_version = ${version}; COMMIT`);
  else if (found !== version) throw new ForeignFile(`Its schema version is ${found}, not ${version}`);
}

/** A span is a range of row ids with its minimum and maximum time, so that a search by time skips the other ranges. */
const dnsSchema = `
  CREATE TABLE answer (
    id INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    client INTEGER NOT NULL,
    name TEXT NOT NULL,
    type INTEGER NOT NULL,
    verdict INTEGER NOT NULL,
    rcode INTEGER NOT NULL,
    cause INTEGER,
    resolver INTEGER NOT NULL,
    side INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    latency_us INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE span (
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    min_ms INTEGER NOT NULL,
    max_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE client (
    id INTEGER PRIMARY KEY,
    address TEXT NOT NULL UNIQUE,
    queries INTEGER NOT NULL,
    blocked INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    has_rows INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE cause (
    id INTEGER PRIMARY KEY,
    resource_type TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (resource_type, resource_id)
  ) STRICT;
  CREATE TABLE minute (
    minute INTEGER PRIMARY KEY,
    queries INTEGER NOT NULL,
    blocked INTEGER NOT NULL,
    cached INTEGER NOT NULL
  ) STRICT;
`;

const dnsLogFormat: LogFormat = { version: 2, schema: dnsSchema, pageBytes: 16_384 };
