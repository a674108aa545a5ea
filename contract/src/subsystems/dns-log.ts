import Type, { type Static } from "typebox";
import { closed, pageOf } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { IpAddress, named, Nullable, OneOf, Timestamp } from "../values.ts";

export const DnsVerdict = OneOf(["none", "allow", "block", "rewrite", "cname", "rebind"], {
  description:
    "What became of the name: nobody spoke of it; let through, blocked or rewritten; blocked for what it is an alias of; " +
    "or blocked because its addresses were private ones",
});

const AnsweredBy = OneOf(["cache", "gateway", "resolver"], {
  description: "Who answered: the cache, the gateway by itself, or a resolver that was asked",
});

/** The device whose address it is now. */
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
        "The entry that decided; resource_type is unknown where the rules have changed so often since that it is not kept which one it was",
    },
  ),
);

export const DnsLogEntry = named(
  "DnsLogEntry",
  Type.Object({
    id: Type.Integer({ description: "Grows with time" }),
    timestamp: Timestamp,
    client: IpAddress,
    ...device,
    name: Type.String({ description: "Lower case, without a dot at its end" }),
    type: Type.String({ description: "Such as A, AAAA or TYPE300" }),
    rcode: Type.String({ description: "Such as NOERROR or NXDOMAIN" }),
    verdict: DnsVerdict,
    cause: Nullable(DnsCause),
    answered_by: AnsweredBy,
    egress_number: Type.Integer({ description: "The way by which the device leaves; 0 for none" }),
    latency_ms: Type.Number(),
    answers: Type.Integer({ description: "Addresses and aliases in the answer" }),
  }),
);
export type DnsLogEntry = Static<typeof DnsLogEntry>;

const counts = {
  queries: Type.Integer(),
  blocked: Type.Integer(),
  cached: Type.Integer({ description: "Answered out of the cache" }),
};

export const DnsClient = named(
  "DnsClient",
  Type.Object({
    address: IpAddress,
    ...device,
    log_level: OneOf(["full", "counts", "none"], { description: "How much of what it asks is written down" }),
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
      description: "Of the last 24 hours, oldest first; minutes without questions are left out",
    }),
    top_names: Type.Array(NameCount),
    top_blocked: Type.Array(NameCount),
    top_names_rows: Type.Integer({ description: "Of how many of the newest log entries these are" }),
    top_clients: Type.Array(Type.Object({ client: IpAddress, ...device, ...counts })),
    log: Type.Object({
      rows: Type.Integer({ description: "At most so many are in the log" }),
      rows_kept: Type.Integer(),
      lost: Type.Integer({ description: "Answers since the start that were given and not written down" }),
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
    summary: "What devices asked for and what became of it, newest first",
    description:
      "With `after` only what came after that entry, and then oldest first: whoever asks again with the id of the last " +
      "entry misses none.",
    query: pageOf({
      client: ClientReference,
      name: Type.String({
        minLength: 1,
        maxLength: 255,
        description: "A part of the name; with a dot in front, that domain and all below it",
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
    summary: "Forget what was asked for, by everybody or by one client",
    description: "Entries, counters and statistics; of one client its entries and counters.",
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
    summary: "Who asks, and how much",
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
    summary: "Questions of the last day, and what is asked for most",
    query: closed({
      top: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, default: 10, description: "How many names and clients to list" }),
      ),
    }),
    result: DnsStatistics,
    errors: [],
    cli: { words: ["dns", "statistics"] },
  }),
};
