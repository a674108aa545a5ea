import type { Role } from "@portcullis/contract/role";
import type { ApiKey } from "@portcullis/contract/subsystems/auth";
import type { Database, Row } from "../../ledger/database.ts";

export interface StoredSession {
  readonly id: string;
  readonly username: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly address: string;
  /** The API key that opened the session; null: the admin's password. */
  readonly key_id: string | null;
}
export interface StoredKey extends ApiKey {
  /** SHA-256 of the key; the key itself is not stored. */
  readonly hash: string;
}

/** Accounts, sessions and keys. Writes run inside the caller's change. */
export function authStore(database: Database) {
  return {
    admin: (): { username: string; password: string } | undefined => {
      const row = database.get("SELECT username, password FROM admin");
      return row && { username: String(row["username"]), password: String(row["password"]) };
    },
    setAdmin: (username: string, password: string): void =>
      void database.run(
        "INSERT INTO admin (only_one, username, password) VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET username = excluded.username, password = excluded.password",
        username,
        password,
      ),
    sessions: (): StoredSession[] => database.all("SELECT * FROM session ORDER BY created_at, id").map(toSession),
    addSession: ({ id, username, created_at, expires_at, address, key_id }: StoredSession): void =>
      void database.run(
        "INSERT INTO session (id, username, created_at, expires_at, address, key_id) VALUES (?, ?, ?, ?, ?, ?)",
        id,
        username,
        created_at,
        expires_at,
        address,
        key_id,
      ),
    removeSession: (id: string): void => void database.run("DELETE FROM session WHERE id = ?", id),
    removeSessionsOfKey: (keyId: string): number => database.run("DELETE FROM session WHERE key_id = ?", keyId),
    /** Keeps the newest sessions of one key, or of the admin's password. */
    removeOldSessions: (keyId: string | null, newest: number): void =>
      void database.run(
        "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE key_id IS ? ORDER BY created_at DESC, id LIMIT -1 OFFSET ?)",
        keyId,
        newest,
      ),
    removeExpired: (now: string): void => void database.run("DELETE FROM session WHERE expires_at <= ?", now),
    removeSessionsExcept: (id: string | undefined): number =>
      database.run("DELETE FROM session WHERE id <> ?", id ?? ""),
    keys: (): StoredKey[] => database.all("SELECT * FROM api_key ORDER BY created_at, id").map(toKey),
    addKey: ({ id, name, role, hash, created_at, expires_at }: StoredKey): void =>
      void database.run("INSERT INTO api_key VALUES (?, ?, ?, ?, ?, ?)", id, name, role, hash, created_at, expires_at),
    removeKey: (id: string): boolean => database.run("DELETE FROM api_key WHERE id = ?", id) > 0,
  };
}
export type AuthStore = ReturnType<typeof authStore>;

const toSession = ({ id, username, created_at, expires_at, address, key_id }: Row): StoredSession => ({
  id: String(id),
  username: String(username),
  created_at: String(created_at),
  expires_at: String(expires_at),
  address: String(address),
  key_id: textOrNull(key_id),
});

const toKey = ({ id, name, role, hash, created_at, expires_at }: Row): StoredKey => ({
  id: String(id),
  name: String(name),
  role: role as Role,
  hash: String(hash),
  created_at: String(created_at),
  expires_at: textOrNull(expires_at),
  source: "api",
});

const textOrNull = (value: Row[string] | undefined): string | null =>
  value === null || value === undefined ? null : String(value);
