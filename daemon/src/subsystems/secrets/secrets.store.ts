import type { Database } from "../../ledger/database.ts";

/** One value of one secret, as it lies on disk. */
export interface StoredValue {
  readonly secretId: string;
  readonly version: number;
  /** The form is kept beside the value: a plain value may itself begin with `enc:`. */
  readonly form: "enc" | "plain";
  readonly value: string;
}

/** Sealed values and the passphrase's place in the settings. Writes run inside the caller's change. */
export function secretStore(database: Database) {
  return {
    all: (): StoredValue[] =>
      database
        .all("SELECT secret_id, version, form, value FROM sealed_value ORDER BY secret_id, version")
        .map((row) => ({
          secretId: String(row["secret_id"]),
          version: Number(row["version"]),
          form: row["form"] as StoredValue["form"],
          value: String(row["value"]),
        })),
    find: (secretId: string, version: number): StoredValue | undefined => {
      const row = database.get(
        "SELECT form, value FROM sealed_value WHERE secret_id = ? AND version = ?",
        secretId,
        version,
      );
      return row && { secretId, version, form: row["form"] as StoredValue["form"], value: String(row["value"]) };
    },
    add: ({ secretId, version, form, value }: StoredValue): void =>
      void database.run(
        "INSERT INTO sealed_value (secret_id, version, form, value) VALUES (?, ?, ?, ?)",
        secretId,
        version,
        form,
        value,
      ),
    /** The same value in another form. One that was destroyed meanwhile is not brought back. */
    replace: ({ secretId, version, form, value }: StoredValue): void =>
      void database.run(
        "UPDATE sealed_value SET form = ?, value = ? WHERE secret_id = ? AND version = ?",
        form,
        value,
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
    setting: (key: "secrets_passphrase" | "secrets_mode"): string | undefined => {
      const row = database.get("SELECT value FROM setting WHERE key = ?", key);
      return row && String(row["value"]);
    },
    setSetting: (key: "secrets_passphrase" | "secrets_mode", value: string | undefined): void =>
      value === undefined
        ? void database.run("DELETE FROM setting WHERE key = ?", key)
        : void database.run(
            "INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            key,
            value,
          ),
  };
}
export type SecretStore = ReturnType<typeof secretStore>;
