import { hash } from "node:crypto";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** A row of SQLite: our tables contain text, integers and null. The caller knows the columns. */
export type Row = Readonly<Record<string, string | number | null>>;

/** SQLite. Prepared statements are cached; transactions are atomic. */
export interface Database {
  all(sql: string, ...values: SQLInputValue[]): Row[];
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  run(sql: string, ...values: SQLInputValue[]): number;
  transaction<T>(work: () => T): T;
  /** Writes the WAL back into the file: only then is overwritten or deleted data gone from the disk. */
  checkpoint(): void;
  close(): void;
}

export function openDatabase(path: string, migrations: readonly string[]): Database {
  // Not a static import: a Node version without it would exit before the version check can report it.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const sqlite = new DatabaseSync(path, { enableForeignKeyConstraints: true, enableDoubleQuotedStringLiterals: false });
  try {
    configure(sqlite);
    migrate(sqlite, migrations);
  } catch (error) {
    sqlite.close();
    throw isBusy(error) ? new Error(`Another instance of Portcullis has ${path} open`, { cause: error }) : error;
  }
  const statements = new Map<string, StatementSync>();

  function prepared(sql: string): StatementSync {
    const known = statements.get(sql);
    if (known) return known;
    const fresh = sqlite.prepare(sql);
    statements.set(sql, fresh);
    return fresh;
  }
  return {
    all: (sql, ...values) => prepared(sql).all(...bindable(values)) as Row[],
    get: (sql, ...values) => prepared(sql).get(...bindable(values)) as Row | undefined,
    run: (sql, ...values) => Number(prepared(sql).run(...bindable(values)).changes),
    transaction: (work) => inTransaction(sqlite, work),
    checkpoint: () => sqlite.exec("PRAGMA wal_checkpoint(TRUNCATE)"),
    close: () => {
      statements.clear();
      sqlite.close();
    },
  };
}

/** Whether another process has the file open. The file is not created. */
export function isOpenElsewhere(path: string): boolean {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  let sqlite: DatabaseSync | undefined;
  try {
    sqlite = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    sqlite.exec("SELECT count(*) FROM sqlite_schema");
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    sqlite?.close();
  }
}

/**
 * WAL and FULL: an acknowledged write survives a power cut. EXCLUSIVE: a lock prevents a second daemon on the same
 * state. secure_delete: deleted data is overwritten.
 */
function configure(sqlite: DatabaseSync): void {
  sqlite.exec("PRAGMA locking_mode = EXCLUSIVE");
  sqlite.exec("PRAGMA journal_mode = WAL");
  sqlite.exec("PRAGMA synchronous = FULL");
  sqlite.exec("PRAGMA secure_delete = ON");
  sqlite.exec("PRAGMA journal_size_limit = 4194304");
}

/** SQLITE_BUSY: another process has the lock. */
const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === 5;

/** Migrations are append-only; the checksum of each applied one is stored, so that an edited one is detected. */
function migrate(sqlite: DatabaseSync, migrations: readonly string[]): void {
  sqlite.exec("CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, sum TEXT NOT NULL) STRICT");
  const applied = sqlite
    .prepare("SELECT sum FROM migration ORDER BY number")
    .all()
    .map(({ sum }) => sum);
  if (applied.length > migrations.length)
    throw new Error(
      `This state was written by a newer Portcullis (schema ${applied.length}, this version supports ${migrations.length})`,
    );
  for (const [index, sql] of migrations.entries()) {
    const sum = hash("sha256", sql, "hex");
    if (index < applied.length) {
      if (applied[index] !== sum) throw new Error(`Migration ${index + 1} was edited after it was applied`);
      continue;
    }
    inTransaction(sqlite, () => {
      sqlite.exec(sql);
      sqlite.prepare("INSERT INTO migration (number, sum) VALUES (?, ?)").run(index + 1, sum);
    });
  }
}

function inTransaction<T>(sqlite: DatabaseSync, work: () => T): T {
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    if (result instanceof Promise) throw new TypeError("The work of a transaction must be synchronous");
    sqlite.exec("COMMIT");
    return result;
  } catch (error) {
    if (sqlite.isTransaction) sqlite.exec("ROLLBACK");
    throw error;
  }
}

/** node:sqlite interprets an object as the first value as named parameters, and shifts the others silently. */
function bindable(values: SQLInputValue[]): SQLInputValue[] {
  for (const value of values)
    if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value))
      throw new TypeError("Objects cannot be bound");
  return values;
}
