import { defaultAddress, defaultSocket } from "./address.ts";
import { type Command, commandsOfKind, kindsOf, summaryOf, usage, verbOf, verbsOf } from "./commands.ts";
import { fieldsOf } from "./fields.ts";
import { optionName, optionsOf } from "./options.ts";
import { setupOptions } from "./setup/setup-options.ts";
import { type LocalCommand, localCommands, shells } from "./local-commands.ts";

/** The help text: an overview, one kind, or one of its verbs. */
export function help(commands: readonly Command[], about: string | undefined, verb?: string): string {
  if (about === undefined) return overview(commands);
  const own = localCommands.find(({ word }) => word === about);
  if (own) return `${localUsage(own.word)}\n    ${own.summary}\n${columns(localOptions(own.word), 6)}`;
  const ofKind = commandsOfKind(commands, about);
  const wanted = ofKind.filter((command) => verb === undefined || verbOf(command) === verb);
  return wanted.map(entry).join("\n");
}

function overview(commands: readonly Command[]): string {
  const kinds = kindsOf(commands).map((kind): Line => [kind, kindSummary(commands, kind)]);
  const own = localCommands.map(({ word, summary }): Line => [word, summary]);
  return `portcullis <kind> <verb> [arg...]

${columns([...kinds, ...own], 2)}
JSON is an argument, a file or standard input; "portcullis help <kind> [verb]" lists its fields and options.
GATEWAY_ADDR is the address of the gateway; default: unix:${defaultSocket} or ${defaultAddress}.
PORTCULLIS_KEY is an API key to send; "portcullis login" stores one.
`;
}

/** `Device: list, get, create, update, delete` */
function kindSummary(commands: readonly Command[], kind: string): string {
  const verbs = verbsOf(commands, kind);
  const [, listed] = /^List every (.+)$/.exec(summaryOf(commands, kind)) ?? [];
  const summary = listed === undefined ? summaryOf(commands, kind) : `${listed[0]!.toUpperCase()}${listed.slice(1)}`;
  return `${summary}${verbs.length > 0 ? `: ${verbs.join(", ")}` : ""}`;
}

function entry(command: Command): string {
  const { summary, description, cli } = command.endpoint;
  const lines = [summary, description, cli?.columns && `Prints ${cli.columns.join(", ")}`];
  const fields = [...optionFields(command), ...bodyFields(command)].map(({ name, meaning }): Line => [name, meaning]);
  return [
    `${usage(command)}\n`,
    ...lines.filter((line) => line !== undefined).map((line) => `    ${line}\n`),
    columns(fields, 6),
  ].join("");
}

/** The fields of the JSON that a command takes, with type and description. */
export const bodyFields = ({ json, endpoint }: Command): { readonly name: string; readonly meaning: string }[] =>
  json === "never" || endpoint.body === undefined
    ? []
    : fieldsOf(endpoint.body).map(({ name, type, required, description }) => ({
        name,
        meaning: `${required ? `${type}, required` : type}${description === "" ? "" : `: ${description}`}`,
      }));

/** The options of a command, in the same form. */
export const optionFields = (command: Command): { readonly name: string; readonly meaning: string }[] =>
  optionsOf(command).map(({ name, type, required, description }) => ({
    name: optionName(name),
    meaning: `${required ? `${type}, required` : type}${description === "" ? "" : `: ${description}`}`,
  }));

export const localUsage = (word: LocalCommand): string => `portcullis ${word}${localArguments[word] ?? ""}`;

const localArguments: Partial<Record<LocalCommand, string>> = {
  setup: " [options]",
  help: " [kind] [verb]",
  completion: ` ${shells.join("|")}`,
};

/** The options of a command that the client handles without the API. */
export const localOptions = (word: LocalCommand): readonly Line[] => (word === "setup" ? setupOptions : []);

type Line = readonly [left: string, right: string];

function columns(lines: readonly Line[], indent: number): string {
  const width = Math.max(0, ...lines.map(([left]) => left.length)) + 2;
  return lines.map(([left, right]) => `${" ".repeat(indent)}${left.padEnd(width)}${right}\n`).join("");
}
