import { call, type Answer, type Input, type Request, type Send } from "@portcullis/contract/client";
import type { Endpoint, Page } from "@portcullis/contract/endpoint";
import type { Event } from "@portcullis/contract/events";
import type { Reader } from "./call.ts";
import type { Command } from "./commands.ts";
import { escapeControls } from "./escape.ts";
import { type Complaint, Misuse } from "./failure.ts";
import { cell, phrase, table } from "./print.ts";
import { cut, page, rich, type Screen, sentence, shown } from "./screen/rich.ts";
import { label, timeWords } from "./screen/values.ts";
import { cellOf, columnsOf } from "./views/lists.ts";

/** Sends a request and calls onChunk for each part of the response. Resolves when it ends or is refused. */
export type Receive = (request: Request, onChunk: (bytes: Uint8Array) => void | Promise<void>) => Promise<Answer>;

/** Sends a request and calls onMessage for each message of the stream. Resolves when the stream ends or the request is refused. */
export type Follow = (request: Request, onMessage: (message: unknown) => void) => Promise<Answer>;

interface Environment {
  readonly follow: Follow;
  readonly print: (text: string) => void;
}

/** Prints messages as they arrive: one readable line on a terminal, one line of JSON otherwise. */
export async function printStream(
  endpoint: Endpoint,
  input: Input,
  { follow, print }: Environment,
  reader: Reader,
): Promise<{ readonly out: string; readonly complaint?: Complaint }> {
  // Lines of a stream that ends are for programs.
  const isFinite = endpoint.responseType === "application/x-ndjson";
  const lineOf = (message: unknown) => messageLine(message as Event, isFinite ? { kind: "json" } : reader);
  await call(endpoint, input, (request) => follow(request, (message) => print(`${lineOf(message)}\n`)));
  if (isFinite) return { out: "" };
  return { out: "", complaint: { text: "unreachable: The gateway has closed the stream\n", status: 3 } };
}

const nameWidth = 24;

function messageLine(event: Event, reader: Reader): string {
  if (reader.kind !== "person") return escapeControls(JSON.stringify(event));
  const { reading } = reader;
  const time = timeWords(event.at, reading, "timestamp");
  return page([sentence`${time}  ${event.event.padEnd(nameWidth)}  ${phrase(event.data)}`], reading.screen).trimEnd();
}

/** Writes a file to standard output, but not to a terminal. */
export async function printFile(
  endpoint: Endpoint,
  input: Input,
  { receive, printBytes, screen }: FileEnvironment,
): Promise<{ readonly out: string }> {
  if (screen !== undefined) throw new Misuse("The result is a file; send it to one: portcullis ... > capture.pcapng");
  await call(endpoint, input, (request) => receive(request, printBytes));
  return { out: "" };
}

interface FileEnvironment {
  readonly receive: Receive;
  /** Resolves when more can be written. */
  readonly printBytes: (bytes: Uint8Array) => void | Promise<void>;
  /** Standard output, if it is a terminal. */
  readonly screen?: Screen;
}

interface Following {
  readonly send: Send;
  readonly print: (text: string) => void;
  /** Resolves when it is time to look for new rows. */
  readonly wait: () => Promise<void>;
  readonly readerNow: () => Reader;
}

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

const firstRows = "20";
const fewRows = "50";
const mostRows = "1000";

/** Prints the newest rows of a log, or the first ones after `--after`, and then each new one. It ends with the error that ends it. */
export async function followList(command: Command, input: Input, following: Following): Promise<never> {
  const { print, readerNow } = following;
  const header = headerOf(command, readerNow());
  if (header !== "") print(header);
  const limit = input.query?.["limit"] ?? firstRows;
  const after = input.query?.["after"];
  const first = await rowsOf(command, { ...input.query, limit }, following);
  let last = Number(after ?? 0);
  const show = (rows: readonly Row[]) => {
    for (const row of rows) print(rowLine(command, row, readerNow()));
    last = Math.max(last, ...rows.map(({ id }) => id));
  };
  show(after === undefined ? first.toReversed() : first);
  while (true) {
    await following.wait();
    show(await newRows(command, input, last, following));
  }
}

/** Rows after the last one, oldest first. The audit log has no such filter: its newest rows are compared, and more of them if all are new. */
async function newRows(command: Command, input: Input, last: number, following: Following): Promise<Row[]> {
  const isOldestFirst = command.endpoint.query !== undefined && "after" in command.endpoint.query.properties;
  if (isOldestFirst) return rowsOf(command, { ...input.query, limit: mostRows, after: String(last) }, following);
  for (const limit of [fewRows, mostRows]) {
    const newest = await rowsOf(command, { ...input.query, limit }, following);
    const after = newest.filter(({ id }) => id > last);
    if (after.length < Number(limit) || limit === mostRows) return after.toReversed();
  }
  return [];
}

const rowsOf = async ({ endpoint }: Command, query: Input["query"], { send }: Following): Promise<Row[]> => [
  ...((await call(endpoint, { query: query ?? {} }, send)) as Page<Row>).items,
];

function headerOf(command: Command, reader: Reader): string {
  const columns = command.endpoint.cli?.columns ?? [];
  if (reader.kind === "json") return "";
  if (reader.kind === "program") return table(columns, []);
  const names = columnsOf(command).map((column) => label(column).toUpperCase());
  return screenLine(
    names.map((name) => rich(name)),
    command,
    reader,
  );
}

function rowLine(command: Command, row: Row, reader: Reader): string {
  if (reader.kind === "json") return `${escapeControls(JSON.stringify(row))}\n`;
  if (reader.kind === "program")
    return `${(command.endpoint.cli?.columns ?? []).map((column) => cell(row[column])).join("\t")}\n`;
  const cells = columnsOf(command).map((column) => cellOf(column, row, new Map(), reader.reading));
  return screenLine(cells, command, reader);
}

/** Widths are fixed, because later rows are not known. The last column has no limit. */
const widths: Readonly<Record<string, number>> = {
  timestamp: 8,
  device_name: 16,
  verdict: 7,
  type: 5,
  actor: 14,
  action: 24,
};

function screenLine(
  cells: readonly ReturnType<typeof rich>[],
  command: Command,
  { reading: { screen } }: Extract<Reader, { kind: "person" }>,
): string {
  const line = columnsOf(command).flatMap((column, index) => {
    const width = widths[column];
    const fitted = width === undefined ? cells[index]! : cut(cells[index]!, width);
    const text = fitted.map((it) => it.text).join("");
    return [...fitted, { text: " ".repeat(Math.max(0, (width ?? 0) - text.length) + 2) }];
  });
  return `${shown(line, screen)}\n`;
}
