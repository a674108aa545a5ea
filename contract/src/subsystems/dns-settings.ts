import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { DiscardedSecrets, named, Nullable, OneOf, secret } from "../values.ts";
import { Domain } from "./dns-source.ts";

const fields = {
  filtering_enabled: Type.Boolean({
    description: "Whether rules, lists and rewrites apply; dns.filtering_enabled of the bootstrap file unless set",
  }),
  rate_limit_qps: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: "Questions a second that one source may ask; 0: as many as it likes",
  }),
  rebinding_protection: Type.Boolean({
    description: "Whether answers from outside that point into private networks are refused",
  }),
  rebinding_allowed: Type.Array(Domain, { maxItems: 256, description: "Domains for which they are not" }),
  dnssec: Type.Boolean({ description: "Whether signatures are checked" }),
  tunnel_resolvers: OneOf(["only", "ignore"], {
    description:
      "only: queries of devices behind a tunnel go to the resolvers that its file names, where it names any, and to no others; ignore: to the same upstreams as all queries, through the tunnel",
  }),
  log_rows_kept: Type.Integer({ minimum: 0, maximum: 10_000_000, description: "Rows of the query log" }),
};

const DnsOptions = named("DnsOptions", Type.Object(fields));
export type DnsOptions = Readonly<Static<typeof DnsOptions>>;
/** What is published of them: those that somebody set. */
export type PublishedDnsOptions = Partial<DnsOptions> & { readonly id: string };

/** Enough for a device that opens a page with a hundred names, too little for one that goes through a dictionary. */
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
    summary: "How the resolver behaves towards everybody",
    result: DnsOptions,
    errors: [],
    cli: { words: ["dns", "options"] },
  }),
  put: endpoint({
    method: "PUT",
    path: "/dns/options",
    role: "operator",
    summary: "Change how the resolver behaves; at once",
    description: "Fields that are not given keep their value.",
    body: named("DnsOptionsUpdate", closed(optionals(fields))),
    result: DnsOptions,
    errors: ["change_pending"],
    audit: { verb: "update", noun: "dns_options" },
    cli: { words: ["dns", "configure"] },
  }),
};

const settings = {
  enabled: Type.Boolean({ description: "Whether questions go to it; dns.backend of the bootstrap file unless set" }),
  url: Nullable(
    Type.String({
      maxLength: 2048,
      pattern: "^https?://[^\\s\\p{Cc}@?#]+$",
      description:
        "Where its API is: scheme, host and port. With a password https, unless it runs on the gateway itself",
    }),
  ),
  dns_address: Nullable(
    Type.String({
      maxLength: 64,
      description:
        "Address and port it answers questions at, such as 192.168.1.5:53. It asks the gateway again at port 18009, " +
        "which is open to it alone",
    }),
  ),
  username: Nullable(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\p{Cc}\\p{Cs}:]+$" })),
};
const storedFields = { ...settings, has_password: Type.Boolean() };
const Stored = Type.Object(storedFields);
/** What is published of it. Its password is the sealed value. */
export type PublishedExternalFilter = Readonly<Static<typeof Stored>> & {
  readonly id: string;
  readonly name: string;
  readonly secret: { readonly id: string; readonly version: number } | null;
};

/** What its API says. */
const apiStatusFields = {
  reachable: Type.Boolean({ description: "Whether its API answered" }),
  running: Type.Boolean({ description: "Whether it says that its resolver runs" }),
  protection_enabled: Type.Boolean({ description: "Whether it filters" }),
  protection_paused_ms: Nullable(Type.Integer({ description: "After which it filters again by itself" })),
  version: Nullable(Type.String()),
};
const dnsStatusFields = {
  dns_status: OneOf(["up", "down"], { description: "Whether it answers questions that the gateway hands on" }),
  dns_rtt_ms: Nullable(Type.Number()),
};
const Condition = Type.Object({ ...dnsStatusFields, reason: Type.String() });
/** How it answers questions, as those who hand them on see it. */
export type ExternalFilterCondition = Readonly<Static<typeof Condition>>;

const ExternalFilter = named(
  "DnsExternalFilter",
  Type.Object({
    configured: Type.Boolean({ description: "Whether the gateway knows where it is" }),
    ...storedFields,
    ...apiStatusFields,
    ...dnsStatusFields,
    reason: Type.String({ description: "What is wrong; empty if nothing is" }),
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
    summary: "The external filter: where it is, and how",
    result: ExternalFilter,
    errors: [],
    cli: { words: ["extfilter"] },
  }),
  put: endpoint({
    method: "PUT",
    path: "/dns/extfilter",
    role: "operator",
    summary: "Say where the external filter is, and whether it is used",
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
              description: "Goes in, never comes out",
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
    summary: "Hand questions to the external filter, and tell it to filter",
    errors: ["conflict", "change_pending"],
    audit: { verb: "enable", noun: "dns_extfilter" },
    cli: { words: ["extfilter", "enable"] },
  }),
  disable: endpoint({
    ...acting,
    path: "/dns/extfilter/disable",
    summary: "Hand no more questions to the external filter, and tell it not to filter",
    description: "Works also when it does not answer.",
    audit: { verb: "disable", noun: "dns_extfilter" },
    cli: { words: ["extfilter", "disable"] },
  }),
};
