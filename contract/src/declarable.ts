import type { TSchema } from "typebox";
import { notSupportedKey } from "./values.ts";

/** In place of a secret in an export: the gateway has a value, which it does not show. */
export interface StoredSecret {
  readonly secret: "stored";
}
export const storedSecret: StoredSecret = { secret: "stored" };

export const isStoredSecret = (value: unknown): value is StoredSecret =>
  typeof value === "object" && value !== null && (value as { secret?: unknown }).secret === "stored";

type Json = Readonly<Record<string, unknown>>;

/**
 * The body of a create → the schema of a resource in a configuration document: without fields that have no effect, and with
 * `{secret: stored}` as another form of each secret.
 */
export function declarable(schema: TSchema, without: readonly string[] = []): TSchema {
  const { properties = {}, required = [] } = schema as { properties?: Json; required?: readonly string[] };
  const kept = Object.entries(properties).filter(
    ([name, field]) => !without.includes(name) && !(notSupportedKey in (field as object)),
  );
  return {
    type: "object",
    properties: Object.fromEntries(kept.map(([name, field]) => [name, withMarkers(field)])),
    required: required.filter((name) => kept.some(([known, field]) => known === name && !isSecret(field))),
    additionalProperties: false,
  } as TSchema;
}

/** A title would make it a component of the OpenAPI document, which the body of the create is already. */
function withMarkers(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withMarkers);
  if (typeof schema !== "object" || schema === null) return schema;
  const { title: _, ...rest } = schema as Json;
  if (isSecret(rest)) return orMarker(rest);
  return Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => [
      keyword,
      keyword === "properties" || keyword === "patternProperties"
        ? Object.fromEntries(Object.entries(value as Json).map(([name, it]) => [name, withMarkers(it)]))
        : withMarkers(value),
    ]),
  );
}

const isSecret = (schema: unknown): boolean => (schema as Json)["x-secret"] === true;

/** One schema instead of a union: keywords for texts do not apply to objects, and the errors stay those of a text. */
function orMarker(schema: Json): Json {
  const { type, description } = schema as { readonly type: string | readonly string[]; readonly description?: string };
  return {
    ...schema,
    type: [...(typeof type === "string" ? [type] : type), "object"],
    description: [description, "{secret: stored} keeps the stored value"].filter(Boolean).join("; "),
    properties: { secret: { const: "stored" } },
    required: ["secret"],
    additionalProperties: false,
  };
}
