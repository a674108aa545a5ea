import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, IpAddress, named, Nullable, OneOf, ReferenceOrName, Timestamp } from "../values.ts";
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
  rtt_ms: Nullable(Type.Number({ description: "Of its last answers; null when there was none" })),
  queries: Count("Asked of it"),
  drops: Count("Not answered by it"),
});

const statusFields = {
  status: PlaneStatus,
  reason: Type.String({ description: "Why the status is what it is" }),
  egresses: Type.Array(
    Type.Object({
      egress: Type.String({ description: "Name of the egress whose devices this resolver instance serves" }),
      number: Type.Integer({ description: "Number of the egress; 0: devices that have no egress" }),
      status: PlaneStatus,
      reason: Type.String(),
      upstreams: Type.Array(Upstream),
      cache: Type.Object({
        entries: Count("Answers remembered"),
        hits: Count("Questions answered from memory"),
        misses: Count("Questions that were asked on"),
      }),
    }),
  ),
  lists: Type.Object({
    names: Count("In all enabled lists together"),
    built_at: Nullable(Timestamp),
    bytes: Count("Memory that they take"),
  }),
  log: Type.Object({ rows: Count("Kept"), dropped: Count("Lost because they came too fast") }),
};
const Condition = Type.Object({
  ...statusFields,
  dates_ignored: Type.Boolean({ description: "Whether signatures count whatever their dates" }),
});
/** How the plane is, as far as anybody knows. */
export type DnsCondition = Readonly<Static<typeof Condition>>;

const DnsStatus = named(
  "DnsStatus",
  Type.Object({
    ...statusFields,
    listen_addr: Type.String({ description: "Where devices ask" }),
    backend: OneOf(["integrated", "extfilter"], { description: "Who filters" }),
    filtering_enabled: Type.Boolean(),
    upstream_mode: Type.String({ description: "How the resolvers of the bootstrap file are asked" }),
    rotation: RotationMode,
    dnssec: Type.Object({
      enabled: Type.Boolean(),
      dates_ignored: Type.Boolean({
        description: "Signatures count whatever their dates, for as long as the clock is not to be trusted",
      }),
    }),
  }),
);
export type DnsStatus = Readonly<Static<typeof DnsStatus>>;

const Pattern = Type.String({
  minLength: 1,
  maxLength: 254,
  description: "A name, or `*.` and a name: it and all names below",
});

const CacheEntry = named(
  "DnsCacheEntry",
  Type.Object({
    egress: Type.String({ description: "Name of the egress whose devices get this answer" }),
    name: Type.String(),
    type: Type.String(),
    rcode: Type.String({ description: "NOERROR, NXDOMAIN and so on" }),
    ttl_sec: Type.Integer({ description: "Left" }),
  }),
);
export type DnsCacheEntry = Readonly<Static<typeof CacheEntry>>;

const TestRequest = named(
  "DnsTestRequest",
  closed({
    name: Domain,
    ...optionals({
      type: Type.String({ default: "A", pattern: "^([A-Za-z][A-Za-z0-9-]{0,15})$", description: "Of record" }),
      device_id: ReferenceOrName("device"),
      address: { ...IpAddress, description: "Who asks, when that is no known device" },
    }),
  }),
);

const decider = {
  kind: OneOf(["rule", "list"]),
  resource_type: Type.String(),
  resource_id: Type.String(),
};
const outcome = {
  verdict: OneOf(["none", "allow", "block", "rewrite"], { description: "none: nobody speaks of it" }),
  answers: Type.Array(Type.Object({ type: Type.String(), value: Type.String() }), { description: "Of a rewrite" }),
  egress: Type.Object({
    name: Type.String({ description: "The egress by which the query would leave" }),
    number: Type.Integer(),
    status: Type.String(),
  }),
  policy_id: Nullable({ ...Id, description: "The domain policy that its addresses are sent by" }),
  zone_id: Nullable({ ...Id, description: "The gateway's own zone that answers it" }),
  forwarder_ids: Type.Array(Id, { description: "Who would be asked" }),
  log: OneOf(["full", "counts", "none"], { description: "What is kept of the question" }),
  trace: Type.Array(Type.String(), { description: "What was looked at, in order, as sentences" }),
};
const Outcome = Type.Object({ ...outcome, by: Nullable(Type.Object(decider)) });
/** What would become of a question. */
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
    domains: Type.Array(Type.String(), { description: "As they are kept" }),
    changed: Type.Array(Type.String(), { description: "Those of them for which something changed" }),
  }),
);
export type DnsBlockChange = Readonly<Static<typeof BlockChange>>;

export const dns = {
  status: endpoint({
    method: "GET",
    path: "/dns/status",
    role: "either",
    summary: "How the resolver and its upstreams are",
    result: DnsStatus,
    errors: [],
    cli: { words: ["dns"] },
  }),
  cache: endpoint({
    method: "GET",
    path: "/dns/cache",
    role: "viewer",
    summary: "Answers that are remembered",
    query: closed(
      optionals({
        limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1000, description: "Rows to answer at most" }),
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
    summary: "Forget remembered answers: all, or those a pattern fits",
    body: named("DnsFlushRequest", closed(optionals({ pattern: Pattern }))),
    bodyOptional: true,
    result: named("DnsFlushed", Type.Object({ flushed: Count("Answers forgotten") })),
    errors: ["engine_failed"],
    audit: { verb: "flush", noun: "dns_cache" },
    cli: { words: ["dns", "flush"] },
  }),
  test: endpoint({
    method: "POST",
    path: "/dns/test",
    role: "viewer",
    summary: "Say what would become of a name, and who decides that",
    description: "Asked by a device, by an address, or by somebody nobody knows.",
    body: TestRequest,
    result: DnsTest,
    errors: [],
    cli: { words: ["dns", "test"], args: ["name", "device_id"] },
  }),
  block: endpoint({
    method: "POST",
    path: "/dns/block",
    role: "operator",
    summary: "Block domains, and the names below them, for everyone",
    description: "Domains that are blocked already stay as they are.",
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
    summary: "Take domains off the list of what is blocked for everyone",
    description: "Lists, rules and entries for single sources are not touched.",
    body: BlockedDomains,
    result: BlockChange,
    errors: ["change_pending"],
    audit: { verb: "unblock", noun: "dns_domains" },
    cli: { words: ["dns", "unblock"], rest: "domains" },
  }),
};
