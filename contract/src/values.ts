import Type, { type Static, type TObject, type TSchema } from "typebox";

/** Values that more than one subsystem speaks of. A value moves here once a second one needs it. */

/** Gives a schema a name: it becomes a component of the OpenAPI document. */
export const named = <T extends TSchema>(title: string, schema: T): T => Object.assign(schema, { title });

/** One of a few words. */
export const OneOf = <const W extends readonly string[]>(
  words: W,
  options: { description?: string; default?: NoInfer<W[number]> } = {},
) => Type.Unsafe<W[number]>({ type: "string", enum: [...words], ...options });

/**
 * Either the value or null: "not set" is said, not left out. Plain types become `["string", "null"]`,
 * which the serialiser writes several times faster than a union.
 */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: words } = schema as { type?: string; enum?: unknown[] };
  if (type === undefined || type === "object" || type === "array")
    return Type.Unsafe<Static<T> | null>(Type.Union([schema, Type.Null()]));
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, "null"], ...(words && { enum: [...words, null] }) });
}

export const Id = Type.String({ format: "uuid", description: "UUID" });

export const nameDescription = "Visible text on one line";

/** Visible text on one line. Control characters and lone surrogates have no business in a name. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 120,
  pattern: "^\\p{Zs}*[^\\p{Cc}\\p{Cs}\\p{Zs}][^\\p{Cc}\\p{Cs}]*$",
  description: nameDescription,
});

export const Text = (description: string) => Type.String({ maxLength: 4000, description });

export const MacAddress = Type.String({
  // The last bit of the first byte is that of groups, which no device has for its own.
  pattern: "^[0-9A-Fa-f][02468ACEace](([:-][0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{2}(\\.[0-9A-Fa-f]{4}){2}|[0-9A-Fa-f]{10})$",
  description: "MAC address of a device, in any usual spelling; answers are in lower case with colons",
});

/** `ip` is a format of ours: OpenAPI has one for each family and none for either. */
export const IpAddress = Type.String({ format: "ip", description: "IPv4 or IPv6 address" });

// The kernel allows more. In rules of nftables a star means many, and a quotation mark ends the name.
const interfaceName = "^(?!\\.{1,2}$)[!$-&(),-.0-9;-\\[\\]-~+]{1,15}$";

/** What the kernel takes for the name of an interface. */
export const InterfaceName = Type.String({
  pattern: interfaceName,
  description: "Name of an interface of the machine",
});

const interfaceNames = new RegExp(interfaceName);
/** Whether a text can stand in a rule as the name of an interface. */
export const isInterfaceName = (text: string): boolean => interfaceNames.test(text);

export const Timestamp = Type.String({ format: "date-time", description: "RFC 3339, UTC" });

/** When the counters beside it were read, so that a rate is computed over the counters' own clock and not the client's. */
export const CountersAt = Nullable({
  ...Timestamp,
  description: "When the byte counters were read, RFC 3339 with milliseconds, UTC; null: nothing was counted yet",
});

/** How a way out of the house is: a tunnel, an uplink. Only `up` and `degraded` carry packets. */
export const PathStatus = OneOf(["down", "connecting", "up", "degraded", "failed"], {
  description: "Only up and degraded carry packets",
});

/**
 * A field of the specification that nothing reads yet. Only the values given are taken, which ask for nothing; any other is answered
 * with `not_supported` instead of being stored and shown as if it had an effect.
 */
export const NotSupported = <T extends TSchema>(schema: T, ...taken: readonly unknown[]): T => {
  const { description } = schema as { description?: string };
  const only = `Not supported yet: only ${taken.map((it) => JSON.stringify(it)).join(" or ")} is taken`;
  const described = description === undefined ? only : `${description}. ${only}`;
  return { ...schema, description: described, [notSupportedKey]: taken };
};
export const notSupportedKey = "x-not-supported";

export const Digest = Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256, hexadecimal" });

/** A word that names another resource by its id. The annotation is what keeps references whole. */
export const Reference = (kind: string) =>
  Type.String({ format: "uuid", description: `Id of a ${kind.replaceAll("_", " ")}`, "x-references": kind });

/** Like Reference, but a request may also give the other resource's name. */
export const ReferenceOrName = (kind: string) =>
  Type.String({ minLength: 1, maxLength: 120, description: `Id or name of a ${kind.replaceAll("_", " ")}` });

/**
 * A value that goes in and never comes out. `sentTo` names the fields beside it that say where the gateway sends it: when
 * one of them changes and the secret is not given again, the stored one is discarded. None: it is never sent.
 */
export const secret = (...sentTo: readonly string[]) => ({ "x-secret": true, "x-sent-to": sentTo });

/** What the answer to an update tells, once, of secrets it discarded. */
export const DiscardedSecrets = Type.Optional(
  Type.Array(Type.String(), {
    description:
      "Only in the answer to a change: stored secrets that were discarded, because the place they are sent to changed " +
      "and they were not given again",
  }),
);

/**
 * In a path or a query: the id or the name of a resource. The server replaces a name by the id before a handler sees
 * it. What looks like a UUID is an id, whatever else has it as its name.
 */
export const IdOrName = (kind: string, noun: string = kind.replaceAll("_", " ")) =>
  Type.String({
    minLength: 1,
    maxLength: 254,
    description: `Id or name of ${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`,
    "x-names": kind,
  });

/** Which fields of a path or a query may name which kind, read from the annotations. */
export const nameFields = (schema: TObject): { readonly field: string; readonly kind: string }[] =>
  Object.entries(schema.properties).flatMap(([field, value]) => {
    const { "x-names": kind } = value as { "x-names"?: string };
    return kind === undefined ? [] : [{ field, kind }];
  });

/** Which fields of a resource refer to which kind, read from the annotations. Arrays of references count. */
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
