import type { Input } from "@portcullis/contract/client";
import { pathFields } from "@portcullis/contract/endpoint";
import { YamlText } from "./body.ts";
import type { Command } from "./commands.ts";
import type { Args } from "./parse.ts";

/** A command and its arguments → the input of its endpoint. */
export function inputOf(
  { endpoint, json }: Command,
  args: Args,
  body: unknown,
  options: Readonly<Record<string, string>> = {},
  fields?: Readonly<Record<string, unknown>>,
): Input {
  const inPath = pathFields(endpoint.path);
  const params = pick(args, (name) => inPath.includes(name));
  const others = pick(args, (name) => !inPath.includes(name));
  if (endpoint.body === undefined) return { params, query: { ...others, ...options } };
  const query = Object.keys(options).length > 0 ? { query: options } : {};
  if (body instanceof YamlText) return { params, ...query, yaml: body.text };
  return { params, ...query, body: merged(json === "never" ? others : body, fields) };
}

/** Options replace fields of the JSON; in objects, only the fields that they name. */
function merged(body: unknown, fields: Readonly<Record<string, unknown>> | undefined): unknown {
  if (fields === undefined) return body;
  if (!isObject(body)) return fields;
  const both = Object.entries(fields).map(([name, value]) => [
    name,
    isObject(value) && isObject(body[name]) ? merged(body[name], value) : value,
  ]);
  return { ...body, ...Object.fromEntries(both) };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const pick = (args: Args, wanted: (name: string) => boolean): Args =>
  Object.fromEntries(Object.entries(args).filter(([name]) => wanted(name)));
