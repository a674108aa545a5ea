import type { GatewayApi } from "@portcullis/contract/api";
import type { Client } from "@portcullis/contract/client";
import { everyPage } from "@portcullis/contract/client";
import { Problem } from "@portcullis/contract/problem";
import type { Command } from "../commands.ts";
import type { JsonSchema } from "../fields.ts";
import { type Rich, rich, withStyle } from "../screen/rich.ts";
import { type Column, screenTable } from "../screen/table.ts";
import { label, type Reading, words } from "../screen/values.ts";
import { shortId } from "../short-ids.ts";

type Row = Readonly<Record<string, unknown>>;

/** Columns on a terminal where they differ from those for programs. */
const screenColumns: Readonly<Record<string, readonly string[]>> = {
  "devices list": ["name", "ips", "mac", "state", "privacy_class", "last_seen"],
  "tunnels list": ["name", "status", "type", "interface", "rtt_ms", "reason"],
  "policies list": ["name", "priority", "source_name", "hops", "fail_policy", "enabled"],
  "audit list": ["timestamp", "actor", "action", "resource_name"],
  "dns log": ["timestamp", "device_name", "verdict", "type", "name"],
  "alerts list": ["id", "state", "severity", "raised_at", "resource_name", "reason"],
  "alerts active": ["id", "severity", "raised_at", "resource_name", "reason"],
  "snapshots list": ["id", "created_at", "actor", "cause", "changed", "pinned"],
};

/** What an empty list means. */
const emptyLists: Readonly<Record<string, string>> = {
  "alerts active": "No alert is active.",
  "pause active": "Nothing is paused.",
  "exceptions active": "No exception is active.",
  conflicts: "No policies conflict.",
  drift: "There is no drift: the kernel has what was published.",
  "dns log": "No query is logged.",
};

export const emptyList = (command: Command): string => emptyLists[command.words.join(" ")] ?? "The list is empty.";

/** The columns that a person reads: names instead of ids, unless the id is what the next command needs. */
export function columnsOf({ words: typed, endpoint }: Command): readonly string[] {
  const chosen = screenColumns[typed.join(" ")];
  if (chosen) return chosen;
  const columns = endpoint.cli?.columns ?? [];
  const unneeded = [
    ...(columns.includes("name") ? ["id"] : []),
    ...(columns.includes("source_name") ? ["source_type"] : []),
  ];
  return columns.filter((it) => !unneeded.includes(it));
}

/** The commands with columns of their own on a terminal. A test holds them against the contract. */
export const commandsWithColumns = Object.keys(screenColumns);

export function listOnScreen(command: Command, rows: readonly Row[], names: Names, reading: Reading): string {
  if (rows.length === 0) return `${emptyList(command)}\n`;
  return screenTable(
    columnsOf(command).map(
      (name): Column => ({
        label: label(name),
        isSentence: sentences.has(name),
        cells: rows.map((row) => cellOf(name, row, names, reading)),
      }),
    ),
    reading.screen,
  );
}

const sentences = new Set(["reason", "message", "now", "problem", "note", "about", "description"]);

/** A cell: an id that is shown has its last digits only, and a reference has the name of what it refers to. */
export function cellOf(column: string, row: Row, names: Names, reading: Reading): Rich {
  const value = row[column];
  if (column === "id" && typeof value === "string") return rich(shortId(value));
  if (column === "device_name" && (value === null || value === "")) return words("client", row["client"], reading);
  if (column === "resource_name" && (value === null || value === ""))
    return rich(typeof row["resource_id"] === "string" ? shortId(row["resource_id"]) : "gateway");
  if (column === "source_name") return rich(sourceWords(row));
  if (column === "verdict" && value === "none") return rich("pass");
  if (column === "severity" && value === "info") return rich("info");
  if (column === "state" && value === "active") return withStyle("active", "warn");
  if (typeof value === "string" && names.has(value)) return rich(names.get(value)!);
  return words(column, value, reading);
}

/** Names say what they are; of a network, a domain and the like the type is said as well. */
function sourceWords({ source_type: type, source_name: name }: Row): string {
  if (type === "all") return "everything";
  if (type === "everyone" || name === "") return "everyone";
  return ["device", "device_group", "privacy_class"].includes(String(type))
    ? String(name)
    : `${String(type)} ${String(name)}`;
}

/** Id → name. */
export type Names = ReadonlyMap<string, string>;

/** The names of what the shown columns refer to. */
export async function namesFor(command: Command, rows: readonly Row[], client: Client<GatewayApi>): Promise<Names> {
  const properties = (command.endpoint.result as JsonSchema).items?.properties ?? {};
  const kinds = columnsOf(command)
    .filter((column) => rows.some((row) => row[column] !== null && row[column] !== undefined))
    .flatMap((column) => (properties[column] as { "x-references"?: string } | undefined)?.["x-references"] ?? []);
  const lists = [...new Set(kinds)].flatMap((kind) => (kind in collections ? [collections[kind]!(client)] : []));
  return new Map((await Promise.all(lists)).flat());
}

type Collection = "trustClasses" | "privacyClasses" | "profiles" | "schedules" | "tunnels";
const collections: Readonly<Record<string, (client: Client<GatewayApi>) => Promise<[string, string][]>>> = {
  trust_class: (client) => namesIn(client, "trustClasses"),
  privacy_class: (client) => namesIn(client, "privacyClasses"),
  profile: (client) => namesIn(client, "profiles"),
  schedule: (client) => namesIn(client, "schedules"),
  tunnel: (client) => namesIn(client, "tunnels"),
};

/** Without the permission to read them the ids stay. */
async function namesIn(client: Client<GatewayApi>, collection: Collection): Promise<[string, string][]> {
  try {
    const rows = await everyPage<{ id: string; name: string }>((cursor) =>
      client[collection].list({ query: { limit: 1000, ...(cursor !== undefined && { cursor }) } }),
    );
    return rows.map(({ id, name }) => [id, name]);
  } catch (failure) {
    if (failure instanceof Problem && failure.code === "forbidden") return [];
    throw failure;
  }
}
