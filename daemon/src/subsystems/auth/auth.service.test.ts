import type { Call } from "@portcullis/contract/handler";
import { expect, test } from "vitest";
import { authService } from "./auth.service.ts";
import type { AuthStore } from "./auth.store.ts";
import type { Keys, KnownKey } from "./keys.ts";
import { hashPassword } from "./password.ts";
import type { Sessions } from "./sessions.ts";

const call = {
  cause: { actor: "anonymous", action: "create_session", resourceType: "session" },
  caller: undefined,
  address: "127.0.0.1",
} as Partial<Call> as Call;

const dashboard = {
  id: "1",
  name: "dashboard",
  role: "viewer",
  caller: { actor: "key:dashboard", role: "viewer", via: "key", credentialId: "1" },
} as Partial<KnownKey> as KnownKey;

/** A session store, and an account and keys that a test can change at any time. */
async function signingIn() {
  const account = { username: "ada", password: await hashPassword("the old password") };
  const known = new Map([["the-key-of-a-dashboard", dashboard]]);
  const opened: string[] = [];
  const service = authService({
    enabled: true,
    localNet: "127.0.0.0/8",
    store: { admin: () => ({ ...account }) } as Partial<AuthStore> as AuthStore,
    sessions: {
      start: async ({ cause, username, address, key, replaces, also }) => {
        await Promise.resolve(); // The signing key may have to be made first.
        also();
        opened.push([cause.actor, ...(replaces === undefined ? [] : [`instead of ${replaces}`])].join(" "));
        const [role, key_id] = [key?.role ?? ("admin" as const), key?.id ?? null];
        return { session: { id: "", username, role, key_id, created_at: "", expires_at: "", address }, token: "" };
      },
    } as Partial<Sessions> as Sessions,
    keys: {
      recognise: (shown) => known.get(shown),
      find: (id) => [...known.values()].find((key) => key.id === id),
    } as Partial<Keys> as Keys,
    setupCode: undefined as never,
    throttle: { take: () => undefined, succeeded: () => {} },
    onFailure: () => {},
    ledger: undefined as never,
  });
  return {
    account,
    known,
    opened,
    login: (by = call) => service.login(by, "ada", "the old password"),
    loginWithKey: (key: string, by = call) => service.loginWithKey(by, key),
  };
}

test("login: a login with the right password opens a session", async () => {
  const { login, opened } = await signingIn();
  await login();
  expect(opened).toEqual(["ada"]);
});

test("login: a login that overlaps a change of the password does not outlive it", async () => {
  const { account, login, opened } = await signingIn();
  const fresh = await hashPassword("the new password");
  const late = login();
  account.password = fresh;
  await expect(late).rejects.toMatchObject({ code: "unauthorized" });
  expect(opened).toEqual([]);
});

test("login: a login with a key opens a session of the key's role, under the key's name", async () => {
  const { loginWithKey, opened } = await signingIn();
  const { session } = await loginWithKey("the-key-of-a-dashboard");
  expect(session).toMatchObject({ username: "dashboard", role: "viewer", key_id: "1" });
  await expect(loginWithKey("an-unknown-api-key-0001")).rejects.toMatchObject({ code: "unauthorized" });
  expect(opened).toEqual(["key:dashboard"]);
});

test("login: a login that overlaps the end of its key opens nothing", async () => {
  const { known, loginWithKey, opened } = await signingIn();
  const late = loginWithKey("the-key-of-a-dashboard");
  known.clear();
  await expect(late).rejects.toMatchObject({ code: "unauthorized" });
  expect(opened).toEqual([]);
});

test("login: a login replaces the session of the request; a request with a key has none", async () => {
  const { login, loginWithKey, opened } = await signingIn();
  const signedIn: Call = { ...call, caller: { actor: "eve", role: "viewer", via: "session", credentialId: "7" } };
  await login(signedIn);
  await loginWithKey("the-key-of-a-dashboard", signedIn);
  await login({ ...call, caller: dashboard.caller });
  expect(opened).toEqual(["ada instead of 7", "key:dashboard instead of 7", "ada"]);
});
