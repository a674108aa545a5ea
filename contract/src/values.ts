import Type, { type Static, type TObject, type TSchema } from "typebox";
import type { Reason } from "./reason.ts";

/** Schemas that more than one subsystem uses. */

/** Gives a schema a name: it becomes a component of the OpenAPI document. */
export const named = <T extends TSchema>(title: string, schema: T): T => Object.assign(schema, { title });

/** A string enumeration. */
export const OneOf = <const W extends readonly string[]>(
  words: W,
  options: { description?: string; default?: NoInfer<W[number]> } = {},
) => Type.Unsafe<W[number]>({ type: "string", enum: [...words], ...options });

/**
 * The value or null: "not set" is explicit. Plain types become `["string", "null"]`, which the serialiser writes
 * several times faster than a union.
 */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: words } = schema as { type?: string; enum?: unknown[] };
  if (type === undefined || type === "object" || type === "array")
    return Type.Unsafe<Static<T> | null>(Type.Union([schema, Type.Null()]));
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, "null"], ...(words && { enum: [...words, null] }) });
}

export const Id = Type.String({ format: "uuid", description: "UUID" });

export const nameDescription = "Visible text on one line";

/** Visible text on one line, without control characters and lone surrogates. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 120,
  pattern: "^\\p{Zs}*[^\\p{Cc}\\p{Cs}\\p{Zs}][^\\p{Cc}\\p{Cs}]*$",
  description: nameDescription,
});

/** In the time zone of the gateway. */
export const TimeOfDay = Type.String({ pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" });

export const Text = (description: string) => Type.String({ maxLength: 4000, description });

export const MacAddress = Type.String({
  // The lowest bit of the first byte marks multicast addresses, which no device has.
  pattern: "^[0-9A-Fa-f][02468ACEace](([:-][0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{2}(\\.[0-9A-Fa-f]{4}){2}|[0-9A-Fa-f]{10})$",
  description: "MAC address of a device, in any common notation; responses are in lower case with colons",
});

/** `ip` is our own format: OpenAPI has one format per address family and none for both. */
export const IpAddress = Type.String({ format: "ip", description: "IPv4 or IPv6 address" });

// The kernel allows more. In nftables rules a star is a wildcard, and a quotation mark ends the name.
const interfaceName = "^(?!\\.{1,2}$)[!$-&(),-.0-9;-\\[\\]-~+]{1,15}$";

/** An interface name that the kernel accepts. */
export const InterfaceName = Type.String({
  pattern: interfaceName,
  description: "Name of an interface of the machine",
});

const interfaceNames = new RegExp(interfaceName);
/** Whether a text can be used as an interface name in a rule. */
export const isInterfaceName = (text: string): boolean => interfaceNames.test(text);

export const Timestamp = Type.String({ format: "date-time", description: "RFC 3339, UTC" });

/** When the counters beside it were read, so that a rate is computed over the counters' own clock and not the client's. */
export const CountersAt = Nullable({
  ...Timestamp,
  description: "When the byte counters were read, RFC 3339 with milliseconds, UTC; null: nothing was counted yet",
});

/** A reason for programs. Its schema is not recursive, although a parameter can be a reason: few tools can read one that is. */
export const CodedReason = named(
  "CodedReason",
  Type.Unsafe<Reason>({
    type: "object",
    description: "A reason as a code with its parameters, for programs and for other languages",
    properties: {
      code: { type: "string", description: "See docs/reference/reasons.md; later versions add codes" },
      params: {
        type: "object",
        additionalProperties: true,
        description: "Texts, numbers, lists of texts, or again code and params",
      },
    },
    required: ["code", "params"],
  }),
);

/** The fields that `explained` returns: the reason as an English sentence, and as a code with parameters. */
export const reasonFields = (description: string) => ({
  reason: Type.String({ description }),
  coded_reason: CodedReason,
});

/** The same where there may be no reason. */
export const optionalReasonFields = (description: string) => ({
  reason: Type.String({ description }),
  coded_reason: Nullable(CodedReason),
});

/** A sentence in another field, as `explainedAs` returns it: `message` and `coded_message`. */
export const sentenceFields = <F extends string>(field: F, description?: string) =>
  codedFields(field, Type.String({ description: description ?? "As a sentence" }), CodedReason);

/** The same where there may be none. */
export const optionalSentenceFields = <F extends string>(field: F, description: string) =>
  codedFields(field, Type.String({ description }), Nullable(CodedReason));

/** A list of sentences, as `explainedAll` returns it. */
export const sentencesFields = <F extends string>(field: F, description: string) =>
  codedFields(field, Type.Array(Type.String(), { description }), Type.Array(CodedReason));

/** A value that may be null, as `valueAs` returns it. */
export const optionalValueFields = <F extends string>(field: F, description: string) =>
  codedFields(field, Nullable(Type.String({ description })), Nullable(CodedReason));

const codedFields = <F extends string, T extends TSchema, C extends TSchema>(field: F, text: T, coded: C) =>
  ({ [field]: text, [`coded_${field}`]: coded }) as { [K in F]: T } & { [K in `coded_${F}`]: C };

/** The fields that `whyNotEnforced` returns. */
export const notEnforcedFields = {
  not_enforced: Nullable(
    Type.String({
      description:
        "Why nothing is enforced although the dataplane is on; null: policies are enforced, or the dataplane is off",
    }),
  ),
  coded_not_enforced: Nullable(CodedReason),
};

/** Status of a link: a tunnel or an uplink. Only `up` and `degraded` forward packets. */
export const PathStatus = OneOf(["down", "connecting", "up", "degraded", "failed"], {
  description: "Only up and degraded forward packets",
});

/**
 * A field of the specification that nothing reads yet. Only the given values, which have no effect, are accepted; any other
 * value is refused with `not_supported` instead of being stored and shown as if it had an effect.
 */
export const NotSupported = <T extends TSchema>(schema: T, ...taken: readonly unknown[]): T => {
  const { description } = schema as { description?: string };
  const only = `Not supported yet: only ${taken.map((it) => JSON.stringify(it)).join(" or ")} is accepted`;
  const described = description === undefined ? only : `${description}. ${only}`;
  return { ...schema, description: described, [notSupportedKey]: taken };
};
export const notSupportedKey = "x-not-supported";

export const Digest = Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256, hexadecimal" });

/** The id of another resource. The annotation is the basis of referential integrity. */
export const Reference = (kind: string) =>
  Type.String({ format: "uuid", description: `Id of a ${kind.replaceAll("_", " ")}`, "x-references": kind });

/** Like Reference, but a request may also give the other resource's name. Forms offer the names because of the annotation. */
export const ReferenceOrName = (kind: string) =>
  Type.String({
    minLength: 1,
    maxLength: 120,
    description: `Id or name of a ${kind.replaceAll("_", " ")}`,
    "x-refers-to": kind,
  });

/**
 * A write-only value. `sentTo` names the sibling fields that determine where the gateway sends it: if one of them changes
 * and the request does not contain the secret, the stored secret is discarded. None: it is never sent.
 */
export const secret = (...sentTo: readonly string[]) => ({ "x-secret": true, "x-sent-to": sentTo });

/** The secrets that an update discarded; only in its response. */
export const DiscardedSecrets = Type.Optional(
  Type.Array(Type.String(), {
    description:
      "Only in the response to a change: stored secrets that were discarded, because their destination changed " +
      "and the request did not contain them",
  }),
);

/**
 * In a path or a query: the id or the name of a resource. The server replaces a name by the id before it calls the
 * handler. A value in the form of a UUID is always an id.
 */
export const IdOrName = (kind: string, noun: string = kind.replaceAll("_", " ")) =>
  Type.String({
    minLength: 1,
    maxLength: 254,
    description: `Id or name of ${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`,
    "x-names": kind,
  });

/** The fields of a path or a query that accept a name, with the kind of resource. */
export const nameFields = (schema: TObject): { readonly field: string; readonly kind: string }[] =>
  Object.entries(schema.properties).flatMap(([field, value]) => {
    const { "x-names": kind } = value as { "x-names"?: string };
    return kind === undefined ? [] : [{ field, kind }];
  });

/** The fields of a resource that refer to other resources, with their kind. Arrays of references are included. */
export function referenceFields(schema: TSchema): { readonly field: string; readonly kind: string }[] {
  const properties = (schema as { properties?: Record<string, unknown> }).properties ?? {};
  return Object.entries(properties).flatMap(([field, value]) => kindsIn(value).map((kind) => ({ field, kind })));
}

function kindsIn(schema: unknown): string[] {
  const {
    "x-references": kind,
    items,
    anyOf,
  } = schema as { "x-references"?: string | readonly string[]; items?: unknown; anyOf?: unknown[] };
  if (kind !== undefined) return typeof kind === "string" ? [kind] : [...kind];
  return [...(items === undefined ? [] : [items]), ...(anyOf ?? [])].flatMap(kindsIn);
}
