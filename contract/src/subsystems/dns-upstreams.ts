import Type, { type Static } from "typebox";
import { closed, collection } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, IpAddress, Name, named, Nullable, OneOf } from "../values.ts";
import { Domain } from "./dns-source.ts";

export const maxDnsForwarders = 256;

const required = { name: Name, address: IpAddress };
const optional = {
  enabled: Type.Boolean({ default: true }),
  port: Nullable(
    Type.Integer({ minimum: 1, maximum: 65_535, description: "null: 53 plain, 853 over TLS, 443 over HTTPS" }),
  ),
  protocol: OneOf(["plain", "dot", "doh"], { default: "plain" }),
  server_name: Nullable({ ...Domain, description: "Name that its certificate must contain; null: its address" }),
  path: Type.String({
    default: "/dns-query",
    maxLength: 255,
    pattern: "^/[!-~]*$",
    description: "Path of DNS over HTTPS",
  }),
  domains: Type.Array(Domain, {
    maxItems: 256,
    description:
      "Used only for these domains and their subdomains; empty: for all names without a forwarder of their own",
  }),
  post_quantum: Type.Boolean({
    default: false,
    description: "Queried through the gateway's DNS proxy, whose TLS supports post-quantum key exchange",
  }),
  priority: Type.Integer({ minimum: 0, maximum: 1000, default: 100, description: "The lower number is queried first" }),
};

export const DnsForwarder = named("DnsForwarder", Type.Object({ id: Id, ...required, ...optional }));
export type DnsForwarder = Readonly<Static<typeof DnsForwarder>>;

export const dnsForwarders = collection({
  path: "/dns/forwarders",
  noun: "forwarder",
  key: "dns_forwarder",
  resource: DnsForwarder,
  required,
  optional,
  filters: { enabled: Type.Boolean(), protocol: optional.protocol },
  cli: "forwarders",
  columns: ["id", "name", "address", "port", "protocol", "domains", "priority", "enabled"],
  idInQuery: true,
});

export const RotationMode = OneOf(["round-robin", "random", "failover", "fastest"], {
  description:
    "round-robin: in turn; random: a random one; failover: the first in order of priority that answers; fastest: the one with the shortest response time",
});
export const defaultRotation = "round-robin";
const Rotation = named("DnsRotation", Type.Object({ mode: RotationMode }));
export type DnsRotation = Readonly<Static<typeof Rotation>>;

export const dnsRotation = {
  get: endpoint({
    method: "GET",
    path: "/dns/rotation",
    role: "viewer",
    summary: "How the next upstream resolver is chosen",
    result: Rotation,
    errors: [],
    cli: { words: ["rotation"] },
  }),
  put: endpoint({
    method: "PUT",
    path: "/dns/rotation",
    role: "operator",
    summary: "Change how the next upstream resolver is chosen, immediately",
    body: named("DnsRotationUpdate", closed({ mode: RotationMode })),
    result: Rotation,
    errors: ["change_pending"],
    audit: { verb: "update", noun: "dns_rotation" },
    cli: { words: ["rotation", "set"], args: ["mode"] },
  }),
};
