import { defaultAddress, defaultSocket } from "./address.ts";
import { type Command, commandsOfKind, kindsOf, summaryOf, usage, verbOf, verbsOf } from "./commands.ts";
import { groups } from "./groups.ts";
import { commonOptionsOf, optionName, optionsOf } from "./options.ts";
import { page, type Rich, rich, sentence } from "./screen/rich.ts";
import { setupOptions } from "./setup/setup-options.ts";
import { type LocalCommand, localCommands, shells } from "./local-commands.ts";
import { jsonOption, type Task, taskUsage } from "./tasks/task.ts";
import { tasks, tasksOf } from "./tasks/tasks.ts";
import { examples } from "./usage.ts";

const defaultColumns = 80;

/** The help text: an overview, one kind, or one of its verbs. */
export function help(
  commands: readonly Command[],
  about: string | undefined,
  verb?: string,
  columns = defaultColumns,
): string {
  return page(linesAbout(commands, about, verb), { columns, colors: false });
}

function linesAbout(commands: readonly Command[], about: string | undefined, verb: string | undefined): Rich[] {
  if (about === undefined) return overview(commands);
  const own = localCommands.find(({ word }) => word === about);
  if (own) return [rich(localUsage(own.word)), rich(`    ${own.summary}`), ...listed(localOptions(own.word), 6)];
  const wantedTasks = tasksOf(about).filter(({ words: [, second] }) => verb === undefined || second === verb);
  const wanted = commandsOfKind(commands, about).filter((command) => verb === undefined || verbOf(command) === verb);
  return [...wantedTasks.map(taskEntry), ...wanted.map(entry)].flatMap((lines, index) =>
    index === 0 ? lines : [[], ...lines],
  );
}

function overview(commands: readonly Command[]): Rich[] {
  const grouped = groups.flatMap(({ title, kinds }) => [
    [],
    rich(`${title}:`),
    ...listed(
      kinds.filter((kind) => kindsOf(commands).includes(kind)).map((kind): Line => [kind, kindSummary(commands, kind)]),
      2,
    ),
  ]);
  return [
    rich("portcullis <task> [arg...]"),
    rich("portcullis <kind> <verb> [arg...]"),
    [],
    rich("Tasks:"),
    ...listed(
      tasks.map(({ words, summary }): Line => [words.join(" "), summary]),
      2,
    ),
    ...grouped,
    [],
    rich("This client:"),
    ...listed(
      localCommands.map(({ word, summary }): Line => [word, summary]),
      2,
    ),
    [],
    rich("Examples:"),
    ...examples.slice(0, 6).flatMap(({ typed }) => typed.map((it) => rich(`  ${it}`))),
    [],
    rich(
      '"portcullis help <command> [verb]" lists fields and options. A body is options or JSON: an argument, a file or standard input.',
    ),
    rich(
      "On a terminal output is for people; piped, lists are separated by tabs and the rest is JSON; --json is always JSON.",
    ),
    rich(`GATEWAY_ADDR is the address of the gateway; default: unix:${defaultSocket} or ${defaultAddress}.`),
    rich('PORTCULLIS_KEY is an API key to send; "portcullis login" stores one.'),
  ];
}

/** `Device: list, get, create, update, delete` */
function kindSummary(commands: readonly Command[], kind: string): string {
  const verbs = [...tasksOf(kind).flatMap(({ words: [, second] }) => second ?? []), ...verbsOf(commands, kind)];
  const [, name] = /^List every (.+)$/.exec(summaryOf(commands, kind)) ?? [];
  const summary = name === undefined ? summaryOf(commands, kind) : `${name[0]!.toUpperCase()}${name.slice(1)}`;
  return `${summary}${verbs.length > 0 ? `: ${verbs.join(", ")}` : ""}`;
}

function taskEntry(task: Task): Rich[] {
  return [
    rich(taskUsage(task)),
    rich(`    ${task.summary}`),
    rich(`    ${task.description}`),
    ...listed(taskOptions(task), 6),
    rich("    Examples:"),
    ...task.examples.map((it) => rich(`      ${it}`)),
  ];
}

/** The options of a task, with their values. */
export const taskOptions = ({ options }: Task): Line[] =>
  [...options, jsonOption].map(({ name, value, meaning, repeats }) => [
    `${name}${value === undefined ? "" : ` <${value}>`}${repeats ? "..." : ""}`,
    meaning,
  ]);

function entry(command: Command): Rich[] {
  const { summary, description, cli } = command.endpoint;
  const lines = [summary, description, cli?.columns && `Piped it prints ${cli.columns.join(", ")}`];
  return [
    rich(usage(command)),
    ...lines.filter((line) => line !== undefined).map((line) => rich(`    ${line}`)),
    ...listed(
      optionFields(command).map(({ name, meaning }): Line => [name, meaning]),
      6,
    ),
  ];
}

/** The options of a command with type and description: fields of its query and of its body. */
export const optionFields = (command: Command): { readonly name: string; readonly meaning: string }[] => [
  ...optionsOf(command).map(({ name, type, description, required, place }) => ({
    name: optionName(name),
    meaning: `${typeWords(type, place)}${required && place === "body" ? ", required" : ""}${description === "" ? "" : `: ${description}`}`,
  })),
  ...commonOptionsOf(command).filter(({ name }) => name === "--follow"),
];

const typeWords = (type: string, place: string): string =>
  type === "date-time" && place === "query" ? "date-time, or a span such as 2h" : type;

export const localUsage = (word: LocalCommand): string => `portcullis ${word}${localArguments[word] ?? ""}`;

const localArguments: Partial<Record<LocalCommand, string>> = {
  setup: " [options]",
  help: " [command] [verb]",
  completion: ` ${shells.join("|")}`,
};

/** The options of a command that the client handles without the API. */
export const localOptions = (word: LocalCommand): readonly Line[] => (word === "setup" ? setupOptions : []);

export type Line = readonly [left: string, right: string];

const widestName = 26;

/** Names and their meanings; a long meaning is continued below its name. */
function listed(lines: readonly Line[], indent: number): Rich[] {
  const width = Math.min(widestName, Math.max(0, ...lines.map(([left]) => left.length))) + 2;
  const margin = " ".repeat(indent);
  return lines.map(([left, right]) => sentence`${margin}${left.padEnd(width)}${right}`);
}
