import { call, type Answer, type Input, type Request } from "@portcullis/contract/client";
import type { Endpoint } from "@portcullis/contract/endpoint";
import type { Event } from "@portcullis/contract/events";
import { type Complaint, Misuse } from "./failure.ts";
import { escapeControls } from "./escape.ts";
import { phrase } from "./print.ts";

/** Sends a request and calls onChunk for each part of the response. Resolves when it ends or is refused. */
export type Receive = (request: Request, onChunk: (bytes: Uint8Array) => void | Promise<void>) => Promise<Answer>;

/** Sends a request and calls onMessage for each message of the stream. Resolves when the stream ends or the request is refused. */
export type Follow = (request: Request, onMessage: (message: unknown) => void) => Promise<Answer>;

interface Environment {
  readonly follow: Follow;
  readonly print: (text: string) => void;
  readonly isTerminal?: boolean;
}

/** Prints messages as they arrive: one readable line on a terminal, one line of JSON otherwise. */
export async function printStream(
  endpoint: Endpoint,
  input: Input,
  { follow, print, isTerminal = false }: Environment,
): Promise<{ readonly out: string; readonly complaint?: Complaint }> {
  const isFinite = endpoint.responseType === "application/x-ndjson";
  const line = isTerminal && !isFinite ? (message: unknown) => inWords(message as Event) : JSON.stringify;
  await call(endpoint, input, (request) => follow(request, (message) => print(`${escapeControls(line(message))}\n`)));
  if (isFinite) return { out: "" };
  return { out: "", complaint: { text: "unreachable: The gateway has closed the stream\n", status: 3 } };
}

const nameWidth = 24;
const inWords = ({ at, event, data }: Event): string => `${at}  ${event.padEnd(nameWidth)}  ${phrase(data)}`;

/** Writes a file to standard output, but not to a terminal. */
export async function printFile(
  endpoint: Endpoint,
  input: Input,
  { receive, printBytes, isTerminal = false }: FileEnvironment,
): Promise<{ readonly out: string }> {
  if (isTerminal) throw new Misuse("The result is a file; send it to one: portcullis ... > capture.pcapng");
  await call(endpoint, input, (request) => receive(request, printBytes));
  return { out: "" };
}

interface FileEnvironment {
  readonly receive: Receive;
  /** Resolves when more can be written. */
  readonly printBytes: (bytes: Uint8Array) => void | Promise<void>;
  readonly isTerminal?: boolean;
}
