import fc from "fast-check";

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** Current valid values of a field that refers to something; `undefined` if any text is valid. */
export type Existing = (field: string) => readonly string[] | undefined;

/** Values that the schema accepts. What a schema cannot express, such as that an id exists, holds mostly. */
export function fitting(schema: Schema, existing: Existing, field = ""): fc.Arbitrary<unknown> {
  const { anyOf, enum: choices, type } = schema;
  if ("const" in schema) return fc.constant(schema.const);
  if (choices) return fc.constantFrom(...choices);
  if (anyOf) return fc.oneof(...anyOf.map((it) => fitting(it, existing, field)));
  if (Array.isArray(type))
    return fc.oneof(...type.map((it: string) => fitting({ ...schema, type: it }, existing, field)));
  switch (type) {
    case "object":
      return fittingObject(schema, existing);
    case "array":
      return fc.uniqueArray(fitting(schema.items ?? {}, existing, field), {
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    case "integer":
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000 });
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "string":
      return fittingText(schema, existing, field);
    case undefined:
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function fittingObject({ properties = {}, required = [] }: Schema, existing: Existing): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, it]) => [name, fitting(it, existing, name)] as const);
  const whole = fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });
  // An optional reference is left out while nothing exists that it could refer to.
  const isUsable = ([name]: [string, unknown]) => required.includes(name) || existing(name)?.length !== 0;
  return whole.map((value) => Object.fromEntries(Object.entries(value).filter(isUsable)));
}

/** Samples of the contract's formats and patterns; a schema takes those that match it. */
const samples = [
  "TV|x|Küche|日本語|🏰|a b|0|-1|null|ada|correct horse battery|known|device|create_device|preferred|MDE4OTAwMDA",
  "aa:bb:cc:dd:ee:ff|AA-BB-CC-DD-EE-01|tv.lan|10.0.0.1|::1|fe80::1|1|2|17|999999",
  "webhook_url|log.level|no_such_key|https://example.org/hook",
  "2026-03-01T08:00:00Z|2030-01-01T00:00:00.123Z|2026-03-01T08:00:00+01:00|2020-02-29t12:00:00z",
  "2026-12-31T23:59:60Z|0000-01-01T00:00:00Z|2026-03-01 08:00:00+01:00",
  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=|537EbHp8dMVTbE+z0jhdpXx+PWH3a82FPv/xpwmSYXQ=",
  "vpn.example.org:51820|[2001:db8::1]:1080|10.2.0.2/32|wg-sample|ca|192.0.2.7:1080",
  "01890000-0000-7000-8000-000000000000|urn:uuid:01890000-0000-7000-8000-000000000000",
].flatMap((line) => line.split("|"));

function fittingText(schema: Schema, existing: Existing, field: string): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 200, pattern, format } = schema;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const fits = (text: string) =>
    text.length >= minLength &&
    text.length <= maxLength &&
    (expression?.test(text) ?? formOf[format ?? ""]?.test(text) ?? true);
  const known = samples.filter(fits);
  const fallback = fc.constantFrom(...(known.length > 0 ? known : samples));
  const chosen = fc.tuple(fc.nat(), fallback).map(([at, otherwise]) => {
    const words = existing(field) ?? [];
    return words[at % Math.max(1, words.length)] ?? otherwise;
  });
  const free = fc.string({ minLength, maxLength: Math.min(maxLength, 200) }).map((text) => (fits(text) ? text : "TV"));
  return fc.oneof(
    { weight: 20, arbitrary: chosen },
    { weight: 1, arbitrary: fallback },
    { weight: format || pattern ? 0 : 2, arbitrary: free },
  );
}

const formOf: Readonly<Record<string, RegExp>> = {
  uuid: /^(urn:uuid:)?[0-9a-f-]{36}$/,
  ip: /^(\d+\.){3}\d+$|::/,
  "date-time": /^\d{4}-.*:\d\d/,
};

/** Values that match no schema. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, 2 ** 53, "", " ", "\0", "\ud800", "__proto__", [], {}, [[]]),
  fc.constantFrom(
    "x".repeat(121),
    "x".repeat(5000),
    `${"a".repeat(2000)}\n`,
    "../../etc/passwd",
    "' OR 1=1 --",
    "{{x}}",
  ),
  fc.string({ unit: "binary" }),
  fc.jsonValue(),
);

/** A valid value with one part replaced by an invalid one, left out, or with an unknown field added. */
export const damaged = (schema: Schema, existing: Existing): fc.Arbitrary<unknown> =>
  fc
    .tuple(fitting(schema, existing), fc.nat(), junk, fc.constantFrom("replace", "omit", "add"))
    .map(([value, at, foreign, how]) => damage(value, at, foreign, how));

function damage(value: unknown, at: number, foreign: unknown, how: string): unknown {
  if (value === null || typeof value !== "object") return foreign;
  const keys = Object.keys(value);
  const key = keys[at % Math.max(1, keys.length)];
  if (Array.isArray(value)) return how === "add" ? [...(value as unknown[]), foreign] : foreign;
  if (how === "add" || key === undefined) return { ...value, [`unknown_${at % 7}`]: foreign };
  const { [key]: part, ...rest } = value as Record<string, unknown>;
  if (how === "omit") return rest;
  const deeper = part !== null && typeof part === "object" && at % 2 === 0;
  return { ...rest, [key]: deeper ? damage(part, at >> 1, foreign, how) : foreign };
}
