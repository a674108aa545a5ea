import { expect, test } from "vitest";
import { authService } from "./auth.service.ts";
import type { AuthStore } from "./auth.store.ts";
import type { Keys } from "./keys.ts";
import { hashPassword } from "./password.ts";
import type { Sessions } from "./sessions.ts";

const cause = { actor: "anonymous", action: "create_session", resourceType: "session" };

/** Sessions that open for whoever may, and a store of one account that a test can change at any moment. */
async function signingIn() {
  const account = { username: "ada", password: await hashPassword("the old password") };
  const opened: string[] = [];
  const service = authService({
    enabled: true,
    localNet: "127.0.0.0/8",
    store: { admin: () => ({ ...account }) } as Partial<AuthStore> as AuthStore,
    sessions: {
      start: async (_, username, address, also) => {
        also?.();
        opened.push(username);
        return { session: { id: "", username, created_at: "", expires_at: "", address }, token: "" };
      },
    } as Partial<Sessions> as Sessions,
    keys: {} as Keys,
    ledger: undefined as never,
  });
  return { account, opened, login: () => service.login(cause, "127.0.0.1", "ada", "the old password") };
}

test("a login with the right password opens a session", async () => {
  const { login, opened } = await signingIn();
  await login();
  expect(opened).toEqual(["ada"]);
});

test("a login that overlaps a change of the password does not outlive it", async () => {
  const { account, login, opened } = await signingIn();
  const fresh = await hashPassword("the new password");
  const late = login();
  account.password = fresh;
  await expect(late).rejects.toMatchObject({ code: "unauthorized" });
  expect(opened).toEqual([]);
});
