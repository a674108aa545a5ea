import type { Call, HandlersOf } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import type { auth } from "@portcullis/contract/subsystems/auth";
import { type Auth, cookieName } from "./auth.service.ts";
import type { Keys } from "./keys.ts";
import { type Opened, type Sessions, sessionLifetimeSec } from "./sessions.ts";

interface Needs {
  readonly service: Auth;
  readonly sessions: Sessions;
  readonly keys: Keys;
}

export const authRoutes = ({ service, sessions, keys }: Needs): HandlersOf<typeof auth> => ({
  status: (_, call) => service.status(call),
  setup: async ({ body }, call) =>
    signedIn(call, await service.setup(call.cause, call.address, body.username, body.password)),
  login: async ({ body }, call) =>
    signedIn(call, await service.login(call.cause, call.address, body.username, body.password)),
  changePassword: ({ body }, { cause, caller }) =>
    service.changePassword(cause, caller, body.current_password, body.new_password),
  tokens: (_, { caller }) =>
    sessions.list().map((session) => ({ ...session, current: session.id === caller?.credentialId })),
  keys: () => keys.list(),
  createKey: ({ body }, { cause }) => keys.create(cause, body.name, body.role, expiry(body.expires_at ?? null)),
  removeKey: ({ params: { id } }, { cause }) => {
    keys.remove(cause, id);
    return { id, deleted: true };
  },
});

function signedIn(call: Call, { session, token }: Opened) {
  const flags = [
    "Path=/",
    "HttpOnly",
    "SameSite=Strict",
    `Max-Age=${sessionLifetimeSec}`,
    ...(call.secure ? ["Secure"] : []),
  ];
  call.setHeader("set-cookie", [`${cookieName}=${token}`, ...flags].join("; "));
  return { username: session.username, role: "admin" as const, expires_at: session.expires_at };
}

/** In UTC, so that it compares as text; not a leap second, which no clock here knows. */
function expiry(timestamp: string | null): string | null {
  if (timestamp === null) return null;
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) throw new Problem("invalid_request", { expires_at: timestamp });
  return time.toISOString();
}
