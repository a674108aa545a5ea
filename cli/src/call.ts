import { api } from "@portcullis/contract/api";
import { call, everyPage, type Input, type Send } from "@portcullis/contract/client";
import { pageLimit } from "@portcullis/contract/collection";
import { type Endpoint, operations, type Page } from "@portcullis/contract/endpoint";
import { envelope, Problem } from "@portcullis/contract/problem";
import { type Complaint, Unreachable } from "./failure.ts";
import { alignedTable, json, table } from "./print.ts";

/** Calls an endpoint and says what it answered: a table for lists, JSON for the rest. */
export async function callAndPrint(
  endpoint: Endpoint,
  input: Input,
  { send, isTerminal = false }: { readonly send: Send; readonly isTerminal?: boolean },
): Promise<Printed> {
  const result = await wholeResult(endpoint, input, send);
  const { columns, joins } = endpoint.cli ?? {};
  if (columns) return { out: (isTerminal ? alignedTable : table)(columns, rowsOf(result)) };
  const out = json(joins ? { ...(result as object), ...(await joinedFields(joins, send)) } : result);
  return { out, ...unexpected(endpoint, result) };
}

interface Printed {
  readonly out: string;
  readonly complaint?: Complaint;
}

/** A script should not have to parse JSON to learn that the gateway is not well. */
function unexpected({ cli }: Endpoint, result: unknown): Pick<Printed, "complaint"> {
  if (!cli?.expects) return {};
  const { field, value } = cli.expects;
  const said = (result as Record<string, unknown>)[field];
  return said === value ? {} : { complaint: { text: `${cli.words.join(" ")}: ${String(said)}\n`, status: 4 } };
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

function rowsOf(result: unknown): readonly unknown[] {
  if (Array.isArray(result)) return result;
  throw new Unreachable("What answers is no gateway: it gave something else than the list it was asked for");
}

async function joinedFields(joins: Readonly<Record<string, string>>, send: Send): Promise<Record<string, unknown>> {
  const fields = Object.entries(joins).map(async ([field, path]) => [field, await joinedField(field, path, send)]);
  return Object.fromEntries(await Promise.all(fields)) as Record<string, unknown>;
}

/** What another path says: its field of that name, or all of it. A failure is told in its place. */
async function joinedField(field: string, path: string, send: Send): Promise<unknown> {
  const other = operations(api).find(({ endpoint }) => endpoint.method === "GET" && endpoint.path === path);
  if (!other) throw new Error(`The contract has no GET ${path} to join`);
  try {
    const said = await call(other.endpoint, {}, send);
    return said !== null && typeof said === "object" && field in said ? (said as Record<string, unknown>)[field] : said;
  } catch (failure) {
    if (failure instanceof Problem) return envelope(failure);
    if (failure instanceof Unreachable)
      return { error: { code: "unreachable", message: failure.message, details: {} } };
    throw failure;
  }
}
