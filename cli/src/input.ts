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
): Input {
  const inPath = pathFields(endpoint.path);
  const params = pick(args, (name) => inPath.includes(name));
  const others = pick(args, (name) => !inPath.includes(name));
  if (endpoint.body === undefined) return { params, query: { ...others, ...options } };
  const query = Object.keys(options).length > 0 ? { query: options } : {};
  if (body instanceof YamlText) return { params, ...query, yaml: body.text };
  return { params, ...query, body: json === "never" ? others : body };
}

const pick = (args: Args, wanted: (name: string) => boolean): Args =>
  Object.fromEntries(Object.entries(args).filter(([name]) => wanted(name)));
