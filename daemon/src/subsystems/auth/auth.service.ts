import { clientNetwork, parseCidr } from "../../net/addresses.ts";
import type { Caller, Call } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import type { Role } from "@portcullis/contract/role";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { AuthStore } from "./auth.store.ts";
import type { FailedLogin } from "./failed-logins.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { identifier } from "./identify.ts";
import type { Keys } from "./keys.ts";
import { hashPassword, isPassword } from "./password.ts";
import type { Opened, Sessions } from "./sessions.ts";
import type { SetupCode } from "./setup-code.ts";

interface Needs {
  readonly enabled: boolean;
  readonly localNet: string;
  readonly ledger: Ledger;
  readonly store: AuthStore;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly setupCode: SetupCode;
  readonly throttle: LoginThrottle;
  readonly onFailure: (failed: FailedLogin) => void;
}

export type Auth = ReturnType<typeof authService>;

export function authService(needs: Needs) {
  const { enabled, localNet, ledger, store, sessions, keys, setupCode, throttle, onFailure } = needs;
  /** Checked if the account does not exist, so that the response time is the same. */
  const decoy = hashPassword("no account has this password");

  return {
    status: ({ caller }: Call) => ({
      enabled,
      configured: store.admin() !== undefined,
      setup_open: setupCode.current() !== undefined,
      authenticated: isCredentialed(caller),
      via: caller?.via ?? null,
      role: caller?.role ?? null,
      actor: caller?.actor ?? null,
      expires_at: caller?.expiresAt ?? null,
      local_bypass: caller?.via === "local",
    }),
    identify: identifier({
      enabled,
      localNet: parseCidr(localNet),
      byKey: (bearer) => keys.recognise(bearer)?.caller,
      bySession: sessions.find,
    }),
    /** The owner of an event stream: an API key and its sessions have the same actor, and share one limit. */
    listener: (caller: Caller | undefined) => ({
      isAuthorized: () => isStillValid(caller),
      owner: caller?.actor ?? "",
      isAdmin: caller?.role === "admin",
    }),
    setup: async (call: Call, username: string, password: string, code: string | undefined): Promise<Opened> => {
      refuseConfigured();
      const isAdmin = isCredentialed(call.caller) && call.caller.role === "admin";
      if (!isAdmin) refuseWithoutCode(code, call.address);
      const hashed = await hashPassword(password);
      const opened = await sessions.start({
        ...sessionRequest(call, username, username),
        also: () => {
          refuseConfigured();
          // An admin key that was created while the password was hashed voids the code.
          if (!isAdmin && setupCode.current() === undefined) throw codeIsVoid();
          store.setAdmin(username, hashed);
        },
      });
      setupCode.review();
      return opened;
    },
    login: async (call: Call, username: string, password: string): Promise<Opened> => {
      refuseTooSoon(username, call.address);
      const admin = store.admin();
      const right = await isPassword(password, admin?.password ?? (await decoy));
      if (!right || admin?.username !== username) {
        const isAccount = admin?.username === username;
        onFailure({ method: "password", username: isAccount ? username : null, address: call.address });
        throw wrongPassword();
      }
      throttle.succeeded(username, clientNetwork(call.address));
      // The password may have been changed during the check, which ended every other session.
      return sessions.start({
        ...sessionRequest(call, username, username),
        also: () => {
          if (store.admin()?.password !== admin.password) throw wrongPassword();
        },
      });
    },
    loginWithKey: async (call: Call, shown: string): Promise<Opened> => {
      const key = keys.recognise(shown);
      if (!key) {
        onFailure({ method: "key", username: null, address: call.address });
        throw unknownKey();
      }
      // The key may have been revoked meanwhile, which ended its sessions.
      return sessions.start({
        ...sessionRequest(call, key.name, key.caller.actor),
        key,
        also: () => {
          if (!keys.find(key.id)) throw unknownKey();
        },
      });
    },
    /** Ends the session of the request; returns whether there was one. */
    logout: ({ cause, caller }: Call): boolean => {
      const id = sessionOf(caller);
      return id !== undefined && sessions.end(cause, id);
    },
    endSession: (cause: Cause, id: string): void => {
      if (!sessions.end(cause, id)) throw new Problem("not_found", { id }, { message: "No open session has this id" });
    },
    createKey: (cause: Cause, name: string, role: Role, expiresAt: string | null) => {
      const made = keys.create(cause, name, role, expiresAt);
      setupCode.review();
      return made;
    },
    removeKey: (cause: Cause, id: string): void => {
      keys.remove(cause, id);
      sessions.refresh();
    },
    changePassword: async ({ cause, caller, address }: Call, current: string, fresh: string) => {
      const admin = store.admin();
      if (!admin) throw new Problem("not_found", {}, { message: "There is no admin account yet; see /auth/setup" });
      refuseTooSoon(admin.username, address);
      if (!(await isPassword(current, admin.password))) {
        onFailure({ method: "password", username: admin.username, address });
        throw new Problem("forbidden", {}, { message: "The current password is wrong" });
      }
      throttle.succeeded(admin.username, clientNetwork(address));
      const hashed = await hashPassword(fresh);
      const ended = ledger.change(cause, (draft) => {
        store.setAdmin(admin.username, hashed);
        draft.about(admin.username);
        return store.removeSessionsExcept(sessionOf(caller));
      });
      sessions.refresh();
      return { username: admin.username, sessions_ended: ended };
    },
  };

  /** Whether the credential is still valid: streams outlive the request that opened them. */
  function isStillValid(caller: Caller | undefined): boolean {
    if (caller?.credentialId === undefined) return true;
    return caller.via === "session"
      ? sessions.isOpen(caller.credentialId)
      : keys.find(caller.credentialId) !== undefined;
  }
  function refuseConfigured(): void {
    if (store.admin()) throw new Problem("already_configured", {}, { message: "The admin account exists already" });
  }
  function refuseWithoutCode(code: string | undefined, address: string): void {
    if (setupCode.current() === undefined) throw codeIsVoid();
    if (code === undefined)
      throw new Problem(
        "forbidden",
        { needs: "code" },
        { message: "The setup requires the code from the daemon's console" },
      );
    refuseTooSoon(setupSubject, address);
    if (!setupCode.matches(code)) {
      onFailure({ method: "setup_code", username: null, address });
      throw new Problem("forbidden", {}, { message: "The setup code is wrong" });
    }
    throttle.succeeded(setupSubject, clientNetwork(address));
  }
  function refuseTooSoon(subject: string, address: string): void {
    const waitSec = throttle.take(subject, clientNetwork(address));
    if (waitSec !== undefined) throw new Problem("rate_limited", { retry_after_sec: waitSec });
  }
}

/** Not a valid username, because it contains a space. */
const setupSubject = "setup code";

const codeIsVoid = () =>
  new Problem("already_configured", {}, { message: "An admin key exists; create the account with it" });

/** Whether the caller has a credential, and not only a local address or authentication that is off. */
const isCredentialed = (caller: Caller | undefined): caller is Caller =>
  caller?.via === "session" || caller?.via === "key" || caller?.via === "socket";

const sessionOf = (caller: Caller | undefined): string | undefined =>
  caller?.via === "session" ? caller.credentialId : undefined;

/** Every login creates a new session and replaces the old one, against session fixation. */
const sessionRequest = ({ cause, address, caller }: Call, username: string, actor: string) => ({
  cause: { ...cause, actor },
  username,
  address,
  replaces: sessionOf(caller),
});

const wrongPassword = () => new Problem("unauthorized", {}, { message: "Username or password is wrong" });
const unknownKey = () => new Problem("unauthorized", {}, { message: "This key is unknown, revoked or expired" });
