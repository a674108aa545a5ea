import { api } from "@portcullis/contract/api";
import { createClient, type Input, type Send } from "@portcullis/contract/client";
import type { Endpoint } from "@portcullis/contract/endpoint";
import { version } from "@portcullis/contract/version";
import { callAndPrint } from "./call.ts";
import { bodySource, parseBody, parseDocument, type Source } from "./body.ts";
import { type Command, commandsOf } from "./commands.ts";
import { completion } from "./completion/completion.ts";
import { type Complaint, complaintOf } from "./failure.ts";
import { type Follow, printFile, printStream, type Receive } from "./follow.ts";
import { help } from "./help.ts";
import { inputOf } from "./input.ts";
import { manual } from "./manual.ts";
import { json } from "./print.ts";
import { type Invocation, parseCommandLine } from "./parse.ts";
import type { SetupOptions } from "./setup/setup-options.ts";

/** The environment of the client. */
export interface Environment {
  readonly send: Send;
  readonly follow: Follow;
  readonly receive: Receive;
  /** Prints immediately; the outcome is printed at the end. */
  readonly print: (text: string) => void;
  readonly printBytes: (bytes: Uint8Array) => void | Promise<void>;
  readonly login: () => Promise<string>;
  readonly logout: () => string;
  readonly setup: (options: SetupOptions) => Promise<Outcome>;
  /** Whether standard output is a terminal: tables are aligned then. */
  readonly isTerminal?: boolean;
  readonly isFile: (path: string) => boolean;
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** `isExplicit`: the user typed "-". Otherwise a hint is printed that input is expected. */
  readonly readStdin: (isExplicit: boolean) => Promise<Uint8Array>;
}

export interface Outcome {
  readonly out: string;
  readonly complaint?: Complaint;
}

/** Command line → output and exit status. */
export async function run(words: readonly string[], world: Environment): Promise<Outcome> {
  const commands = commandsOf(api);
  try {
    return await perform(parseCommandLine(words, commands), commands, world);
  } catch (failure) {
    return { out: "", complaint: complaintOf(failure) };
  }
}

async function perform(invocation: Invocation, commands: readonly Command[], world: Environment): Promise<Outcome> {
  switch (invocation.kind) {
    case "call": {
      const { command, args, options } = invocation;
      const body = await readBody(bodySource(command.json, invocation.json, world.isFile), command, world);
      const input = inputOf(command, args, body, options);
      return print(command.endpoint, input, world);
    }
    case "help":
      return { out: help(commands, invocation.about, invocation.verb) };
    case "completion":
      return { out: completion(invocation.shell, commands) };
    case "man":
      return { out: manual(commands) };
    case "login":
      return { out: await world.login() };
    case "logout":
      return { out: world.logout() };
    case "setup":
      return world.setup(invocation.options);
    case "version":
      return versions(world.send);
  }
}

function print(endpoint: Endpoint, input: Input, world: Environment): Promise<Outcome> {
  const { responseType } = endpoint;
  if (responseType === "text/event-stream" || responseType === "application/x-ndjson")
    return printStream(endpoint, input, world);
  return responseType === "application/x-pcapng"
    ? printFile(endpoint, input, world)
    : callAndPrint(endpoint, input, world);
}

async function readBody(source: Source, { endpoint }: Command, { readFile, readStdin }: Environment): Promise<unknown> {
  const parse = endpoint.yaml ? parseDocument : parseBody;
  switch (source.kind) {
    case "none":
      return undefined;
    case "literal":
      return parse(new TextEncoder().encode(source.text), "The argument");
    case "file":
      return parse(await readFile(source.path), source.path);
    case "stdin":
      return parse(await readStdin(source.isExplicit), "Standard input");
  }
}

/** The version of the client is printed even if no daemon answers. */
async function versions(send: Send): Promise<Outcome> {
  try {
    const daemon = await createClient(api, send).status.status();
    return { out: json({ client: version, daemon: daemon.version, build: daemon.build }) };
  } catch (failure) {
    return { out: json({ client: version, daemon: null }), complaint: complaintOf(failure) };
  }
}
