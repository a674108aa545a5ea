import Type, { type Static } from "typebox";
import { closed, Deleted } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { roles } from "../role.ts";
import { Id, Name, named, Nullable, OneOf, Timestamp } from "../values.ts";

export const RoleName = OneOf(roles, { description: "Role of the credential" });
const Username = Type.String({ minLength: 1, maxLength: 64, pattern: "^[\\p{L}\\p{N}._@-]+$" });
const Password = Type.String({ minLength: 1, maxLength: 1024, "x-secret": true });
const NewPassword = Type.String({
  minLength: 10,
  maxLength: 1024,
  description: "Ten characters or more",
  "x-secret": true,
});
const Credentials = named("Credentials", closed({ username: Username, password: Password }));

export const AuthStatus = named(
  "AuthStatus",
  Type.Object({
    enabled: Type.Boolean({ description: "Whether requests need a credential" }),
    configured: Type.Boolean({ description: "Whether the admin account exists" }),
    setup_open: Type.Boolean({ description: "Whether the setup code can create the admin account now" }),
    authenticated: Type.Boolean({ description: "Whether this request has a valid credential" }),
    via: Nullable(
      OneOf(["open", "local", "session", "key", "socket"], {
        description:
          "How this request was authenticated; open: authentication is off, local: by auth.local_net, read-only, socket: root on the gateway's Unix socket",
      }),
    ),
    role: Nullable(RoleName),
    actor: Nullable(Type.String({ description: "The actor of this request in the audit log" })),
    expires_at: Nullable(
      Type.String({ format: "date-time", description: "When the session or key of this request ends" }),
    ),
    local_bypass: Type.Boolean({
      description: "Whether this request may read because its address is in auth.local_net",
    }),
  }),
);

export const Session = named(
  "Session",
  Type.Object({
    id: Id,
    username: Type.String({ description: "Name of the account, or of the API key that opened the session" }),
    role: RoleName,
    key_id: Nullable(
      Type.String({ format: "uuid", description: "The API key that opened the session; null: the admin's password" }),
    ),
    created_at: Timestamp,
    expires_at: Timestamp,
    address: Type.String({ description: "Client address of the login" }),
    current: Type.Boolean({ description: "Whether this request uses this session" }),
  }),
);
export type Session = Static<typeof Session>;

const SignedIn = named(
  "SignedIn",
  Type.Object({
    username: Type.String({ description: "Name of the account, or of the key" }),
    role: RoleName,
    expires_at: Timestamp,
  }),
);

export const ApiKey = named(
  "ApiKey",
  Type.Object({
    id: Id,
    name: Name,
    role: RoleName,
    created_at: Timestamp,
    expires_at: Nullable(Timestamp),
    source: OneOf(["api", "bootstrap"], { description: "Keys of the bootstrap file are changed there" }),
  }),
);
export type ApiKey = Static<typeof ApiKey>;

const NewApiKey = named(
  "NewApiKey",
  Type.Object({ ...ApiKey.properties, key: Type.String({ description: "The key itself; it is never shown again" }) }),
);

export const auth = {
  status: endpoint({
    method: "GET",
    path: "/auth/status",
    role: "anyone",
    summary: "Whether authentication is on, and the identity of this request",
    result: AuthStatus,
    errors: [],
  }),
  setup: endpoint({
    method: "POST",
    path: "/auth/setup",
    role: "anyone",
    summary: "Create the admin account; works once",
    description:
      "Needs the setup code that the daemon prints at its start and stores in the file setup-code of its state folder. The code becomes void as soon as an admin account or an admin key exists; with an admin key the account is created without a code.",
    body: named(
      "FirstAdmin",
      closed({
        username: Username,
        password: NewPassword,
        code: Type.Optional(
          Type.String({ minLength: 1, maxLength: 64, description: "The setup code", "x-secret": true }),
        ),
      }),
    ),
    result: SignedIn,
    status: 201,
    errors: ["already_configured"],
    audit: { verb: "setup", noun: "admin" },
    throttled: true,
  }),
  login: endpoint({
    method: "POST",
    path: "/auth/login",
    role: "anyone",
    summary: "Open a session; the response sets a cookie",
    body: Credentials,
    result: SignedIn,
    errors: ["unauthorized"],
    audit: { verb: "create", noun: "session" },
    throttled: true,
  }),
  loginWithKey: endpoint({
    method: "POST",
    path: "/auth/key-login",
    role: "anyone",
    summary: "Open a session with an API key; the response sets a cookie",
    description:
      "The session has the role of the key and ends with it: when the key expires, is revoked, or is removed from the bootstrap file.",
    body: named(
      "KeyCredentials",
      closed({ key: Type.String({ minLength: 1, maxLength: 1024, description: "The API key", "x-secret": true }) }),
    ),
    result: SignedIn,
    errors: ["unauthorized"],
    audit: { verb: "create", noun: "session" },
    throttled: true,
  }),
  logout: endpoint({
    method: "POST",
    path: "/auth/logout",
    role: "anyone",
    summary: "End the session of this request and clear its cookie; without a session it does nothing",
    result: Type.Object(
      { ended: Type.Boolean({ description: "Whether there was a session to end" }) },
      { title: "SignedOut" },
    ),
    errors: [],
    audit: { verb: "end", noun: "session" },
  }),
  changePassword: endpoint({
    method: "POST",
    path: "/auth/change-password",
    role: "admin",
    summary: "Change the admin password and end every other session",
    body: named("PasswordChange", closed({ current_password: Password, new_password: NewPassword })),
    result: Type.Object({ username: Type.String(), sessions_ended: Type.Integer() }, { title: "PasswordChanged" }),
    errors: ["not_found"],
    audit: { verb: "change", noun: "password" },
    throttled: true,
  }),
  tokens: endpoint({
    method: "GET",
    path: "/auth/tokens",
    role: "admin",
    summary: "List the open sessions",
    result: Type.Array(Session),
    errors: [],
  }),
  endSession: endpoint({
    method: "DELETE",
    path: "/auth/tokens/{id}",
    role: "admin",
    summary: "End a session at once, and the event streams it opened",
    params: Type.Object({ id: Id }),
    result: Deleted,
    errors: ["not_found"],
    audit: { verb: "end", noun: "session" },
  }),
  keys: endpoint({
    method: "GET",
    path: "/auth/keys",
    role: "admin",
    summary: "List the API keys, without the keys themselves",
    result: Type.Array(ApiKey),
    errors: [],
    cli: { words: ["keys", "list"], columns: ["id", "name", "role", "created_at", "expires_at", "source"] },
  }),
  createKey: endpoint({
    method: "POST",
    path: "/auth/keys",
    role: "admin",
    summary: "Create an API key; only this response contains the key",
    body: named("ApiKeyCreate", closed({ name: Name, role: RoleName, expires_at: Type.Optional(Nullable(Timestamp)) })),
    result: NewApiKey,
    status: 201,
    errors: ["conflict", "limit_reached"],
    audit: { verb: "create", noun: "api_key" },
    cli: { words: ["keys", "create"], args: ["name", "role"] },
  }),
  removeKey: endpoint({
    method: "DELETE",
    path: "/auth/keys/{id}",
    role: "admin",
    summary: "Revoke an API key, and end the sessions opened with it",
    params: Type.Object({ id: Id }),
    result: Deleted,
    errors: ["not_found", "conflict"],
    audit: { verb: "delete", noun: "api_key" },
    cli: { words: ["keys", "revoke"], args: ["id"] },
  }),
};
