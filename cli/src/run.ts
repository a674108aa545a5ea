import { api } from "@portcullis/contract/api";
import { createClient, type Send } from "@portcullis/contract/client";
import { version } from "@portcullis/contract/version";
import { callAndPrint, type Reader } from "./call.ts";
import { bodySource, parseBody, parseDocument, type Source } from "./body.ts";
import { type Command, commandsOf } from "./commands.ts";
import { completion } from "./completion/completion.ts";
import { type Complaint, complaintOf } from "./failure.ts";
import { type Follow, followList, printFile, printStream, type Receive } from "./follow.ts";
import { help } from "./help.ts";
import { inputOf } from "./input.ts";
import { manual } from "./manual.ts";
import { withTimes } from "./options.ts";
import { json } from "./print.ts";
import { type ProgressLine, withProgress } from "./progress.ts";
import { page, type Screen } from "./screen/rich.ts";
import { sheet } from "./screen/sheet.ts";
import { type Invocation, parseCommandLine } from "./parse.ts";
import type { SetupOptions } from "./setup/setup-options.ts";
import { withWholeIds } from "./short-ids.ts";

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
  /** Standard output, if it is a terminal: a person reads it. */
  readonly screen?: Screen;
  /** Where waiting is shown, if a person sees it. */
  readonly progress?: ProgressLine;
  readonly now: () => Date;
  /** Resolves when a followed list should be read again. */
  readonly waitForNext: () => Promise<void>;
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
    const { send, progress } = world;
    const timed = progress ? { ...world, send: withProgress(send, progress) } : world;
    return await perform(parseCommandLine(words, commands), commands, timed);
  } catch (failure) {
    return { out: "", complaint: complaintOf(failure) };
  }
}

async function perform(invocation: Invocation, commands: readonly Command[], world: Environment): Promise<Outcome> {
  switch (invocation.kind) {
    case "call":
      return performCall(invocation, world);
    case "task": {
      const { task, given, printsJson } = invocation;
      const { send, now, readFile } = world;
      const { value, lines } = await task.run(given, { client: createClient(api, send), now, readFile });
      const reader = readerOf(printsJson, world);
      return { out: reader.kind === "person" ? page(lines(reader.reading), reader.reading.screen) : json(value) };
    }
    case "help":
      return { out: help(commands, invocation.about, invocation.verb, world.screen?.columns) };
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
      return versions(world.send, readerOf(invocation.printsJson === true, world));
  }
}

const readerOf = (printsJson: boolean, { screen, now }: Environment): Reader =>
  printsJson ? { kind: "json" } : screen ? { kind: "person", reading: { now: now(), screen } } : { kind: "program" };

async function performCall(invocation: Extract<Invocation, { kind: "call" }>, world: Environment): Promise<Outcome> {
  const { command, options, fields, printsJson = false, follow = false } = invocation;
  const { endpoint } = command;
  const { send, now, print, waitForNext: wait } = world;
  const source = bodySource(command.json, invocation.json, world.isFile, fields !== undefined);
  const body = await readBody(source, command, world);
  const args = await withWholeIds(command, invocation.args, send);
  const input = inputOf(command, args, body, withTimes(command, options, now()), fields);
  const reader = readerOf(printsJson, world);
  const type = endpoint.responseType;
  if (type === "text/event-stream" || type === "application/x-ndjson")
    return printStream(endpoint, input, world, reader);
  if (type === "application/x-pcapng") return printFile(endpoint, input, world);
  if (follow) return followList(command, input, { send, print, wait, readerNow: () => readerOf(printsJson, world) });
  return callAndPrint(command, input, send, reader);
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
async function versions(send: Send, reader: Reader): Promise<Outcome> {
  const printed = (value: object): string =>
    reader.kind === "person" ? page(sheet(value, reader.reading), reader.reading.screen) : json(value);
  try {
    const daemon = await createClient(api, send).status.status();
    return { out: printed({ client: version, daemon: daemon.version, build: daemon.build }) };
  } catch (failure) {
    return { out: printed({ client: version, daemon: null }), complaint: complaintOf(failure) };
  }
}
