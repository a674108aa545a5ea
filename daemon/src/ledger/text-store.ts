import { isCorrupt, type LogFile, type LogFormat, openLogFile } from "./dns-log-file.ts";

/** A row with a text that the store does not read. */
export interface TextRow {
  readonly key: string;
  readonly text: string;
}

export interface TextStore {
  readonly load: () => string[];
  /** In one transaction. */
  readonly write: (rows: readonly TextRow[], removed: readonly string[]) => void;
  readonly close: () => void;
}

interface Needs {
  readonly path: string;
  /** What it contains, for messages: "The observed devices". */
  readonly contents: string;
  readonly setAside: () => void;
  readonly warn: (message: string, error: unknown) => void;
}

/** Texts by key, in a file of their own, which is recreated if it is corrupt: their loss affects no traffic. */
export function openTextStore({ path, contents, setAside, warn }: Needs): TextStore {
  let file = opened();
  let isFailing = false;

  function opened(): LogFile {
    try {
      return openLogFile(path, format);
    } catch (error) {
      warn(`${contents} cannot be opened; their file is set aside and recreated`, error);
    }
    try {
      setAside();
      return openLogFile(path, format);
    } catch (error) {
      warn(`${contents} have no file; they are kept in memory`, error);
      return openLogFile(":memory:", format);
    }
  }

  function guarded<T>(work: () => T, otherwise: T): T {
    try {
      const result = work();
      isFailing = false;
      return result;
    } catch (error) {
      if (!isFailing) warn(`${contents} cannot be written or read`, error);
      isFailing = true;
      if (isCorrupt(error)) {
        file.close();
        file = opened();
      }
      return otherwise;
    }
  }

  return {
    load: () => guarded(() => file.all("SELECT text FROM row").map((row) => row["text"] as string), []),
    write: (rows, removed) => {
      if (rows.length === 0 && removed.length === 0) return;
      guarded(() => {
        file.transaction(() => {
          for (const key of removed) file.run("DELETE FROM row WHERE key = ?", key);
          for (const { key, text } of rows)
            file.run("INSERT INTO row VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text", key, text);
        });
      }, undefined);
    },
    close: () => file.close(),
  };
}

const format: LogFormat = {
  version: 1,
  schema: "CREATE TABLE row (key TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID",
  pageBytes: 4096,
};
