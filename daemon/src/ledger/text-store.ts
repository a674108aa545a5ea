import { isCorrupt, type LogFile, type LogFormat, openLogFile } from "./dns-log-file.ts";

/** A card is stored as text that the store does not read. */
export interface StoredText {
  readonly mac: string;
  readonly card: string;
}

export interface DiscoveryStore {
  readonly load: () => string[];
  /** In one transaction. */
  readonly write: (cards: readonly StoredText[], removed: readonly string[]) => void;
  readonly close: () => void;
}

interface Needs {
  readonly path: string;
  readonly setAside: () => void;
  readonly warn: (message: string, error: unknown) => void;
}

/** Observed devices, in a file of their own, which is recreated if it is corrupt: they are observed again. */
export function openDiscoveryStore({ path, setAside, warn }: Needs): DiscoveryStore {
  let file = opened();
  let isFailing = false;

  function opened(): LogFile {
    try {
      return openLogFile(path, format);
    } catch (error) {
      warn("The observed devices cannot be opened; their file is set aside and recreated", error);
    }
    try {
      setAside();
      return openLogFile(path, format);
    } catch (error) {
      warn("The observed devices have no file; they are kept in memory", error);
      return openLogFile(":memory:", format);
    }
  }

  function guarded<T>(work: () => T, otherwise: T): T {
    try {
      const result = work();
      isFailing = false;
      return result;
    } catch (error) {
      if (!isFailing) warn("The observed devices cannot be written or read", error);
      isFailing = true;
      if (isCorrupt(error)) {
        file.close();
        file = opened();
      }
      return otherwise;
    }
  }

  return {
    load: () => guarded(() => file.all("SELECT card FROM card").map((row) => row["card"] as string), []),
    write: (cards, removed) => {
      if (cards.length === 0 && removed.length === 0) return;
      guarded(() => {
        file.transaction(() => {
          for (const mac of removed) file.run("DELETE FROM card WHERE mac = ?", mac);
          for (const { mac, card } of cards)
            file.run("INSERT INTO card VALUES (?, ?) ON CONFLICT DO UPDATE SET card = excluded.card", mac, card);
        });
      }, undefined);
    },
    close: () => file.close(),
  };
}

const format: LogFormat = {
  version: 1,
  schema: "CREATE TABLE card (mac TEXT PRIMARY KEY, card TEXT NOT NULL) STRICT, WITHOUT ROWID",
  pageBytes: 4096,
};
