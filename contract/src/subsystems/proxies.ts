import Type, { type Static } from "typebox";
import { collection } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import {
  CountersAt,
  DiscardedSecrets,
  Id,
  Name,
  named,
  Nullable,
  OneOf,
  reasonFields,
  Reference,
  ReferenceOrName,
  secret,
} from "../values.ts";

const ProxyKind = OneOf(["local", "upstream"], {
  description: "local: the gateway listens for devices; upstream: a server elsewhere, used as a hop",
});
const HostPort = Type.String({
  maxLength: 260,
  pattern: "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9_.-]+):[0-9]{1,5}$",
});
const ProxyStatus = OneOf(["up", "down", "failed"]);

const settings = {
  enabled: Type.Boolean(),
  listen: Nullable({ ...HostPort, description: "local: address and port to listen on" }),
  address: Nullable({ ...HostPort, description: "upstream: host and port of the SOCKS5 server" }),
  // RFC 1929 has one byte for the length of each.
  username: Nullable(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\p{Cc}\\p{Cs}]+$" })),
};

const storedFields = {
  id: Id,
  name: Name,
  kind: ProxyKind,
  ...settings,
  has_password: Type.Boolean(),
  tunnel_id: Nullable({
    ...Reference("tunnel"),
    description: "local: the tunnel that its connections use; null: the uplink, which requires a password",
  }),
};
const Stored = Type.Object(storedFields);
/** The published part of a proxy. Its password is the sealed value. */
export type PublishedProxy = Static<typeof Stored> & {
  readonly secret: { readonly id: string; readonly version: number } | null;
};

const statusFields = {
  status: ProxyStatus,
  healthy: Type.Boolean({ description: "Whether it answers" }),
  ...reasonFields("Reason of the status, as a sentence"),
  connections: Type.Integer({ description: "Open connections" }),
  tx: Type.Integer({ description: "Bytes sent" }),
  rx: Type.Integer({ description: "Bytes received" }),
  counters_at: CountersAt,
};
const ProxyCondition = Type.Object(statusFields);
export type ProxyCondition = Readonly<Static<typeof ProxyCondition>>;

export const Proxy = named(
  "Proxy",
  Type.Object({ ...storedFields, ...statusFields, discarded_secrets: DiscardedSecrets }),
);
export type Proxy = Static<typeof Proxy>;

const plain = collection({
  path: "/proxies",
  noun: "proxy",
  resource: Proxy,
  required: { name: Name, kind: ProxyKind },
  optional: {
    ...settings,
    password: Nullable(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: "^[^\\p{Cc}\\p{Cs}]+$",
        description: "Write-only",
        ...secret("address"),
      }),
    ),
    tunnel_id: Nullable(ReferenceOrName("tunnel")),
  },
  filters: { kind: ProxyKind, enabled: Type.Boolean() },
  createErrors: ["in_use", "secrets_undecipherable"],
  idInQuery: true,
});

export const proxies = {
  ...plain,
  list: endpoint({
    ...plain.list,
    cli: { words: ["proxy", "list"], columns: ["id", "name", "listen", "status", "connections", "tx", "rx"] },
  }),
  create: endpoint({ ...plain.create, cli: { words: ["proxy", "create"] } }),
  remove: endpoint({ ...plain.remove, cli: { words: ["proxy", "delete"], args: ["id"] } }),
};

const UnsupportedPackets = OneOf(["blocked", "direct", "mixed"], {
  description:
    "Treatment of packets that a SOCKS5 hop does not support, which is everything but TCP over IPv4: direct: by policies that fail open; blocked: by all others; mixed: both kinds of policies use the hop",
});

const TproxyStatus = named(
  "TproxyStatus",
  Type.Object({
    running: Type.Boolean({ description: "Whether every required redirector runs" }),
    redirectors: Type.Array(
      Type.Object({
        proxy_id: Id,
        name: Type.String(),
        chain: Type.Array(Type.String(), { description: "Names of the hops, in order" }),
        port: Type.Integer({ description: "Port of the gateway that receives the redirected connections" }),
        status: ProxyStatus,
        connections: Type.Integer(),
        tx: Type.Integer(),
        rx: Type.Integer(),
        counters_at: CountersAt,
        udp: UnsupportedPackets,
      }),
    ),
    udp: { ...UnsupportedPackets, description: "The same for all redirectors" },
  }),
);
export type TproxyStatus = Static<typeof TproxyStatus>;

export const tproxy = {
  status: endpoint({
    method: "GET",
    path: "/tproxy/status",
    role: "viewer",
    summary: "Connections that policies redirect through SOCKS5 hops",
    result: TproxyStatus,
    errors: [],
  }),
};
