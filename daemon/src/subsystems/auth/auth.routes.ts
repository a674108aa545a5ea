import type { Call, HandlersOf } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import type { auth } from "@portcullis/contract/subsystems/auth";
import type { Auth } from "./auth.service.ts";
import { cookieName } from "./identify.ts";
import type { Keys } from "./keys.ts";
import type { Opened, Sessions } from "./sessions.ts";

interface Needs {
  readonly service: Auth;
  readonly sessions: Sessions;
  readonly keys: Keys;
}

export const authRoutes = ({ service, sessions, keys }: Needs): HandlersOf<typeof auth> => ({
  status: (_, call) => service.status(call),
  setup: async ({ body }, call) => signedIn(call, await service.setup(call, body.username, body.password, body.code)),
  login: async ({ body }, call) => signedIn(call, await service.login(call, body.username, body.password)),
  loginWithKey: async ({ body }, call) => signedIn(call, await service.loginWithKey(call, body.key)),
  logout: (_, call) => {
    const ended = service.logout(call);
    // With a bearer key the cookie was not evaluated, and its session continues.
    if (call.caller?.via !== "key") setCookie(call, "", 0);
    return { ended };
  },
  changePassword: ({ body }, call) => service.changePassword(call, body.current_password, body.new_password),
  tokens: (_, { caller }) =>
    sessions.list().map((session) => ({ ...session, current: session.id === caller?.credentialId })),
  endSession: ({ params: { id } }, { cause }) => {
    service.endSession(cause, id);
    return { id, deleted: true };
  },
  keys: () => keys.list(),
  createKey: ({ body }, { cause }) => service.createKey(cause, body.name, body.role, expiry(body.expires_at ?? null)),
  removeKey: ({ params: { id } }, { cause }) => {
    service.removeKey(cause, id);
    return { id, deleted: true };
  },
});

function signedIn(call: Call, { session, token }: Opened) {
  const { username, role, created_at, expires_at } = session;
  setCookie(call, token, Math.ceil((Date.parse(expires_at) - Date.parse(created_at)) / 1000));
  return { username, role, expires_at };
}

function setCookie({ secure, setHeader }: Call, token: string, lifeSec: number): void {
  const flags = ["Path=/", "HttpOnly", "SameSite=Strict", `Max-Age=${lifeSec}`, ...(secure ? ["Secure"] : [])];
  setHeader("set-cookie", [`${cookieName(secure)}=${token}`, ...flags].join("; "));
}

/** In UTC, so that it compares as text. Leap seconds are refused: Date does not support them. */
function expiry(timestamp: string | null): string | null {
  if (timestamp === null) return null;
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) throw new Problem("invalid_request", { expires_at: timestamp });
  return time.toISOString();
}
