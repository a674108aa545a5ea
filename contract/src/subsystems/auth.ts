import Type, { type Static } from "typebox";
import { closed, Deleted } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { roles } from "../role.ts";
import { Id, Name, named, Nullable, OneOf, Timestamp } from "../values.ts";

export const RoleName = OneOf(roles, { description: "What the bearer may do" });
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
    authenticated: Type.Boolean({ description: "Whether this request carried a valid credential" }),
    role: Nullable(RoleName),
    actor: Nullable(Type.String({ description: "Who this request acts as" })),
    local_bypass: Type.Boolean({ description: "Whether this request reads by being on the local network" }),
  }),
);

export const Session = named(
  "Session",
  Type.Object({
    id: Id,
    username: Type.String(),
    created_at: Timestamp,
    expires_at: Timestamp,
    address: Type.String({ description: "Where the login came from" }),
    current: Type.Boolean({ description: "Whether this request uses it" }),
  }),
);
export type Session = Static<typeof Session>;

const SignedIn = named("SignedIn", Type.Object({ username: Type.String(), role: RoleName, expires_at: Timestamp }));

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
    summary: "Whether authentication is on, and who this request is",
    result: AuthStatus,
    errors: [],
  }),
  setup: endpoint({
    method: "POST",
    path: "/auth/setup",
    role: "anyone",
    summary: "Create the admin account; works once",
    body: named("FirstAdmin", closed({ username: Username, password: NewPassword })),
    result: SignedIn,
    status: 201,
    errors: ["already_configured"],
    audit: { verb: "setup", noun: "admin" },
    slow: true,
  }),
  login: endpoint({
    method: "POST",
    path: "/auth/login",
    role: "anyone",
    summary: "Open a session; answers with the cookie gateway_session",
    body: Credentials,
    result: SignedIn,
    errors: ["unauthorized"],
    audit: { verb: "create", noun: "session" },
    slow: true,
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
    slow: true,
  }),
  tokens: endpoint({
    method: "GET",
    path: "/auth/tokens",
    role: "admin",
    summary: "List the open sessions",
    result: Type.Array(Session),
    errors: [],
  }),
  keys: endpoint({
    method: "GET",
    path: "/auth/keys",
    role: "admin",
    summary: "List the API keys, without the keys themselves",
    result: Type.Array(ApiKey),
    errors: [],
  }),
  createKey: endpoint({
    method: "POST",
    path: "/auth/keys",
    role: "admin",
    summary: "Create an API key; the answer is the only place that shows it",
    body: named("ApiKeyCreate", closed({ name: Name, role: RoleName, expires_at: Type.Optional(Nullable(Timestamp)) })),
    result: NewApiKey,
    status: 201,
    errors: ["conflict", "limit_reached"],
    audit: { verb: "create", noun: "api_key" },
  }),
  removeKey: endpoint({
    method: "DELETE",
    path: "/auth/keys/{id}",
    role: "admin",
    summary: "Revoke an API key",
    params: Type.Object({ id: Id }),
    result: Deleted,
    errors: ["not_found", "conflict"],
    audit: { verb: "delete", noun: "api_key" },
  }),
};
