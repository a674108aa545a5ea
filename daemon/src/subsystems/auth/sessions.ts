import { randomBytes } from "node:crypto";
import type { Caller } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import type { Session } from "@portcullis/contract/subsystems/auth";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { newId } from "../resources.ts";
import type { AuthStore, StoredSession } from "./auth.store.ts";
import { readToken, signToken } from "./jwt.ts";
import { type KnownKey, keyActor } from "./keys.ts";

/** The part of the vault that stores the signing key of sessions. */
interface KeyVault {
  has(secretId: string): boolean;
  keep<T>(value: string, write: (put: (secretId: string) => number) => T): Promise<T>;
  reveal(secretId: string): Promise<string>;
}

interface Needs {
  readonly ledger: Ledger;
  readonly store: AuthStore;
  readonly vault: KeyVault;
  /** The API key with an id, while it is valid. */
  readonly usableKey: (id: string) => KnownKey | undefined;
  /** Called when sessions or keys may have ended. */
  readonly onChange: () => void;
  readonly now: () => Date;
}

const keyName = "session_key";
const lifetimeSec = 12 * 3600;
/** Limit per key and for the account, so that the logins of one do not end the sessions of another. */
const maxSessions = 200;

type OpenSession = Omit<Session, "current">;

export interface Opened {
  readonly session: OpenSession;
  readonly token: string;
}

interface SessionRequest {
  readonly cause: Cause;
  readonly username: string;
  readonly address: string;
  /** The API key of the login. The session ends with it. */
  readonly key?: KnownKey;
  /** The previous session of this browser, whose cookie is overwritten. */
  readonly replaces: string | undefined;
  /** Runs in the same transaction, and may throw. */
  readonly also: () => void;
}

/**
 * Browser sessions, stored in the ledger and cached in memory. A session of an API key always has the current name, role
 * and validity of the key.
 */
export async function openSessions({ ledger, store, vault, usableKey, onChange, now }: Needs) {
  let key = vault.has(keyName) ? await vault.reveal(keyName).catch(() => undefined) : undefined;
  let making: Promise<string> | undefined;
  endKeyless();
  let open = new Map(store.sessions().map((session) => [session.id, session]));

  /** A key may be removed from the bootstrap file while the daemon is stopped. If it is added again later, its old sessions must not be valid. */
  function endKeyless(): void {
    for (const { id, username, key_id, expires_at } of store.sessions())
      if (key_id !== null && expires_at > now().toISOString() && !usableKey(key_id))
        ledger.change({ actor: "system", action: "end_session", resourceType: "session" }, (draft) => {
          store.removeSession(id);
          draft.about(id, { username, reason: "its API key was removed" });
        });
  }
  /** Created once, at the first login: a second key from a parallel login would invalidate the first session. */
  async function signingKey(): Promise<string> {
    if (key !== undefined) return key;
    making ??= makeKey().finally(() => (making = undefined));
    return making;
  }
  /** Also used if the passphrase, and with it the old key, is lost, which ends the old sessions. */
  async function makeKey(): Promise<string> {
    const fresh = randomBytes(32).toString("base64url");
    await vault
      .keep(fresh, (put) =>
        ledger.change({ actor: "system", action: "create_session_key", resourceType: "session_key" }, (draft) => {
          put(keyName);
          draft.about(keyName);
        }),
      )
      .catch(refuseUnlessLocked);
    key = fresh;
    return fresh;
  }
  function refresh(): void {
    open = new Map(store.sessions().map((session) => [session.id, session]));
    onChange();
  }
  /** The session with its current role; undefined if it is not valid. */
  function current(session: StoredSession | undefined): OpenSession | undefined {
    if (!session || session.expires_at <= now().toISOString()) return undefined;
    if (session.key_id === null) return { ...session, role: "admin" };
    const opener = usableKey(session.key_id);
    return opener && { ...session, username: opener.name, role: opener.role };
  }

  return {
    list: (): OpenSession[] => [...open.values()].flatMap((session) => current(session) ?? []),
    start: async ({ cause, username, address, key: opener, replaces, also }: SessionRequest): Promise<Opened> => {
      const signing = await signingKey();
      const at = now();
      const iat = Math.floor(at.getTime() / 1000);
      const expires_at = earlier(new Date((iat + lifetimeSec) * 1000).toISOString(), opener?.expires_at ?? null);
      const created_at = at.toISOString();
      const session = { id: newId(), username, created_at, expires_at, address, key_id: opener?.id ?? null };
      ledger.change(cause, (draft) => {
        also();
        store.removeExpired(created_at);
        if (replaces !== undefined) store.removeSession(replaces);
        store.removeOldSessions(session.key_id, maxSessions - 1);
        store.addSession(session);
        draft.about(session.id, { username, address, ...(replaces !== undefined && { replaces }) });
      });
      refresh();
      const exp = Math.ceil(Date.parse(expires_at) / 1000);
      return {
        session: { ...session, role: opener?.role ?? "admin" },
        token: signToken({ sub: username, jti: session.id, iat, exp }, signing),
      };
    },
    /** Ends a session; returns whether there was one. */
    end: (cause: Cause, id: string): boolean => {
      const session = current(open.get(id));
      if (!session) return false;
      ledger.change(cause, (draft) => {
        store.removeSession(id);
        draft.about(id, { username: session.username });
      });
      refresh();
      return true;
    },
    find: (token: string): Caller | undefined => {
      if (key === undefined) return undefined;
      const claims = readToken(token, key, Math.floor(now().getTime() / 1000));
      const session = claims && current(open.get(claims.jti));
      return session && callerOf(session);
    },
    isOpen: (id: string): boolean => current(open.get(id)) !== undefined,
    refresh,
  };
}

const callerOf = ({ id, username, role, key_id, expires_at }: OpenSession): Caller => ({
  actor: key_id === null ? username : keyActor(username),
  role,
  via: "session",
  credentialId: id,
  expiresAt: expires_at,
});

const earlier = (one: string, other: string | null): string => (other !== null && other < one ? other : one);

/**
 * A locked vault cannot store the key, but the admin must be able to log in and unlock it: then the key is kept in memory
 * only, and the sessions end with the process.
 */
function refuseUnlessLocked(error: unknown): void {
  if (!(error instanceof Problem && error.code === "secrets_undecipherable")) throw error;
}

export type Sessions = Awaited<ReturnType<typeof openSessions>>;
