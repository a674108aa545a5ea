import { pathFields } from "@portcullis/contract/endpoint";
import { nearest } from "@portcullis/contract/nearest";
import { type Command, commandsOfKind, defaultOf, isOptional, kindsOf, usage, verbOf, verbsOf } from "./commands.ts";
import { Misuse } from "./failure.ts";
import { operationsOfVerb, operationsOfKind } from "./api-operations.ts";
import { optionName, optionsOf, takeOptions } from "./options.ts";
import { type Given, parseTask, type Task } from "./tasks/task.ts";
import { taskOf, tasks } from "./tasks/tasks.ts";
import { parseSetupOptions, type SetupOptions } from "./setup/setup-options.ts";
import { localCommands, type Shell, shells } from "./local-commands.ts";

/** A parsed command line. `json` is the body argument. */
export type Invocation =
  | {
      readonly kind: "call";
      readonly command: Command;
      readonly args: Args;
      /** Of the query. */
      readonly options: Readonly<Record<string, string>>;
      /** Of the body, from options. */
      readonly fields?: Readonly<Record<string, unknown>>;
      readonly json: string | undefined;
      /** Whether JSON is printed in any case. */
      readonly printsJson?: true;
      readonly follow?: true;
    }
  | { readonly kind: "task"; readonly task: Task; readonly given: Given; readonly printsJson: boolean }
  | { readonly kind: "help"; readonly about: string | undefined; readonly verb?: string }
  | { readonly kind: "completion"; readonly shell: Shell }
  | { readonly kind: "login" }
  | { readonly kind: "logout" }
  | { readonly kind: "setup"; readonly options: SetupOptions }
  | { readonly kind: "version"; readonly printsJson?: true }
  | { readonly kind: "man" };

/** An argument of several words is a list. */
export type Args = Readonly<Record<string, string | readonly string[]>>;

/** Parses a command line. */
export function parseCommandLine(words: readonly string[], commands: readonly Command[]): Invocation {
  const [first, ...rest] = words;
  if (words.includes("--help") || words.includes("-h"))
    return helpAbout(
      firstWords(commands).find((word) => word === first),
      rest[0],
      commands,
    );
  switch (first) {
    case undefined:
    case "help":
      return helpInvocation(rest, commands);
    case "completion":
      return completionInvocation(rest);
    case "version":
    case "--version":
      return rest[0] === "--json"
        ? withoutArguments({ kind: "version", printsJson: true }, rest.slice(1))
        : withoutArguments({ kind: "version" }, rest);
    case "login":
      return withoutArguments({ kind: "login" }, rest);
    case "logout":
      return withoutArguments({ kind: "logout" }, rest);
    case "setup":
      return { kind: "setup", options: parseSetupOptions(rest) };
    case "man":
      return withoutArguments({ kind: "man" }, rest);
    default:
      return taskInvocation(words) ?? gatewayInvocation(first, rest, commands);
  }
}

function taskInvocation(words: readonly string[]): Invocation | undefined {
  const task = taskOf(words);
  if (task === undefined) return undefined;
  const { given, json } = parseTask(task, words.slice(task.words.length));
  return { kind: "task", task, given, printsJson: json };
}

const firstWords = (commands: readonly Command[]): string[] => [
  ...new Set([...tasks.map(({ words }) => words[0]), ...kindsOf(commands), ...localCommands.map(({ word }) => word)]),
];

/** The verbs of a kind, those of tasks included. */
const allVerbsOf = (commands: readonly Command[], kind: string): string[] => [
  ...verbsOf(commands, kind),
  ...tasks.flatMap(({ words: [first, second] }) => (first === kind && second !== undefined ? [second] : [])),
];

function helpInvocation([about, verb, ...more]: readonly string[], commands: readonly Command[]): Invocation {
  if (about !== undefined && !firstWords(commands).includes(about)) throw unknownCommand(about, commands);
  if (verb !== undefined && !allVerbsOf(commands, about!).includes(verb)) throw unknownVerb(about!, verb, commands);
  return withoutArguments(helpAbout(about, verb, commands), more);
}

/** Help about a kind, or about one of its verbs. */
const helpAbout = (about: string | undefined, verb: string | undefined, commands: readonly Command[]): Invocation => ({
  kind: "help",
  about,
  ...(about !== undefined && verb !== undefined && allVerbsOf(commands, about).includes(verb) && { verb }),
});

function completionInvocation([word, ...more]: readonly string[]): Invocation {
  if (word === undefined) throw new Misuse("Completion for which shell?", `portcullis completion ${shells.join("|")}`);
  const shell = shells.find((known) => known === word);
  if (shell === undefined) throw unknown("shell", word, shells);
  return withoutArguments({ kind: "completion", shell }, more);
}

function withoutArguments(invocation: Invocation, [surplus]: readonly string[]): Invocation {
  if (surplus !== undefined) throw new Misuse(`Unexpected argument ${JSON.stringify(surplus)}`);
  return invocation;
}

function gatewayInvocation(kind: string, rest: readonly string[], commands: readonly Command[]): Invocation {
  const ofKind = commandsOfKind(commands, kind);
  if (ofKind.length === 0) throw unknownCommand(kind, commands);
  const [verb, ...afterVerb] = rest;
  if (verb === undefined || verb.startsWith("--")) return invocationWithoutVerb(kind, rest, commands);
  const withVerb = ofKind.find((command) => verbOf(command) === verb);
  if (withVerb) return call(withVerb, afterVerb);
  const bare = ofKind.find((command) => verbOf(command) === undefined);
  if (bare && (bare.args.length > 0 || bare.json !== "never")) return call(bare, rest);
  throw unknownVerb(kind, verb, commands);
}

/** `audit --actor ada`: the options are those of the list. */
function invocationWithoutVerb(kind: string, options: readonly string[], commands: readonly Command[]): Invocation {
  const plain = defaultOf(commands, kind);
  if (plain) return call(plain, options);
  throw new Misuse("A verb is missing", `portcullis ${kind} ${verbsOf(commands, kind).join("|")}`);
}

function call(command: Command, typed: readonly string[]): Invocation {
  const { words, query, fields, json: printsJson, follow } = takeOptions(typed, command, usage(command));
  const open = command.args.filter((arg) => !(arg in fields));
  const given = words.slice(0, open.length);
  const after = words.slice(given.length);
  const { rest } = command;
  const [json, surplus] = [...(command.json === "never" ? [undefined] : []), ...(rest === undefined ? after : [])];
  const absent = open.slice(given.length).find((arg) => !isOptional(command, arg));
  const missing = absent ?? (rest !== undefined && after.length === 0 ? rest : undefined);
  if (missing !== undefined) throw new Misuse(`<${missing}> is missing`, usage(command));
  if (surplus !== undefined) throw new Misuse(`Unexpected argument ${JSON.stringify(surplus)}`, usage(command));
  const args: Args = {
    ...Object.fromEntries(given.map((word, index) => [open[index]!, word])),
    ...(rest !== undefined && { [rest]: after }),
  };
  const invalid = pathFields(command.endpoint.path).find((field) => isDotSegment(args[field]));
  if (invalid !== undefined)
    throw new Misuse(`<${invalid}> cannot be ${JSON.stringify(args[invalid])}`, usage(command));
  const hasFields = Object.keys(fields).length > 0;
  if (hasFields && json === undefined && command.json !== "never") refuseMissing(command, fields);
  return {
    kind: "call",
    command,
    args,
    options: query,
    json,
    ...(hasFields && { fields }),
    ...(printsJson && { printsJson }),
    ...(follow && { follow }),
  };
}

/** A body of options only needs all required fields. */
function refuseMissing(command: Command, fields: Readonly<Record<string, unknown>>): void {
  const missing = optionsOf(command)
    .filter(({ place, required, field }) => place === "body" && required && !(field in fields))
    .map(({ name }) => optionName(name));
  if (missing.length > 0)
    throw new Misuse(`${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} missing`, usage(command));
}

/** Whether a word would change the path of the URL: dots mean the current and the parent folder. */
const isDotSegment = (word: Args[string] | undefined): boolean =>
  typeof word === "string" && ["", ".", ".."].includes(word);

const unknownCommand = (word: string, commands: readonly Command[]): Misuse =>
  unknown("command", word, firstWords(commands), operationsOfKind(word));

const unknownVerb = (kind: string, verb: string, commands: readonly Command[]): Misuse =>
  unknown(`verb of ${kind}`, verb, allVerbsOf(commands, kind), operationsOfVerb(kind, verb));

function unknown(what: string, word: string, known: readonly string[], offered?: string): Misuse {
  const message = `${JSON.stringify(word)} is not a ${what}`;
  if (offered !== undefined) return new Misuse(message, offered);
  const meant = nearest(word, known);
  if (meant !== undefined) return new Misuse(`${message}; did you mean ${JSON.stringify(meant)}?`);
  return new Misuse(message, known.length > 0 ? `Known: ${known.join(", ")}` : "It has no verbs");
}
