import { api, type GatewayApi } from "@portcullis/contract/api";
import { call, type Client, createClient, everyPage, type Input, type Send } from "@portcullis/contract/client";
import { pageLimit } from "@portcullis/contract/collection";
import { type Endpoint, operations, type Page } from "@portcullis/contract/endpoint";
import { envelope, Problem } from "@portcullis/contract/problem";
import type { Command } from "./commands.ts";
import { escapeControls } from "./escape.ts";
import { type Complaint, Unreachable } from "./failure.ts";
import { json, table } from "./print.ts";
import { page } from "./screen/rich.ts";
import type { Reading } from "./screen/values.ts";
import { changeLines } from "./views/change.ts";
import { listOnScreen, namesFor } from "./views/lists.ts";
import { views } from "./views/views.ts";

/**
 * Who reads the output. For programs lists are tables with tabs and everything else is JSON, as the specification says; with
 * `--json` lists are JSON, too; a person reads tables and sentences.
 */
export type Reader =
  | { readonly kind: "program" }
  | { readonly kind: "json" }
  | { readonly kind: "person"; readonly reading: Reading };

/** Calls the endpoint of a command and formats its response for the reader. */
export async function callAndPrint(command: Command, input: Input, send: Send, reader: Reader): Promise<Printed> {
  const { endpoint } = command;
  const result = await wholeResult(endpoint, input, send);
  if (endpoint.responseType === "text/plain") return { out: plainText(result) };
  const { columns, joins } = endpoint.cli ?? {};
  if (columns) return { out: await list(command, rowsOf(result), send, reader) };
  const complete = joins ? { ...(result as object), ...(await joinedFields(joins, send)) } : result;
  const out = reader.kind === "person" ? await sentences(command, complete, send, reader.reading) : json(complete);
  return { out, ...unexpected(endpoint, result) };
}

interface Printed {
  readonly out: string;
  readonly complaint?: Complaint;
}

async function list(command: Command, rows: readonly object[], send: Send, reader: Reader): Promise<string> {
  switch (reader.kind) {
    case "program":
      return table(command.endpoint.cli?.columns ?? [], rows);
    case "json":
      return json(rows);
    case "person": {
      const shown = rows as readonly Readonly<Record<string, unknown>>[];
      const names = await namesFor(command, shown, clientOf(send));
      return listOnScreen(command, shown, names, reader.reading);
    }
  }
}

async function sentences(command: Command, result: unknown, send: Send, reading: Reading): Promise<string> {
  const view = views[command.words.join(" ")];
  const client = clientOf(send);
  const lines = view ? await view(result, reading, client) : await changeLines(command, result, reading, client);
  return page(lines, reading.screen);
}

const clientOf = (send: Send): Client<GatewayApi> => createClient(api, send);

/** The exit status shows scripts that the gateway is not healthy, without parsing JSON. */
function unexpected({ cli }: Endpoint, result: unknown): Pick<Printed, "complaint"> {
  if (!cli?.expects) return {};
  const { field, value, status = 4 } = cli.expects;
  const actual = (result as Record<string, unknown>)[field];
  return actual === value ? {} : { complaint: { text: `${cli.words.join(" ")}: ${String(actual)}\n`, status } };
}

/** With a limit the first page is read; otherwise every page. */
async function wholeResult(endpoint: Endpoint, input: Input, send: Send): Promise<unknown> {
  if (!endpoint.paged) return call(endpoint, input, send);
  if (input.query?.["limit"] !== undefined) return ((await call(endpoint, input, send)) as Page<unknown>).items;
  return everyPage(async (cursor) => {
    const query = { ...input.query, limit: pageLimit.maximum, cursor };
    return (await call(endpoint, { ...input, query }, send)) as Page<unknown>;
  });
}

function plainText(result: unknown): string {
  if (typeof result !== "string") throw new Unreachable("The server is not a gateway: its response is not text");
  return result.split("\n").map(escapeControls).join("\n");
}

function rowsOf(result: unknown): readonly object[] {
  if (Array.isArray(result)) return result as readonly object[];
  throw new Unreachable("The server is not a gateway: its response is not a list");
}

async function joinedFields(joins: Readonly<Record<string, string>>, send: Send): Promise<Record<string, unknown>> {
  const fields = Object.entries(joins).map(async ([field, path]) => [field, await joinedField(field, path, send)]);
  return Object.fromEntries(await Promise.all(fields)) as Record<string, unknown>;
}

/** The result of another path: its field of that name, or the whole result. A failure is printed in its place. */
async function joinedField(field: string, path: string, send: Send): Promise<unknown> {
  const other = operations(api).find(({ endpoint }) => endpoint.method === "GET" && endpoint.path === path);
  if (!other) throw new Error(`The contract has no GET ${path} to join`);
  try {
    const result = await call(other.endpoint, {}, send);
    return result !== null && typeof result === "object" && field in result
      ? (result as Record<string, unknown>)[field]
      : result;
  } catch (failure) {
    if (failure instanceof Problem) return envelope(failure);
    if (failure instanceof Unreachable)
      return { error: { code: "unreachable", message: failure.message, details: {} } };
    throw failure;
  }
}
