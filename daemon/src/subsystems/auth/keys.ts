import { hash, randomBytes } from "node:crypto";
import type { Caller } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import type { Role } from "@portcullis/contract/role";
import type { ApiKey } from "@portcullis/contract/subsystems/auth";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { newId } from "../resources.ts";
import type { AuthStore, StoredKey } from "./auth.store.ts";

export interface BootstrapKey {
  readonly key: string;
  readonly role: Role;
  readonly name: string;
}

interface Needs {
  readonly ledger: Ledger;
  readonly store: AuthStore;
  readonly bootstrapKeys: readonly BootstrapKey[];
  readonly now: () => Date;
}

const maxKeys = 1000;

/** API keys of the bootstrap file and of the API. Only hashes are stored, and keys are looked up by hash. */
export function openKeys({ ledger, store, bootstrapKeys, now }: Needs) {
  const startedAt = now().toISOString();
  const fixed = bootstrapKeys.map(({ key, role, name }): StoredKey => {
    const sum = sumOf(key);
    return { id: uuidFrom(sum), name, role, hash: sum, created_at: startedAt, expires_at: null, source: "bootstrap" };
  });
  let byHash = index();
  let byId = new Map([...byHash.values()].map((key) => [key.id, key]));
  /** Cache of valid keys, so that not every request has to be hashed. It contains valid keys only, so that it stays small. */
  const inUse = new Map<string, KnownKey>();

  function index(): Map<string, KnownKey> {
    return new Map([...fixed, ...store.keys()].map((key) => [key.hash, { ...key, caller: callerOf(key) }]));
  }
  function refresh(): void {
    byHash = index();
    byId = new Map([...byHash.values()].map((key) => [key.id, key]));
    inUse.clear();
  }
  const isOver = ({ expires_at }: KnownKey): boolean => expires_at !== null && expires_at <= now().toISOString();

  return {
    /** An expired admin key counts too: the gateway has had an admin. */
    hasAdmin: (): boolean => [...byHash.values()].some(({ role }) => role === "admin"),
    list: (): ApiKey[] => [...byHash.values()].map(withoutHash),
    recognise: (bearer: string): KnownKey | undefined => {
      const known = inUse.get(bearer) ?? byHash.get(sumOf(bearer));
      if (!known || isOver(known)) return undefined;
      inUse.set(bearer, known);
      return known;
    },
    /** The key with this id, while it is valid. */
    find: (id: string): KnownKey | undefined => {
      const known = byId.get(id);
      return known && !isOver(known) ? known : undefined;
    },
    create: (cause: Cause, name: string, role: Role, expires_at: string | null): ApiKey & { key: string } => {
      if (expires_at !== null && expires_at <= now().toISOString())
        throw new Problem(
          "invalid_request",
          { fields: [{ field: "body.expires_at", problem: "is in the past" }] },
          { message: "body.expires_at: is in the past" },
        );
      if (byHash.size >= maxKeys) throw new Problem("limit_reached", { limit: maxKeys, of: "API keys" });
      if ([...byHash.values()].some((it) => it.name === name))
        throw new Problem("conflict", { field: "name" }, { message: "Another key has this name" });
      const key = `pk_${randomBytes(32).toString("base64url")}`;
      const stored: StoredKey = {
        id: newId(),
        name,
        role,
        hash: sumOf(key),
        created_at: now().toISOString(),
        expires_at,
        source: "api",
      };
      ledger.change(cause, (draft) => {
        store.addKey(stored);
        draft.about(stored.id, { name, role, expires_at });
      });
      refresh();
      return { ...withoutHash(stored), key };
    },
    remove: (cause: Cause, id: string): void => {
      const key = byId.get(id);
      if (!key) throw new Problem("not_found", { id }, { message: "No API key has this id" });
      if (key.source === "bootstrap")
        throw new Problem(
          "conflict",
          { id },
          { message: "This key is in the bootstrap file; remove it there and restart" },
        );
      ledger.change(cause, (draft) => {
        store.removeKey(id);
        const sessions_ended = store.removeSessionsOfKey(id);
        draft.about(id, { name: key.name, role: key.role, sessions_ended });
      });
      refresh();
    },
  };
}
export interface KnownKey extends StoredKey {
  readonly caller: Caller;
}

const callerOf = ({ id, name, role, expires_at }: StoredKey): Caller => ({
  actor: keyActor(name),
  role,
  via: "key",
  credentialId: id,
  expiresAt: expires_at,
});

/** Not a valid username, because it contains a colon. */
export const keyActor = (name: string): string => `key:${name}`;

export type Keys = ReturnType<typeof openKeys>;

/** Keys are long and random, so that one round of SHA-256 is enough, and a lookup by hash leaks nothing about them. */
const sumOf = (key: string): string => hash("sha256", key, "hex");

/** A stable id for a key that has no row: the first bytes of its hash in the form of a UUID (version 8). */
const uuidFrom = (sum: string): string =>
  `${sum.slice(0, 8)}-${sum.slice(8, 12)}-8${sum.slice(13, 16)}-8${sum.slice(17, 20)}-${sum.slice(20, 32)}`;

const withoutHash = ({ id, name, role, created_at, expires_at, source }: StoredKey): ApiKey => ({
  id,
  name,
  role,
  created_at,
  expires_at,
  source,
});
