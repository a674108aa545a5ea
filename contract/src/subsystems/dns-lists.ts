import Type, { type Static } from "typebox";
import { closed, collection } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Digest, Id, Name, named, Nullable, OneOf, optionalSentenceFields, Timestamp } from "../values.ts";
import { DnsSourceTypeName, dnsSource, storedDnsSource, sourceName } from "./dns-source.ts";

/** Each enabled list is one bit in the compiled lists. */
export const dnsListLimits = { enabled: 32, lists: 256, uploadBytes: 64 << 20 } as const;

const Category = OneOf(["ads", "tracking", "malware", "threat", "adult", "social", "gambling", "other"], {
  default: "other",
});
export const threatCategories: readonly string[] = ["malware", "threat"];

const settings = {
  enabled: Type.Boolean({ default: true, description: `At most ${dnsListLimits.enabled} lists at a time` }),
  category: Category,
  action: OneOf(["block", "allow"], { default: "block", description: "Verdict for the names in the list" }),
  format: OneOf(["auto", "hosts", "domains", "adblock", "rpz"], {
    default: "auto",
    description: "auto: detected from its first lines",
  }),
  url: Nullable(
    Type.String({
      maxLength: 2048,
      pattern: "^https?://[^\\s\\p{Cc}]+$",
      description: "Source of the list. A list without url and path is uploaded",
    }),
  ),
  path: Nullable(
    Type.String({
      maxLength: 1024,
      pattern: "^(?!/)(?!(?:.*/)?\\.{1,2}(?:/|$))[^\\p{Cc}]+$",
      description: "File in the gateway's folder for lists (paths.lists of the bootstrap file), such as ads.txt",
    }),
  ),
  allow_private: Type.Boolean({
    default: false,
    description:
      "Whether the server of the url may have a private address. Only an admin may set it; a change of the url resets it",
  }),
  refresh_hours: Type.Integer({ minimum: 1, maximum: 720, default: 24, description: "Refresh interval" }),
};

const storedFields = {
  id: Id,
  name: Name,
  ...settings,
  ...storedDnsSource,
  content_digest: Nullable({ ...Digest, description: "Digest of the last upload" }),
};
const Stored = Type.Object(storedFields);
/** The published part of a list. Lists older than the field allow_private do not have it. */
export type PublishedDnsList = Readonly<Omit<Static<typeof Stored>, "allow_private">> & {
  readonly allow_private?: boolean;
};

const statusFields = {
  entries: Type.Integer({ description: "Names in the list, when it was last read" }),
  skipped: Type.Integer({ description: "Lines that were ignored" }),
  bytes: Type.Integer({ description: "Size of its text" }),
  memory_bytes: Type.Integer({ description: "Memory of its names, shared by all egresses" }),
  read_at: Nullable(Timestamp),
  ...optionalSentenceFields("problem", "The last error; empty: none. The names that were read before stay in force"),
};
const Condition = Type.Object(statusFields);
/** The observed status of a list. */
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
    summary: "Upload a list, as text",
    description: "For a list without url and path. It replaces the previous upload, once it has been read.",
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
    summary: "Refresh a list now",
    description: "The response is sent when the list has been read or reading has failed.",
    params,
    result: DnsList,
    errors: ["not_found", "engine_failed"],
    audit: { verb: "refresh", noun: "dns_list" },
    cli: { words: ["presets", "refresh"], args: ["id"] },
  }),
};

/** A well-known list. It is not fetched before an operator adds it. */
const offer = {
  name: Name,
  category: Category,
  url: Type.String(),
  format: settings.format,
  refresh_hours: settings.refresh_hours,
  about: Type.String({ description: "Home page of the list, with its terms of use" }),
  recommended: Type.Boolean({
    description: "Whether it suits most networks: it is short, and seldom blocks what is needed",
  }),
};
const Offer = Type.Object(offer);
export type DnsListOffer = Readonly<Static<typeof Offer>>;

const Catalogued = named(
  "DnsListOffer",
  Type.Object({
    ...offer,
    chosen_id: Nullable({ ...Id, description: "The preset that was created from it; null: none" }),
  }),
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
    summary: "Create a preset from a well-known list",
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
        "failing: the names that were read before are in force; waiting: not read yet; off: disabled, or no list is read at all",
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
    summary: "Status of the lists of malware and other threats",
    result: Type.Array(ThreatFeed),
    errors: [],
    cli: { words: ["threat-feeds"], columns: ["id", "name", "category", "status", "entries", "read_at", "problem"] },
  }),
};
