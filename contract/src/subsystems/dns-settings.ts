import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { DiscardedSecrets, named, Nullable, OneOf, optionalReasonFields, secret } from "../values.ts";
import { Domain } from "./dns-source.ts";

const fields = {
  filtering_enabled: Type.Boolean({
    description: "Whether rules, lists and rewrites apply; dns.filtering_enabled of the bootstrap file unless set",
  }),
  rate_limit_qps: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: "Queries per second and source; 0: unlimited",
  }),
  rebinding_protection: Type.Boolean({
    description: "Whether answers of upstreams with private addresses are refused",
  }),
  rebinding_allowed: Type.Array(Domain, { maxItems: 256, description: "Domains that may have private addresses" }),
  dnssec: Type.Boolean({ description: "Whether DNSSEC signatures are validated" }),
  tunnel_resolvers: OneOf(["only", "ignore"], {
    description:
      "only: queries of devices behind a tunnel go only to the resolvers of its configuration file, if it has any; ignore: to the same upstreams as all queries, through the tunnel",
  }),
  log_rows_kept: Type.Integer({ minimum: 0, maximum: 10_000_000, description: "Rows of the query log" }),
};

const DnsOptions = named("DnsOptions", Type.Object(fields));
export type DnsOptions = Readonly<Static<typeof DnsOptions>>;
/** The published options: only those that were set. */
export type PublishedDnsOptions = Partial<DnsOptions> & { readonly id: string };

/** Enough for a page with a hundred names, too little for a dictionary scan. */
const queriesPerSec = 200;

export const defaultDnsOptions: Omit<DnsOptions, "filtering_enabled"> = {
  rate_limit_qps: queriesPerSec,
  rebinding_protection: true,
  rebinding_allowed: [],
  dnssec: true,
  tunnel_resolvers: "only",
  log_rows_kept: 1_000_000,
};

export const dnsOptions = {
  get: endpoint({
    method: "GET",
    path: "/dns/options",
    role: "viewer",
    summary: "Options of the resolver, for all clients",
    result: DnsOptions,
    errors: [],
    cli: { words: ["dns", "options"] },
  }),
  put: endpoint({
    method: "PUT",
    path: "/dns/options",
    role: "operator",
    summary: "Change options of the resolver, immediately",
    description: "Fields that are not given keep their value.",
    body: named("DnsOptionsUpdate", closed(optionals(fields))),
    result: DnsOptions,
    errors: ["change_pending"],
    audit: { verb: "update", noun: "dns_options" },
    cli: { words: ["dns", "configure"] },
  }),
};

const settings = {
  enabled: Type.Boolean({
    description: "Whether queries are forwarded to it; dns.backend of the bootstrap file unless set",
  }),
  url: Nullable(
    Type.String({
      maxLength: 2048,
      pattern: "^https?://[^\\s\\p{Cc}@?#]+$",
      description: "URL of its API: scheme, host and port. With a password https, unless it runs on the gateway itself",
    }),
  ),
  dns_address: Nullable(
    Type.String({
      maxLength: 64,
      description:
        "Address and port of its resolver, such as 192.168.1.5:53. Its own upstream is port 18009 of the gateway, " +
        "which accepts queries of this address only",
    }),
  ),
  username: Nullable(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\p{Cc}\\p{Cs}:]+$" })),
};
const storedFields = { ...settings, has_password: Type.Boolean() };
const Stored = Type.Object(storedFields);
/** The published settings. The password is the sealed value. */
export type PublishedExternalFilter = Readonly<Static<typeof Stored>> & {
  readonly id: string;
  readonly name: string;
  readonly secret: { readonly id: string; readonly version: number } | null;
};

/** Status from its API. */
const apiStatusFields = {
  reachable: Type.Boolean({ description: "Whether its API answered" }),
  running: Type.Boolean({ description: "Whether its resolver runs, as its API reports" }),
  protection_enabled: Type.Boolean({ description: "Whether it filters" }),
  protection_paused_ms: Nullable(Type.Integer({ description: "Time until it filters again by itself" })),
  version: Nullable(Type.String()),
};
const why = optionalReasonFields("The current error, as a sentence; empty: none");
const dnsStatusFields = {
  dns_status: OneOf(["up", "down"], { description: "Whether it answers queries that the gateway forwards" }),
  dns_rtt_ms: Nullable(Type.Number()),
};
const Condition = Type.Object({ ...dnsStatusFields, ...why });
/** Status of its resolver, as the gateway's frontends observe it. */
export type ExternalFilterCondition = Readonly<Static<typeof Condition>>;

const ExternalFilter = named(
  "DnsExternalFilter",
  Type.Object({
    configured: Type.Boolean({ description: "Whether url or dns_address is set" }),
    ...storedFields,
    ...apiStatusFields,
    ...dnsStatusFields,
    ...why,
    discarded_secrets: DiscardedSecrets,
  }),
);
export type ExternalFilter = Readonly<Static<typeof ExternalFilter>>;

const acting = { method: "POST", role: "operator", result: ExternalFilter, errors: ["change_pending"] } as const;

export const dnsExtfilter = {
  status: endpoint({
    method: "GET",
    path: "/dns/extfilter/status",
    role: "viewer",
    summary: "Settings and status of the external filter",
    result: ExternalFilter,
    errors: [],
    cli: { words: ["extfilter"] },
  }),
  put: endpoint({
    method: "PUT",
    path: "/dns/extfilter",
    role: "operator",
    summary: "Change the settings of the external filter",
    description: "Fields that are not given keep their value.",
    body: named(
      "DnsExternalFilterUpdate",
      closed(
        optionals({
          ...settings,
          password: Nullable(
            Type.String({
              minLength: 1,
              maxLength: 255,
              pattern: "^[^\\p{Cc}\\p{Cs}]+$",
              description: "Write-only",
              ...secret("url"),
            }),
          ),
        }),
      ),
    ),
    result: ExternalFilter,
    errors: ["conflict", "change_pending", "secrets_undecipherable"],
    audit: { verb: "update", noun: "dns_extfilter" },
    cli: { words: ["extfilter", "update"] },
  }),
  enable: endpoint({
    ...acting,
    path: "/dns/extfilter/enable",
    summary: "Forward queries to the external filter, and switch its protection on",
    errors: ["conflict", "change_pending"],
    audit: { verb: "enable", noun: "dns_extfilter" },
    cli: { words: ["extfilter", "enable"] },
  }),
  disable: endpoint({
    ...acting,
    path: "/dns/extfilter/disable",
    summary: "Stop forwarding queries to the external filter, and switch its protection off",
    description: "Also works if the filter does not answer.",
    audit: { verb: "disable", noun: "dns_extfilter" },
    cli: { words: ["extfilter", "disable"] },
  }),
};
