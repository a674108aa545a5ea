import Type, { type Static } from "typebox";
import { closed, pageOf } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { IpAddress, named, Nullable, OneOf, Timestamp } from "../values.ts";

export const DnsVerdict = OneOf(["none", "allow", "block", "rewrite", "cname", "rebind"], {
  description:
    "none: no rule matches the name; allow, block, rewrite: by a rule or a list; cname: blocked because it is an alias of a " +
    "blocked name; rebind: blocked because its addresses are private",
});

const AnsweredBy = OneOf(["cache", "gateway", "resolver"], {
  description: "Source of the answer: the cache, the gateway itself, or an upstream resolver",
});

/** The device that has the address now. */
const device = {
  device_id: Nullable(Type.String()),
  device_name: Nullable(Type.String()),
};

const DnsCause = named(
  "DnsCause",
  Type.Object(
    { resource_type: Type.String(), resource_id: Type.String(), name: Type.String() },
    {
      description:
        "The entry that decided; resource_type is unknown if the rules have changed too often since to know it",
    },
  ),
);

export const DnsLogEntry = named(
  "DnsLogEntry",
  Type.Object({
    id: Type.Integer({ description: "Increases with time" }),
    timestamp: Timestamp,
    client: IpAddress,
    ...device,
    name: Type.String({ description: "Lower case, without a dot at its end" }),
    type: Type.String({ description: "Such as A, AAAA or TYPE300" }),
    rcode: Type.String({ description: "Such as NOERROR or NXDOMAIN" }),
    verdict: DnsVerdict,
    cause: Nullable(DnsCause),
    answered_by: AnsweredBy,
    egress_number: Type.Integer({ description: "The egress of the device; 0: none" }),
    latency_ms: Type.Number(),
    answers: Type.Integer({ description: "Number of addresses and aliases in the answer" }),
  }),
);
export type DnsLogEntry = Static<typeof DnsLogEntry>;

const counts = {
  queries: Type.Integer(),
  blocked: Type.Integer(),
  cached: Type.Integer({ description: "Answered from the cache" }),
};

export const DnsClient = named(
  "DnsClient",
  Type.Object({
    address: IpAddress,
    ...device,
    log_level: OneOf(["full", "counts", "none"], { description: "How much of its queries is logged" }),
    ...counts,
    first_seen: Timestamp,
    last_seen: Timestamp,
  }),
);
export type DnsClient = Static<typeof DnsClient>;

const NameCount = named("DnsNameCount", Type.Object({ name: Type.String(), queries: Type.Integer() }));

export const DnsStatistics = named(
  "DnsStatistics",
  Type.Object({
    ...counts,
    minutes: Type.Array(Type.Object({ timestamp: Timestamp, ...counts }), {
      description: "The last 24 hours, oldest first; minutes without queries are left out",
    }),
    top_names: Type.Array(NameCount),
    top_blocked: Type.Array(NameCount),
    top_names_rows: Type.Integer({
      description: "Number of the newest log entries that top_names and top_blocked are computed from",
    }),
    top_clients: Type.Array(Type.Object({ client: IpAddress, ...device, ...counts })),
    log: Type.Object({
      rows: Type.Integer({ description: "Entries in the log" }),
      rows_kept: Type.Integer(),
      lost: Type.Integer({ description: "Answers since the start that could not be logged" }),
    }),
  }),
);
export type DnsStatistics = Static<typeof DnsStatistics>;

const ClientReference = Type.String({
  minLength: 1,
  maxLength: 120,
  description: "An address, or id or name of a device",
});

export const dnsLog = {
  list: endpoint({
    method: "GET",
    path: "/dns/log",
    role: "either",
    summary: "DNS queries of devices and their results, newest first",
    description:
      "With `after` only newer entries, oldest first: a client that continues with the id of the last entry misses none.",
    query: pageOf({
      client: ClientReference,
      name: Type.String({
        minLength: 1,
        maxLength: 255,
        description: "Part of the name; with a leading dot, the domain and its subdomains",
      }),
      type: Type.String({ pattern: "^[A-Za-z0-9]{1,10}$", description: "Such as AAAA, TYPE65 or 65" }),
      verdict: DnsVerdict,
      since: Timestamp,
      until: Timestamp,
      after: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "Id of an entry" }),
    }),
    result: Type.Array(DnsLogEntry),
    paged: true,
    errors: [],
    cli: { words: ["dns", "log"], columns: ["timestamp", "client", "device_name", "type", "name", "verdict", "rcode"] },
  }),
  clear: endpoint({
    method: "DELETE",
    path: "/dns/log",
    role: "operator",
    summary: "Clear the query log, of all clients or of one",
    description: "Removes entries, counters and statistics; for one client its entries and counters.",
    query: closed({ client: Type.Optional(ClientReference) }),
    result: named("DnsLogCleared", Type.Object({ cleared: Type.Literal(true) })),
    errors: [],
    audit: { verb: "clear", noun: "dns_log" },
    cli: { words: ["dns", "clear-log"] },
  }),
  clients: endpoint({
    method: "GET",
    path: "/dns/clients",
    role: "viewer",
    summary: "DNS clients and their query counters",
    query: pageOf({}),
    result: Type.Array(DnsClient),
    paged: true,
    errors: [],
    cli: {
      words: ["dns", "clients"],
      columns: ["address", "device_name", "log_level", "queries", "blocked", "cached", "last_seen"],
    },
  }),
  statistics: endpoint({
    method: "GET",
    path: "/dns/statistics",
    role: "viewer",
    summary: "DNS queries of the last day, and the most queried names",
    query: closed({
      top: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, default: 10, description: "Number of names and clients to list" }),
      ),
    }),
    result: DnsStatistics,
    errors: [],
    cli: { words: ["dns", "statistics"] },
  }),
};
