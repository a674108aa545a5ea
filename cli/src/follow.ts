import { call, type Answer, type Input, type Request } from "@portcullis/contract/client";
import type { Endpoint } from "@portcullis/contract/endpoint";
import type { Event } from "@portcullis/contract/events";
import type { Complaint } from "./failure.ts";
import { escapeControls } from "./escape.ts";
import { phrase } from "./print.ts";

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
): Promise<{ readonly out: string; readonly complaint: Complaint }> {
  const line = isTerminal ? inWords : JSON.stringify;
  await call(endpoint, input, (request) =>
    follow(request, (message) => print(`${escapeControls(line(message as Event))}\n`)),
  );
  return { out: "", complaint: { text: "unreachable: The gateway has closed the stream\n", status: 3 } };
}

const nameWidth = 24;
const inWords = ({ at, event, data }: Event): string => `${at}  ${event.padEnd(nameWidth)}  ${phrase(data)}`;
