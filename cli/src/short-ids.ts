import { type Send, call, everyPage } from "@portcullis/contract/client";
import { api } from "@portcullis/contract/api";
import { pageLimit } from "@portcullis/contract/collection";
import { type Endpoint, operations, type Page } from "@portcullis/contract/endpoint";
import type { Command } from "./commands.ts";
import { Misuse } from "./failure.ts";
import type { JsonSchema } from "./fields.ts";
import type { Args } from "./parse.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const digits = 8;
const short = new RegExp(`^[0-9a-f]{${digits}}$`);

/** The last digits of an id, as a terminal shows it. The first ones are a time, and equal for what was created together. */
export const shortId = (id: string): string => (uuid.test(id) ? id.slice(-digits) : id);

/** Replaces an abbreviated id by the whole one. Resources with names are addressed by those. */
export async function withWholeIds(command: Command, args: Args, send: Send): Promise<Args> {
  const { id } = args;
  const { path, params } = command.endpoint;
  if (typeof id !== "string" || !short.test(id) || !path.includes("{id}")) return args;
  const schema = (params?.properties["id"] ?? {}) as JsonSchema;
  const list = listAt(path.slice(0, path.indexOf("/{id}")));
  if (list === undefined || (schema.format !== "uuid" && !("x-names" in schema))) return args;
  if ("name" in ((list.result as JsonSchema).items?.properties ?? {})) return args;
  const found = (await allOf(list, send)).filter((it) => it.id.endsWith(id));
  if (found.length === 0) throw new Misuse(`No id ends with ${id}`, `portcullis ${command.words[0]} lists them`);
  if (found.length > 1) throw new Misuse(`${found.length} ids end with ${id}: ${found.map((it) => it.id).join(", ")}`);
  return { ...args, id: found[0]!.id };
}

const listAt = (path: string): Endpoint | undefined =>
  operations(api).find(({ endpoint }) => endpoint.method === "GET" && endpoint.path === path && endpoint.paged)
    ?.endpoint;

const allOf = (endpoint: Endpoint, send: Send): Promise<{ readonly id: string }[]> =>
  everyPage(
    async (cursor) =>
      (await call(endpoint, { query: { limit: pageLimit.maximum, cursor } }, send)) as Page<{ readonly id: string }>,
  );
