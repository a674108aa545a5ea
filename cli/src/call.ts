import { api } from "@portcullis/contract/api";
import { call, everyPage, type Input, type Send } from "@portcullis/contract/client";
import { pageLimit } from "@portcullis/contract/collection";
import { type Endpoint, operations, type Page } from "@portcullis/contract/endpoint";
import { envelope, Problem } from "@portcullis/contract/problem";
import { escapeControls } from "./escape.ts";
import { type Complaint, Unreachable } from "./failure.ts";
import { alignedTable, json, table } from "./print.ts";

/** Calls an endpoint and formats its response: a table for lists, JSON otherwise. */
export async function callAndPrint(
  endpoint: Endpoint,
  input: Input,
  { send, isTerminal = false }: { readonly send: Send; readonly isTerminal?: boolean },
): Promise<Printed> {
  const result = await wholeResult(endpoint, input, send);
  if (endpoint.responseType === "text/plain") return { out: plainText(result) };
  const { columns, joins } = endpoint.cli ?? {};
  if (columns) return { out: (isTerminal ? alignedTable : table)(columns, rowsOf(result)) };
  const out = json(joins ? { ...(result as object), ...(await joinedFields(joins, send)) } : result);
  return { out, ...unexpected(endpoint, result) };
}

interface Printed {
  readonly out: string;
  readonly complaint?: Complaint;
}

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

function rowsOf(result: unknown): readonly unknown[] {
  if (Array.isArray(result)) return result;
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
