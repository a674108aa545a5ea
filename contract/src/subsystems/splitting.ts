import Type, { type Static } from "typebox";
import { closed, collection } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import {
  Id,
  IdOrName,
  IpAddress,
  Name,
  named,
  Nullable,
  OneOf,
  PathStatus,
  Reference,
  ReferenceOrName,
  sentenceFields,
} from "../values.ts";
import { ShownPolicy } from "./routing.ts";

const Role = OneOf(["member", "cover"], {
  description: "member: connections are spread over it; cover: padding is sent through it",
});
const Weight = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 1,
  description: "Share of new connections, relative to the other members",
});
const Rate = Type.Integer({
  minimum: 1,
  maximum: 65_536,
  default: 1024,
  description: "Maximum padding per second, in bytes",
});

const optional = {
  name: Nullable(Name),
  weight: Weight,
  role: Role,
  enabled: Type.Boolean({ description: "Unless given, true for a member and false for cover" }),
  target: Nullable({ ...IpAddress, description: "Cover only: destination address of the padding" }),
  bytes_per_second: Rate,
};

export const SplittingEndpoint = named(
  "SplittingEndpoint",
  Type.Object({ id: Id, tunnel_id: Reference("tunnel"), ...optional }),
);
export type SplittingEndpoint = Static<typeof SplittingEndpoint>;

/** The tunnel of a hop. */
const tunnel = {
  tunnel_id: Nullable({ ...Id, description: "null: the hop names no tunnel of the gateway" }),
  tunnel: Type.String({ description: "Name" }),
};

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const SplittingStatus = named(
  "SplittingStatus",
  Type.Object({
    active: Type.Boolean({ description: "Whether a published policy spreads connections over tunnels" }),
    policies: Type.Array(
      Type.Object({
        policy_id: Id,
        name: Type.String(),
        members: Type.Array(
          Type.Object({
            ...tunnel,
            weight: Type.Integer(),
            healthy: Type.Boolean(),
            share: Type.Number({ description: "Its current share of new connections, from 0 to 1" }),
            connections: Type.Optional(Count("Current connections through it, if they are counted")),
          }),
        ),
      }),
    ),
    members: Count("Enabled members of the pool"),
    covers: Count("Enabled cover endpoints"),
  }),
);
export type SplittingStatus = Static<typeof SplittingStatus>;

export const SplittingTransport = named(
  "SplittingTransport",
  Type.Object({
    tunnel_id: Id,
    tunnel: Type.String({ description: "Name" }),
    interface: Type.String(),
    type: Type.String({ description: "wireguard or openvpn" }),
    mtu: Nullable(Type.Integer()),
    endpoint: Nullable(Type.String({ description: "Host and port of the server" })),
    status: PathStatus,
    rtt_ms: Nullable(Type.Number()),
    tx: Count("Bytes sent"),
    rx: Count("Bytes received"),
  }),
);
export type SplittingTransport = Static<typeof SplittingTransport>;

export const SplittingResolver = named(
  "SplittingResolver",
  Type.Object({
    tunnel_id: Id,
    tunnel: Type.String({ description: "Name" }),
    resolver: Nullable(Type.String({ description: "Address; null: no resolver on this path" })),
    source: OneOf(["tunnel config", "system"], { description: "Origin of the setting" }),
    ...sentenceFields("note"),
  }),
);
export type SplittingResolver = Static<typeof SplittingResolver>;

export const CoverStats = named(
  "CoverStats",
  Type.Object({
    endpoint_id: Id,
    tunnel: Type.String({ description: "Name" }),
    target: Nullable(IpAddress),
    enabled: Type.Boolean(),
    packets: Count("Sent since the daemon started"),
    bytes: Count("Sent since the daemon started"),
    answered: Count("Packets that the target answered"),
    bytes_per_second: Type.Integer(),
  }),
);
export type CoverStats = Static<typeof CoverStats>;

export const splittingEndpoints = collection({
  path: "/splitting/endpoints",
  noun: "splitting endpoint",
  resource: SplittingEndpoint,
  required: { tunnel_id: ReferenceOrName("tunnel") },
  optional,
  filters: { role: Role, enabled: Type.Boolean(), tunnel_id: IdOrName("tunnel") },
  idInQuery: true,
});

export const splitting = {
  status: endpoint({
    method: "GET",
    path: "/splitting/status",
    role: "viewer",
    summary: "Which published policies spread connections, over which tunnels, and in which shares",
    result: SplittingStatus,
    errors: [],
  }),
  transport: endpoint({
    method: "GET",
    path: "/splitting/transport",
    role: "viewer",
    summary: "Transport and status of the tunnels of the pool",
    result: Type.Array(SplittingTransport),
    errors: [],
  }),
  dnsStatus: endpoint({
    method: "GET",
    path: "/splitting/dns/status",
    role: "viewer",
    summary: "Resolver on each path of the split",
    result: Type.Array(SplittingResolver),
    errors: [],
  }),
  coverStats: endpoint({
    method: "GET",
    path: "/splitting/cover/stats",
    role: "viewer",
    summary: "Counters of the padding",
    result: Type.Array(CoverStats),
    errors: [],
  }),
  activate: endpoint({
    method: "POST",
    path: "/splitting/activate",
    role: "operator",
    summary: "Stage a policy that spreads its connections over the members; an apply puts it into force",
    description:
      "The policy gets the enabled members as its vpn hops, and splitting. Like every change of a policy it takes effect with the next apply; with `apply` everything that is staged is published immediately.",
    body: named(
      "SplittingActivation",
      closed({
        policy_id: ReferenceOrName("routing_policy"),
        apply: Type.Optional(Type.Boolean({ default: false, description: "Apply everything that is staged as well" })),
      }),
    ),
    result: named(
      "ActivatedSplitting",
      Type.Object({
        policy: ShownPolicy,
        members: Type.Array(SplittingEndpoint),
        staged: Type.Literal(true),
        applied: Type.Boolean({ description: "Whether it was published as well" }),
        ...sentenceFields("message"),
      }),
    ),
    errors: ["conflict", "policy_conflict", "limit_reached", "change_pending"],
    audit: { verb: "activate", noun: "splitting" },
  }),
};
