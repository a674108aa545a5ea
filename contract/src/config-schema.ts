import type { TSchema } from "typebox";

export type DocumentedSchema = Readonly<Record<string, unknown>>;

/** A schema of the contract → JSON Schema that every validator understands: without annotations of our own. */
export const publishedSchema = (schema: TSchema): DocumentedSchema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  ...(plain(schema) as DocumentedSchema),
});

function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== "object" || schema === null) return schema;
  const { format, ...rest } = schema as { readonly format?: string };
  const keywords = Object.entries(rest).filter(([keyword]) => !keyword.startsWith("x-") && !keyword.startsWith("~"));
  const known = Object.fromEntries(
    keywords.map(([keyword, value]) => [keyword, keyword === "properties" ? eachOf(value as object) : plain(value)]),
  );
  // One format for both address families exists in the contract only.
  if (format === "ip") return { ...known, ...eitherFamily(known) };
  return format === undefined ? known : { ...known, format };
}

/** The names in here are fields, not keywords. */
const eachOf = (properties: object): object =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plain(schema)]));

function eitherFamily({ type }: { readonly type?: unknown }) {
  const families = [{ format: "ipv4" }, { format: "ipv6" }];
  return { anyOf: Array.isArray(type) && type.includes("null") ? [...families, { type: "null" }] : families };
}
