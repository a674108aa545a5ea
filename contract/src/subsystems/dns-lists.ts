import Type, { type Static } from "typebox";
import { closed, collection } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Digest, Id, Name, named, Nullable, OneOf, Timestamp } from "../values.ts";
import { DnsSourceTypeName, dnsSource, storedDnsSource, sourceName } from "./dns-source.ts";

/** Each enabled list is a bit of what is built of them. */
export const dnsListLimits = { enabled: 32, lists: 256, uploadBytes: 64 << 20 } as const;

const Category = OneOf(["ads", "tracking", "malware", "threat", "adult", "social", "gambling", "other"], {
  default: "other",
});
export const threatCategories: readonly string[] = ["malware", "threat"];

const settings = {
  enabled: Type.Boolean({ default: true, description: `At most ${dnsListLimits.enabled} lists at a time` }),
  category: Category,
  action: OneOf(["block", "allow"], { default: "block", description: "What becomes of the names in it" }),
  format: OneOf(["auto", "hosts", "domains", "adblock", "rpz"], {
    default: "auto",
    description: "auto: told from its first lines",
  }),
  url: Nullable(
    Type.String({
      maxLength: 2048,
      pattern: "^https?://[^\\s\\p{Cc}]+$",
      description: "Where it is fetched from. Without a url and a path it is handed in",
    }),
  ),
  path: Nullable(
    Type.String({
      maxLength: 1024,
      pattern: "^(?!/)(?!(?:.*/)?\\.{1,2}(?:/|$))[^\\p{Cc}]+$",
      description:
        "Name of a file in the gateway's folder for lists (paths.lists of the bootstrap file), such as ads.txt",
    }),
  ),
  allow_private: Type.Boolean({
    default: false,
    description:
      "Whether the server of the url may have a private address. Only an admin may allow it; another url takes it back",
  }),
  refresh_hours: Type.Integer({ minimum: 1, maximum: 720, default: 24, description: "How often it is fetched anew" }),
};

const storedFields = {
  id: Id,
  name: Name,
  ...settings,
  ...storedDnsSource,
  content_digest: Nullable({ ...Digest, description: "Of what was handed in last" }),
};
const Stored = Type.Object(storedFields);
/** What is published of a list. Those from before a permission existed have none. */
export type PublishedDnsList = Readonly<Omit<Static<typeof Stored>, "allow_private">> & {
  readonly allow_private?: boolean;
};

const statusFields = {
  entries: Type.Integer({ description: "Names in it, after the last time it was read" }),
  skipped: Type.Integer({ description: "Lines that mean nothing here" }),
  bytes: Type.Integer({ description: "Size of its text" }),
  memory_bytes: Type.Integer({ description: "What its names cost in memory, shared by all ways out" }),
  read_at: Nullable(Timestamp),
  problem: Type.String({
    description: "What went wrong last; empty if nothing did. What was read before stays in force",
  }),
};
const Condition = Type.Object(statusFields);
/** How a list is, as far as anybody knows. */
export type DnsListCondition = Readonly<Static<typeof Condition>>;

export const DnsList = named("DnsList", Type.Object({ ...storedFields, ...sourceName, ...statusFields }));
export type DnsList = Readonly<Static<typeof DnsList>>;

const plain = collection({
  path: "/dns/presets",
  noun: "preset",
  key: "dns_list",
  resource: DnsList,
  required: { name: Name },
  optional: { ...settings, ...dnsSource },
  filters: { category: Category, enabled: Type.Boolean(), source_type: DnsSourceTypeName },
  cli: "presets",
  columns: ["id", "name", "category", "action", "enabled", "entries", "read_at", "problem"],
  idInQuery: true,
});
const { params } = plain.get;

export const dnsPresets = {
  ...plain,
  upload: endpoint({
    method: "PUT",
    path: "/dns/presets/{id}/content",
    role: "operator",
    summary: "Hand a list in, as text",
    description: "For a list without a url and a path. It replaces what was handed in before, once it has been read.",
    params,
    requestType: "text/plain",
    bodyBytes: dnsListLimits.uploadBytes,
    body: Type.String({ description: "The list itself" }),
    result: DnsList,
    errors: ["not_found", "conflict", "change_pending"],
    audit: { verb: "upload", noun: "dns_list" },
  }),
  refresh: endpoint({
    method: "POST",
    path: "/dns/presets/{id}/refresh",
    role: "operator",
    summary: "Read a list anew, now",
    description: "The answer comes when it has been read, or has not.",
    params,
    result: DnsList,
    errors: ["not_found", "engine_failed"],
    audit: { verb: "refresh", noun: "dns_list" },
    cli: { words: ["presets", "refresh"], args: ["id"] },
  }),
};

/** A list that many people use. None is fetched before somebody chooses it. */
const offer = {
  name: Name,
  category: Category,
  url: Type.String(),
  format: settings.format,
  refresh_hours: settings.refresh_hours,
  about: Type.String({ description: "Where its keeper describes it, and under which terms" }),
};
const Offer = Type.Object(offer);
export type DnsListOffer = Readonly<Static<typeof Offer>>;

const Catalogued = named(
  "DnsListOffer",
  Type.Object({ ...offer, chosen_id: Nullable({ ...Id, description: "The preset that was made of it" }) }),
);
export type CataloguedDnsList = Readonly<Static<typeof Catalogued>>;

export const dnsCatalog = {
  list: endpoint({
    method: "GET",
    path: "/dns/presets/catalog",
    role: "viewer",
    summary: "Well-known lists to choose from",
    result: Type.Array(Catalogued),
    errors: [],
    cli: { words: ["presets", "catalog"], columns: ["name", "category", "format", "chosen_id", "about"] },
  }),
  choose: endpoint({
    method: "POST",
    path: "/dns/presets/catalog",
    role: "operator",
    summary: "Make a preset of a well-known list",
    body: named("DnsListChoice", closed({ name: Name })),
    result: DnsList,
    status: 201,
    location: "/dns/presets",
    errors: ["conflict", "limit_reached", "change_pending"],
    audit: { verb: "choose", noun: "dns_list" },
    cli: { words: ["presets", "add"], args: ["name"] },
  }),
};

const ThreatFeed = named(
  "DnsThreatFeed",
  Type.Object({
    id: Id,
    name: Name,
    category: Category,
    status: OneOf(["ok", "failing", "waiting", "off"], {
      description:
        "failing: what was read before is in force; waiting: not read yet; off: switched off, or no list is read at all",
    }),
    ...statusFields,
  }),
);
export type DnsThreatFeed = Readonly<Static<typeof ThreatFeed>>;

export const dnsThreatFeeds = {
  list: endpoint({
    method: "GET",
    path: "/dns/threat-feeds",
    role: "viewer",
    summary: "Lists of malware and other threats, and how they are",
    result: Type.Array(ThreatFeed),
    errors: [],
    cli: { words: ["threat-feeds"], columns: ["id", "name", "category", "status", "entries", "read_at", "problem"] },
  }),
};
