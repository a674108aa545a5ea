import { randomBytes } from "node:crypto";
import { Problem } from "@portcullis/contract/problem";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { newId } from "../resources.ts";
import type { AuthStore, StoredSession } from "./auth.store.ts";
import { readToken, signToken } from "./jwt.ts";

/** The part of the vault that sessions need: one key of their own. */
interface KeyVault {
  has(secretId: string): boolean;
  keep<T>(value: string, write: (put: (secretId: string) => number) => T): Promise<T>;
  reveal(secretId: string): Promise<string>;
}

interface Needs {
  readonly ledger: Ledger;
  readonly store: AuthStore;
  readonly vault: KeyVault;
  readonly now: () => Date;
}

const keyName = "session_key";
const lifetimeSec = 12 * 3600;
const sessionsMost = 1000;

export interface Opened {
  readonly session: StoredSession;
  readonly token: string;
}

/** Signed-in browsers. The ledger has the list; the mirror here answers without asking it on every request. */
export async function openSessions({ ledger, store, vault, now }: Needs) {
  let key = vault.has(keyName) ? await vault.reveal(keyName).catch(() => undefined) : undefined;
  let making: Promise<string> | undefined;
  let open = new Map(store.sessions().map((session) => [session.id, session]));

  /** Made at the first login, once, whoever comes at the same time: a second key would end the first one's session. */
  async function signingKey(): Promise<string> {
    if (key !== undefined) return key;
    making ??= makeKey().finally(() => (making = undefined));
    return making;
  }
  /** Also when a lost passphrase took the old one along, which ends the old sessions. */
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
  const refresh = () => void (open = new Map(store.sessions().map((session) => [session.id, session])));

  return {
    list: (): StoredSession[] => [...open.values()].filter(({ expires_at }) => expires_at > now().toISOString()),
    /** Opens a session; `also` runs in the same transaction. */
    start: async (cause: Cause, username: string, address: string, also: () => void = () => {}): Promise<Opened> => {
      const signing = await signingKey();
      const at = now();
      const iat = Math.floor(at.getTime() / 1000);
      const expires_at = new Date((iat + lifetimeSec) * 1000).toISOString();
      const session = { id: newId(), username, created_at: at.toISOString(), expires_at, address };
      ledger.change(cause, (draft) => {
        also();
        store.removeExpired(at.toISOString());
        if (store.sessions().length >= sessionsMost) store.removeSessionsExcept(undefined);
        store.addSession(session);
        draft.about(session.id, { username, address });
      });
      refresh();
      return { session, token: signToken({ sub: username, jti: session.id, iat, exp: iat + lifetimeSec }, signing) };
    },
    find: (token: string): StoredSession | undefined => {
      if (key === undefined) return undefined;
      const claims = readToken(token, key, Math.floor(now().getTime() / 1000));
      return claims && open.get(claims.jti);
    },
    refresh,
  };
}
/**
 * A locked vault keeps nothing, but its admin must be able to come in and unlock it: the key then lives in memory
 * only, and the sessions end with the process.
 */
function refuseUnlessLocked(error: unknown): void {
  if (!(error instanceof Problem && error.code === "secrets_undecipherable")) throw error;
}

export type Sessions = Awaited<ReturnType<typeof openSessions>>;
export const sessionLifetimeSec = lifetimeSec;
