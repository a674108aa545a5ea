import { nearest } from "@portcullis/contract/nearest";
import { descriptionOf, type JsonSchema, typeOf } from "./fields.ts";

/** A typed word as a value of the contract, or what is wrong with it. */
export type TypedValue =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "mistake"; readonly mistake: string };

const value = (it: unknown): TypedValue => ({ kind: "value", value: it });
const mistake = (text: string): TypedValue => ({ kind: "mistake", mistake: text });

/** A word on the command line → the value of its field. Formats of texts are left to the gateway. */
export function typedValue(schema: JsonSchema, word: string): TypedValue {
  if (isNullable(schema) && word === "null") return value(null);
  if (schema.enum) return oneOf(schema.enum.filter((it) => it !== null).map(String), word);
  if (schema.const !== undefined) {
    const only = typeof schema.const === "string" ? schema.const : JSON.stringify(schema.const);
    return word === only ? value(schema.const) : mistake(`must be ${only}`);
  }
  if (schema.anyOf) return firstFitting(schema.anyOf, word);
  const types = typesOf(schema);
  if (types.includes("array")) return listItem(schema, word);
  if (types.includes("object")) return objectOf(schema, word);
  if (types.includes("boolean")) return booleanOf(word);
  if (types.includes("string")) return textOf(schema, word);
  if (types.includes("integer") || types.includes("number")) return numberOf(schema, word);
  return value(json(word) ?? word);
}

export const isBoolean = (schema: JsonSchema): boolean =>
  schema.enum === undefined && typesOf(schema).includes("boolean");

export const isList = (schema: JsonSchema): boolean =>
  typesOf(schema).includes("array") || (schema.anyOf ?? []).some(isList);

const truths = { true: true, yes: true, on: true, false: false, no: false, off: false } as const;

/** Whether a word after the flag of a boolean is its value. */
export const isTruth = (schema: JsonSchema, word: string | undefined): boolean =>
  word !== undefined && (Object.hasOwn(truths, word) || (word === "null" && isNullable(schema)));

const typesOf = ({ type }: JsonSchema): readonly string[] =>
  type === undefined ? [] : typeof type === "string" ? [type] : type;

const isNullable = (schema: JsonSchema): boolean =>
  typesOf(schema).includes("null") || (schema.anyOf ?? []).some((part) => part.type === "null");

const booleanOf = (word: string): TypedValue =>
  Object.hasOwn(truths, word) ? value(truths[word as keyof typeof truths]) : mistake("must be true or false");

function oneOf(allowed: readonly string[], word: string): TypedValue {
  if (allowed.includes(word)) return value(word);
  const meant = nearest(word, allowed);
  return mistake(`must be ${alternatives(allowed)}${meant === undefined ? "" : `; did you mean ${meant}?`}`);
}

const alternatives = (all: readonly string[]): string =>
  all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;

function firstFitting(parts: readonly JsonSchema[], word: string): TypedValue {
  const tried = parts.filter(({ type }) => type !== "null").map((part) => typedValue(part, word));
  return tried.find(({ kind }) => kind === "value") ?? tried[0] ?? mistake("has no value that could be typed");
}

function textOf(schema: JsonSchema, word: string): TypedValue {
  const { minLength = 0, maxLength = Infinity, pattern } = schema;
  const fits =
    word.length >= minLength &&
    word.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, "u").test(word));
  return fits ? value(word) : mistake(`must be ${described(schema)}`);
}

function numberOf(schema: JsonSchema, word: string): TypedValue {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const isNumeric = /^-?\d+(\.\d+)?$/.test(word) && (typesOf(schema).includes("number") || !word.includes("."));
  const number = Number(word);
  return isNumeric && number >= minimum && number <= maximum ? value(number) : mistake(`must be ${typeOf(schema)}`);
}

/** One item, or a JSON list. */
function listItem({ items = {} }: JsonSchema, word: string): TypedValue {
  const whole = word.startsWith("[") ? json(word) : undefined;
  if (Array.isArray(whole)) return value(whole);
  const item = typedValue(items, word);
  return item.kind === "value" ? value([item.value]) : item;
}

/** JSON, or `type=vpn,target=Amsterdam`. */
function objectOf({ properties = {} }: JsonSchema, word: string): TypedValue {
  const whole = json(word);
  if (whole !== null && typeof whole === "object" && !Array.isArray(whole)) return value(whole);
  const known = Object.keys(properties);
  const example = known.length > 0 ? `, or ${known.map((name) => `${name}=…`).join(",")}` : "";
  const fields: Record<string, unknown> = {};
  for (const pair of word.split(",")) {
    const [, name = "", text = ""] = /^([^=]+)=(.*)$/su.exec(pair) ?? [];
    const schema = properties[name];
    if (schema === undefined) return mistake(`must be a JSON object${example}`);
    const field = typedValue(schema, text);
    if (field.kind === "mistake") return mistake(`${name} ${field.mistake}`);
    fields[name] = field.value;
  }
  return value(fields);
}

function described(schema: JsonSchema): string {
  const description = descriptionOf(schema);
  return description === "" ? typeOf(schema) : `${typeOf(schema)} (${description})`;
}

function json(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    return undefined; // A word, not JSON.
  }
}
