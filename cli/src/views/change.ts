import type { GatewayApi } from "@portcullis/contract/api";
import type { Client } from "@portcullis/contract/client";
import { Problem } from "@portcullis/contract/problem";
import type { Command } from "../commands.ts";
import { good, type Rich, rich, sentence, strong, warn } from "../screen/rich.ts";
import { sheet } from "../screen/sheet.ts";
import type { Reading } from "../screen/values.ts";
import { command as typed } from "../tasks/lookups.ts";

/** The result of a command without sentences of its own: what was done, and the fields. */
export async function changeLines(
  { endpoint }: Command,
  result: unknown,
  reading: Reading,
  client: Client<GatewayApi>,
): Promise<Rich[]> {
  const { audit, path, method } = endpoint;
  const fields = result !== null && typeof result === "object" ? (result as Readonly<Record<string, unknown>>) : {};
  if (fields["deleted"] === true) return [sentence`${good("Deleted.")}`, ...(await stagedLines(path, client))];
  const verb = audit && done[audit.verb];
  const head = verb === undefined ? [] : [sentence`${good(verb)} the ${nounOf(audit!.noun)}${nameOf(fields)}.`];
  const isPlainList = fields["name"] !== undefined && fields["id"] !== undefined;
  const { id: _, ...others } = fields;
  const body = result !== null && typeof result === "object" ? sheet(isPlainList ? others : fields, reading) : [];
  return [
    ...head,
    ...(body.length > 0 ? body : head.length > 0 ? [] : [rich("Done.")]),
    ...(method === "GET" ? [] : await stagedLines(path, client)),
  ];
}

const done: Readonly<Record<string, string>> = {
  create: "Created",
  update: "Changed",
  import: "Imported",
  acknowledge: "Acknowledged",
  resolve: "Resolved",
};

const nounOf = (noun: string): string => noun.replaceAll("_", " ").replace(/^dns /, "");

const nameOf = ({ name }: Readonly<Record<string, unknown>>): Rich =>
  typeof name === "string" ? sentence` ${strong(name)}` : [];

/** Paths whose changes take effect with an apply. */
const stagedPaths = /^\/(?:routing\/policies|profiles|chains)(?:\/|$)/;

/** What was changed may not be in force yet: that is said here and not left to be discovered. */
async function stagedLines(path: string, client: Client<GatewayApi>): Promise<Rich[]> {
  if (!stagedPaths.test(path)) return [];
  const staged = await readable(client);
  if (staged === 0) return [];
  const count = staged === undefined ? "It is" : staged === 1 ? "1 change is" : `${staged} changes are`;
  return [
    sentence`${warn("Not in force yet:")} ${count} staged. To apply with two minutes to confirm:`,
    typed("policies", "apply", "--confirm-within", "120"),
  ];
}

async function readable(client: Client<GatewayApi>): Promise<number | undefined> {
  try {
    return (await client.changes.show()).staged.length;
  } catch (failure) {
    if (failure instanceof Problem) return undefined;
    throw failure;
  }
}
