/** One field of a body, a query or a response, as text. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/** The part of JSON Schema that the contract uses. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
}

/** The fields of an object schema; none for other schemas. */
export const fieldsOf = ({ properties = {}, required = [] }: JsonSchema): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    required: required.includes(name),
    description: descriptionOf(schema),
  }));

/** The type of a value: `integer (0 to 100)`, `list of uuid`, `string or null`. */
export function typeOf(schema: JsonSchema): string {
  const { type, format, title, items, anyOf, enum: words, const: only, properties, patternProperties } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (words) return words.map(String).join(" | ");
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(" or ");
  if (Array.isArray(type)) return type.map((one: string) => typeOf({ ...schema, type: one })).join(" or ");
  if (items) return `list of ${typeOf(items)}${range(schema.minItems, schema.maxItems, " items")}`;
  if (properties) return title ?? "object";
  if (patternProperties) return `object of ${Object.values(patternProperties).map(typeOf).join(" or ")}`;
  if (type === "string") return format ?? `string${range(schema.minLength, schema.maxLength, " characters")}`;
  if (type === "integer" || type === "number") return `${type}${range(schema.minimum, schema.maximum)}`;
  return typeof type === "string" ? type : "any value";
}

function range(min: number | undefined, max: number | undefined, unit = ""): string {
  if (min !== undefined && max !== undefined) return ` (${min} to ${max}${unit})`;
  if (max !== undefined) return ` (at most ${max}${unit})`;
  return min === undefined ? "" : ` (at least ${min}${unit})`;
}

/** A nullable field has the description of its non-null part, a list that of its items. */
export const descriptionOf = ({ description, anyOf = [], items }: JsonSchema): string =>
  description ??
  anyOf.find((part) => part.description !== undefined)?.description ??
  (items === undefined ? "" : descriptionOf(items));
