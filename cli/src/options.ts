import { nearest } from "@portcullis/contract/nearest";
import { pathFields } from "@portcullis/contract/endpoint";
import { notSupportedKey } from "@portcullis/contract/values";
import type { Command } from "./commands.ts";
import { Misuse } from "./failure.ts";
import { type Field, fieldsOf, type JsonSchema } from "./fields.ts";
import { isBoolean, isList, isTruth, typedValue } from "./typed-value.ts";

/** A field of the contract as an option of its command. */
export interface Option extends Field {
  /** Its name in the contract, which differs if the command names it otherwise. */
  readonly field: string;
  readonly place: "query" | "body";
  readonly schema: JsonSchema;
}

/** The options of a command: the fields of its query, without the cursor, which the client handles, and of its body. */
export const optionsOf = ({ endpoint: { path, query, body, cli, yaml }, args, rest }: Command): Option[] => [
  ...options("query", query).filter(({ name }) => name !== "cursor" && !args.includes(name)),
  ...options("body", yaml ? undefined : body)
    .filter(({ name }) => name !== rest && !pathFields(path).includes(name))
    .map((option) => ({ ...option, name: renamed(option.field, cli?.options) })),
];

const renamed = (field: string, names: Readonly<Record<string, string>> = {}): string =>
  Object.keys(names).find((name) => names[name] === field) ?? field;

/** A field without an effect is no option. */
const options = (place: Option["place"], schema: JsonSchema = {}): Option[] =>
  fieldsOf(schema)
    .map((field) => ({ ...field, field: field.name, place, schema: schema.properties![field.name]! }))
    .filter((option) => !(notSupportedKey in option.schema));

/** `--confirm-within`: options have dashes where fields have underscores. */
export const optionName = (field: string): string => `--${field.replaceAll("_", "-")}`;

/** Options of every command to the gateway. */
export const commonOptions = [
  { name: "--json", meaning: "Print JSON instead of a table or sentences" },
  { name: "--follow", meaning: "Continue with new entries until it is interrupted" },
] as const;

/** Lists that `--follow` continues. */
export const canFollow = ({ endpoint: { path, method, responseType } }: Command): boolean =>
  responseType === "text/event-stream" || (method === "GET" && ["/dns/log", "/audit"].includes(path));

export const commonOptionsOf = (command: Command): (typeof commonOptions)[number][] =>
  commonOptions.filter(({ name }) => name !== "--follow" || canFollow(command));

export interface Typed {
  /** The words that are not options. */
  readonly words: readonly string[];
  /** Of the query, as typed; a boolean as true or false. */
  readonly query: Readonly<Record<string, string>>;
  /** Of the body. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  readonly follow: boolean;
}

/** Extracts `--name value` and `--name=value` from the words. Words after `--` are not interpreted. */
export function takeOptions(words: readonly string[], command: Command, usage: string): Typed {
  const known = optionsOf(command);
  const rest: string[] = [];
  const query: Record<string, string> = {};
  const fields: Record<string, unknown> = {};
  const flags = { json: false, follow: false };
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === "--") {
      rest.push(...words.slice(at + 1));
      break;
    }
    const [, name, assigned] = /^--([A-Za-z][^=\s]*)(?:=(.*))?$/su.exec(word) ?? [];
    if (name === undefined) {
      rest.push(word);
      continue;
    }
    const common = commonOptionsOf(command).find((it) => it.name === word);
    if (common) {
      flags[common.name === "--json" ? "json" : "follow"] = true;
      continue;
    }
    const option = optionNamed(name, known, command, usage);
    const isSwitch = assigned === undefined && isBoolean(option.schema) && !isTruth(option.schema, words[at + 1]);
    const text = assigned ?? (isSwitch ? "true" : words[++at]);
    if (text === undefined) throw new Misuse(`--${name} has no value`, usage);
    const value = checked(name, option, text, usage);
    if (option.place === "query") {
      if (option.path[0]! in query) throw new Misuse(`--${name} is given twice`, usage);
      query[option.path[0]!] = typeof value === "boolean" ? String(value) : text;
    } else put(fields, option, value, () => new Misuse(`--${name} is given twice`, usage));
  }
  return { words: rest, query, fields, ...flags };
}

interface Target {
  readonly place: Option["place"];
  readonly path: readonly string[];
  readonly schema: JsonSchema;
}

function optionNamed(name: string, known: readonly Option[], command: Command, usage: string): Target {
  const [first = "", ...deeper] = name.split(".");
  const option = known.find((it) => it.name === first.replaceAll("-", "_"));
  if (option === undefined) throw unknownOption(name, known, command, usage);
  let { schema }: { schema: JsonSchema } = option;
  const path = [option.field];
  for (const part of deeper) {
    const object = [schema, ...(schema.anyOf ?? [])].find((it) => it.properties ?? it.patternProperties) ?? {};
    const field = part.replaceAll("-", "_");
    const inner = object.properties?.[field] ?? Object.values(object.patternProperties ?? {})[0];
    if (inner === undefined) throw unknownField(name, path, Object.keys(object.properties ?? {}), usage);
    path.push(object.properties ? field : part);
    schema = inner;
  }
  return { place: option.place, path, schema };
}

function checked(name: string, { place, schema }: Target, text: string, usage: string): unknown {
  if (place === "query" && isSpan(schema, text)) return text;
  const typed = typedValue(schema, text);
  if (typed.kind === "mistake") throw new Misuse(`--${name} is ${JSON.stringify(text)}; it ${typed.mistake}`, usage);
  return typed.value;
}

const span = /^(\d{1,6})(s|m|h|d)$/;
const spanSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of `10m` or `2h`. */
export function secondsOf(text: string): number | undefined {
  const [, count, unit] = span.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * spanSeconds[unit!]!;
}

const isSpan = (schema: JsonSchema, text: string): boolean => schema.format === "date-time" && span.test(text);

/** Times of a filter may be typed as what has passed since: `--since 2h`. */
export const withTimes = (
  { endpoint }: Command,
  query: Readonly<Record<string, string>>,
  now: Date,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).map(([name, text]) => {
      const schema = (endpoint.query?.properties[name] ?? {}) as JsonSchema;
      const sec = isSpan(schema, text) ? secondsOf(text) : undefined;
      return [name, sec === undefined ? text : new Date(now.getTime() - sec * 1000).toISOString()];
    }),
  );

/** Puts a value at its path. Lists grow with each option; anything else is given once. */
function put(into: Record<string, unknown>, { path, schema }: Target, value: unknown, twice: () => Misuse): void {
  const [name = "", ...deeper] = path;
  if (deeper.length > 0) {
    into[name] ??= {};
    const inner = into[name];
    if (typeof inner !== "object" || inner === null) throw twice();
    put(inner as Record<string, unknown>, { place: "body", path: deeper, schema }, value, twice);
  } else if (isList(schema) && Array.isArray(into[name]) && Array.isArray(value))
    into[name].push(...(value as unknown[]));
  else if (name in into) throw twice();
  else into[name] = value;
}

function unknownField(name: string, path: readonly string[], known: readonly string[], usage: string): Misuse {
  const message = `--${name} is not a field of ${path.join(".")}`;
  return new Misuse(message, known.length > 0 ? `Fields: ${known.join(", ")}` : usage);
}

function unknownOption(name: string, known: readonly Option[], command: Command, usage: string): Misuse {
  const all = [...known.map((it) => optionName(it.name)), ...commonOptionsOf(command).map((it) => it.name)];
  const meant = nearest(`--${name}`, all);
  const message = `--${name} is not an option of this command`;
  return meant !== undefined
    ? new Misuse(`${message}; did you mean ${meant}?`, usage)
    : new Misuse(message, `Options: ${all.join(", ")}`);
}
