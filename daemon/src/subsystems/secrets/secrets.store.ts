import type { Database } from "../../ledger/database.ts";

/** One stored value of a secret. */
export interface StoredValue {
  readonly secretId: string;
  readonly version: number;
  /** The form is stored separately: a plain value may begin with `enc:` too. */
  readonly form: "enc" | "plain";
  readonly value: string;
  /** The fingerprint of the passphrase that encrypted it; null for a plain value, and for one older than this field. */
  readonly passphraseId: string | null;
}

type Setting = "secrets_passphrase" | "secrets_mode" | "secrets_fingerprint_salt";

/** Sealed values, and the passphrase in the settings. Writes run inside the caller's change. */
export function secretStore(database: Database) {
  return {
    all: (): StoredValue[] => database.all("SELECT * FROM sealed_value ORDER BY secret_id, version").map(asStoredValue),
    /** The newest values that are encrypted with another or an unknown passphrase. */
    newestOfOthers: (passphraseId: string): StoredValue[] =>
      database
        .all(
          `SELECT * FROM sealed_value AS it WHERE form = 'enc' AND passphrase_id IS NOT ?
             AND version = (SELECT max(version) FROM sealed_value WHERE secret_id = it.secret_id)`,
          passphraseId,
        )
        .map(asStoredValue),
    find: (secretId: string, version: number): StoredValue | undefined => {
      const row = database.get("SELECT * FROM sealed_value WHERE secret_id = ? AND version = ?", secretId, version);
      return row && asStoredValue(row);
    },
    add: ({ secretId, version, form, value, passphraseId }: StoredValue): void =>
      void database.run(
        "INSERT INTO sealed_value (secret_id, version, form, value, passphrase_id) VALUES (?, ?, ?, ?, ?)",
        secretId,
        version,
        form,
        value,
        passphraseId,
      ),
    /** Replaces the form of a value. A value that was deleted meanwhile is not restored. */
    replace: ({ secretId, version, form, value, passphraseId }: StoredValue): void =>
      void database.run(
        "UPDATE sealed_value SET form = ?, value = ?, passphrase_id = ? WHERE secret_id = ? AND version = ?",
        form,
        value,
        passphraseId,
        secretId,
        version,
      ),
    remove: (secretId: string, version: number): void =>
      void database.run("DELETE FROM sealed_value WHERE secret_id = ? AND version = ?", secretId, version),
    lastVersion: (secretId: string): number =>
      Number(
        database.get("SELECT max(version) AS version FROM sealed_value WHERE secret_id = ?", secretId)?.["version"] ??
          0,
      ),
    setting: (key: Setting): string | undefined => {
      const row = database.get("SELECT value FROM setting WHERE key = ?", key);
      return row && String(row["value"]);
    },
    setSetting: (key: Setting, value: string | undefined): void =>
      value === undefined
        ? void database.run("DELETE FROM setting WHERE key = ?", key)
        : void database.run(
            "INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            key,
            value,
          ),
  };
}

function asStoredValue(row: Record<string, unknown>): StoredValue {
  return {
    secretId: String(row["secret_id"]),
    version: Number(row["version"]),
    form: row["form"] as StoredValue["form"],
    value: String(row["value"]),
    passphraseId: row["passphrase_id"] as string | null,
  };
}

export type SecretStore = ReturnType<typeof secretStore>;
