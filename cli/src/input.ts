import type { Input } from "@portcullis/contract/client";
import { pathFields } from "@portcullis/contract/endpoint";
import { YamlText } from "./body.ts";
import type { JsonSchema } from "./fields.ts";
import type { Command } from "./commands.ts";
import type { Args } from "./parse.ts";

/** A command and its arguments → the input of its endpoint. */
export function inputOf(
  { endpoint, json }: Command,
  args: Args,
  body: unknown,
  options: Readonly<Record<string, string>> = {},
): Input {
  const inPath = pathFields(endpoint.path);
  const params = pick(args, (name) => inPath.includes(name));
  const others = pick(args, (name) => !inPath.includes(name));
  if (endpoint.body === undefined) return { params, query: { ...others, ...options } };
  const named = endpoint.cli?.options ?? {};
  const inQuery = Object.entries(options).filter(([name]) => !(name in named));
  const query = inQuery.length > 0 ? { query: Object.fromEntries(inQuery) } : {};
  const fields = Object.entries(options).flatMap(([name, text]) =>
    name in named ? [[named[name]!, valueOf(endpoint.body as JsonSchema, named[name]!, text)]] : [],
  );
  if (body instanceof YamlText) return { params, ...query, yaml: body.text };
  return { params, ...query, body: json === "never" ? { ...others, ...Object.fromEntries(fields) } : body };
}

/** An option is text; the body has types. What is no number stays text, and the gateway refuses it. */
function valueOf({ properties = {} }: JsonSchema, field: string, text: string): unknown {
  const isNumber = ["integer", "number"].includes(String(properties[field]?.type));
  return isNumber && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

const pick = (args: Args, wanted: (name: string) => boolean): Args =>
  Object.fromEntries(Object.entries(args).filter(([name]) => wanted(name)));
