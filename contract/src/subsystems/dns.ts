import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import {
  Id,
  IpAddress,
  named,
  Nullable,
  OneOf,
  optionalReasonFields,
  reasonFields,
  ReferenceOrName,
  sentencesFields,
  Timestamp,
} from "../values.ts";
import { Domain } from "./dns-source.ts";
import { RotationMode } from "./dns-upstreams.ts";

const PlaneStatus = OneOf(["running", "degraded", "failed", "off"], {
  description:
    "degraded: some queries are not answered, or not as they should be; off: no resolver is to run, because dataplane.enabled or dns.enabled is false",
});
const Count = (description: string) => Type.Integer({ minimum: 0, description });

const Upstream = Type.Object({
  name: Type.String(),
  address: Type.String(),
  protocol: OneOf(["plain", "dot", "doh"]),
  status: OneOf(["up", "down"]),
  rtt_ms: Nullable(Type.Number({ description: "Of its last answers; null: none" })),
  queries: Count("Queries sent to it"),
  drops: Count("Queries that it did not answer"),
  ...optionalReasonFields(
    "Why one that is down failed last, if the gateway's DNS proxy queries it; empty if not known",
  ),
});

const statusFields = {
  status: PlaneStatus,
  ...reasonFields("Reason of the status, as a sentence"),
  egresses: Type.Array(
    Type.Object({
      egress: Type.String({ description: "Name of the egress whose devices this resolver instance serves" }),
      number: Type.Integer({ description: "Number of the egress; 0: devices that have no egress" }),
      status: PlaneStatus,
      ...reasonFields("Reason of the status, as a sentence"),
      upstreams: Type.Array(Upstream),
      cache: Type.Object({
        entries: Count("Cached answers"),
        hits: Count("Queries answered from the cache"),
        misses: Count("Queries sent to an upstream"),
      }),
    }),
  ),
  lists: Type.Object({
    names: Count("Names in all enabled lists"),
    built_at: Nullable(Timestamp),
    bytes: Count("Memory of the compiled lists"),
  }),
  filtering_paused: Type.Boolean({
    description: "Whether filtering is paused for everyone; GET /pauses/active also lists pauses of devices and groups",
  }),
  log: Type.Object({ rows: Count("Entries in the log"), dropped: Count("Entries lost because of overload") }),
};
const Condition = Type.Object({
  ...statusFields,
  dates_ignored: Type.Boolean({ description: "Whether the validity dates of signatures are ignored" }),
});
/** The observed status of the DNS plane. */
export type DnsCondition = Readonly<Static<typeof Condition>>;

const DnsStatus = named(
  "DnsStatus",
  Type.Object({
    ...statusFields,
    listen_addr: Type.String({ description: "Address of the resolver for devices" }),
    backend: OneOf(["integrated", "extfilter"], { description: "The filter in use" }),
    filtering_enabled: Type.Boolean(),
    upstream_mode: Type.String({ description: "Protocol of the upstream resolvers of the bootstrap file" }),
    rotation: RotationMode,
    dnssec: Type.Object({
      enabled: Type.Boolean(),
      dates_ignored: Type.Boolean({
        description: "Whether the validity dates of signatures are ignored, while the clock is not trusted",
      }),
    }),
  }),
);
export type DnsStatus = Readonly<Static<typeof DnsStatus>>;

const Pattern = Type.String({
  minLength: 1,
  maxLength: 254,
  description: "A name, or `*.` and a name: the name and its subdomains",
});

const CacheEntry = named(
  "DnsCacheEntry",
  Type.Object({
    egress: Type.String({ description: "Name of the egress whose devices get this answer" }),
    name: Type.String(),
    type: Type.String(),
    rcode: Type.String({ description: "NOERROR, NXDOMAIN and so on" }),
    ttl_sec: Type.Integer({ description: "Remaining TTL" }),
  }),
);
export type DnsCacheEntry = Readonly<Static<typeof CacheEntry>>;

const TestRequest = named(
  "DnsTestRequest",
  closed({
    name: Domain,
    ...optionals({
      type: Type.String({ default: "A", pattern: "^([A-Za-z][A-Za-z0-9-]{0,15})$", description: "Record type" }),
      device_id: ReferenceOrName("device"),
      address: { ...IpAddress, description: "Client address, if it is not a known device" },
    }),
  }),
);

const decider = {
  kind: OneOf(["rule", "list"]),
  resource_type: Type.String(),
  resource_id: Type.String(),
};
const outcome = {
  verdict: OneOf(["none", "allow", "block", "rewrite"], { description: "none: no rule matches the name" }),
  answers: Type.Array(Type.Object({ type: Type.String(), value: Type.String() }), {
    description: "Answers of a rewrite",
  }),
  egress: Type.Object({
    name: Type.String({ description: "The egress by which the query would leave" }),
    number: Type.Integer(),
    status: Type.String(),
  }),
  policy_id: Nullable({ ...Id, description: "The domain policy that applies to its addresses" }),
  zone_id: Nullable({ ...Id, description: "The gateway's own zone that contains the name" }),
  forwarder_ids: Type.Array(Id, { description: "The forwarders that would be queried" }),
  log: OneOf(["full", "counts", "none"], { description: "How much of the query is logged" }),
  ...sentencesFields("trace", "Steps of the evaluation, as sentences"),
};
const Outcome = Type.Object({ ...outcome, by: Nullable(Type.Object(decider)) });
/** The expected result of a query. */
export type DnsOutcome = Readonly<Static<typeof Outcome>>;

const DnsTest = named(
  "DnsTest",
  Type.Object({ ...outcome, by: Nullable(Type.Object({ ...decider, name: Type.String() })) }),
);
export type DnsTest = Readonly<Static<typeof DnsTest>>;

const Domains = Type.Array(Domain, { minItems: 1, maxItems: 1000 });
const BlockedDomains = named("DnsBlockRequest", closed({ domains: Domains }));
const BlockChange = named(
  "DnsBlockChange",
  Type.Object({
    domains: Type.Array(Type.String(), { description: "The domains in canonical form" }),
    changed: Type.Array(Type.String(), { description: "The domains that were added or removed" }),
  }),
);
export type DnsBlockChange = Readonly<Static<typeof BlockChange>>;

export const dns = {
  status: endpoint({
    method: "GET",
    path: "/dns/status",
    role: "either",
    summary: "Status of the resolver and its upstreams",
    result: DnsStatus,
    errors: [],
    cli: { words: ["dns"] },
  }),
  cache: endpoint({
    method: "GET",
    path: "/dns/cache",
    role: "viewer",
    summary: "Entries of the DNS cache",
    query: closed(
      optionals({
        limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1000, description: "Maximum number of rows" }),
        pattern: Pattern,
      }),
    ),
    result: Type.Array(CacheEntry),
    errors: [],
    cli: { words: ["dns", "cache"], columns: ["egress", "name", "type", "rcode", "ttl_sec"] },
  }),
  flush: endpoint({
    method: "POST",
    path: "/dns/cache/flush",
    role: "operator",
    summary: "Flush the DNS cache: all entries, or those that match a pattern",
    body: named("DnsFlushRequest", closed(optionals({ pattern: Pattern }))),
    bodyOptional: true,
    result: named("DnsFlushed", Type.Object({ flushed: Count("Removed entries") })),
    errors: ["engine_failed"],
    audit: { verb: "flush", noun: "dns_cache" },
    cli: { words: ["dns", "flush"] },
  }),
  test: endpoint({
    method: "POST",
    path: "/dns/test",
    role: "viewer",
    summary: "Evaluate a query for a name: verdict, deciding rule and egress",
    description: "The client is a device, an address, or an unknown device if neither is given.",
    body: TestRequest,
    result: DnsTest,
    errors: [],
    cli: { words: ["dns", "test"], args: ["name", "device_id"] },
  }),
  block: endpoint({
    method: "POST",
    path: "/dns/block",
    role: "operator",
    summary: "Block domains and their subdomains for everyone",
    description: "Domains that are already blocked stay unchanged.",
    body: BlockedDomains,
    result: BlockChange,
    errors: ["limit_reached", "change_pending"],
    audit: { verb: "block", noun: "dns_domains" },
    cli: { words: ["dns", "block"], rest: "domains" },
  }),
  unblock: endpoint({
    method: "POST",
    path: "/dns/unblock",
    role: "operator",
    summary: "Remove domains from the block list for everyone",
    description: "Lists, rules and entries for single sources stay unchanged.",
    body: BlockedDomains,
    result: BlockChange,
    errors: ["change_pending"],
    audit: { verb: "unblock", noun: "dns_domains" },
    cli: { words: ["dns", "unblock"], rest: "domains" },
  }),
};
