import { api } from "@portcullis/contract/api";
import { createClient, type Send } from "@portcullis/contract/client";
import { version } from "@portcullis/contract/version";
import { callAndPrint } from "./call.ts";
import { parseBody, type Source, bodySource } from "./body.ts";
import { type Command, commandsOf } from "./commands.ts";
import { completion } from "./completion/completion.ts";
import { type Complaint, complaintOf } from "./failure.ts";
import { type Follow, printStream } from "./follow.ts";
import { help } from "./help.ts";
import { inputOf } from "./input.ts";
import { manual } from "./manual.ts";
import { json } from "./print.ts";
import { type Invocation, parseCommandLine } from "./parse.ts";

/** What the client needs of the machine it runs on. */
export interface Environment {
  readonly send: Send;
  readonly follow: Follow;
  /** Prints at once, where the rest is printed when all is done. */
  readonly print: (text: string) => void;
  readonly login: () => Promise<string>;
  readonly logout: () => string;
  /** Whether a person reads what is printed: tables are aligned then. */
  readonly isTerminal?: boolean;
  readonly isFile: (path: string) => boolean;
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** `asked`: somebody typed "-". Otherwise they may not know that input is awaited. */
  readonly readStdin: (asked: boolean) => Promise<Uint8Array>;
}

export interface Outcome {
  readonly out: string;
  readonly complaint?: Complaint;
}

/** Typed words → everything that is printed, and the exit status. */
export async function run(words: readonly string[], world: Environment): Promise<Outcome> {
  const commands = commandsOf(api);
  try {
    return await perform(parseCommandLine(words, commands), commands, world);
  } catch (failure) {
    return { out: "", complaint: complaintOf(failure) };
  }
}

async function perform(asked: Invocation, commands: readonly Command[], world: Environment): Promise<Outcome> {
  switch (asked.kind) {
    case "call": {
      const { command, args, options } = asked;
      const body = await readBody(bodySource(command.json, asked.json, world.isFile), world);
      const input = inputOf(command, args, body, options);
      return command.endpoint.responseType === "text/event-stream"
        ? printStream(command.endpoint, input, world)
        : callAndPrint(command.endpoint, input, world);
    }
    case "help":
      return { out: help(commands, asked.about, asked.verb) };
    case "completion":
      return { out: completion(asked.shell, commands) };
    case "man":
      return { out: manual(commands) };
    case "login":
      return { out: await world.login() };
    case "logout":
      return { out: world.logout() };
    case "version":
      return versions(world.send);
  }
}

async function readBody(source: Source, { readFile, readStdin }: Environment): Promise<unknown> {
  switch (source.kind) {
    case "none":
      return undefined;
    case "literal":
      return parseBody(new TextEncoder().encode(source.text), "The argument");
    case "file":
      return parseBody(await readFile(source.path), source.path);
    case "stdin":
      return parseBody(await readStdin(source.asked), "Standard input");
  }
}

/** The client knows its own version even where no daemon answers. */
async function versions(send: Send): Promise<Outcome> {
  try {
    const daemon = await createClient(api, send).status.status();
    return { out: json({ client: version, daemon: daemon.version, build: daemon.build }) };
  } catch (failure) {
    return { out: json({ client: version, daemon: null }), complaint: complaintOf(failure) };
  }
}
