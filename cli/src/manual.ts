import { version } from "@portcullis/contract/version";
import { type Command, usage } from "./commands.ts";
import { localOptions, localUsage, optionFields, taskOptions } from "./help.ts";
import { localCommands } from "./local-commands.ts";
import { commonOptions } from "./options.ts";
import { type Task, taskUsage } from "./tasks/task.ts";
import { tasks } from "./tasks/tasks.ts";
import { usageDescription, environment, examples, exitStatuses } from "./usage.ts";

/** portcullis(1), in the man macros of roff. */
export const manual = (commands: readonly Command[]): string =>
  [
    `.TH PORTCULLIS 1 "" "Portcullis ${text(version)}" "User Commands"`,
    ...section("NAME", ["portcullis \\- command line of the Portcullis network privacy gateway"]),
    ...section("SYNOPSIS", [
      "\\fBportcullis\\fR \\fItask\\fR [\\fIarg\\fR ...]",
      ".br",
      "\\fBportcullis\\fR \\fIkind\\fR [\\fIverb\\fR] [\\fIarg\\fR ...]",
    ]),
    ...section("DESCRIPTION", usageDescription.flatMap(paragraph)),
    ...section("TASKS", tasks.flatMap(taskEntry)),
    ...section(
      "OPTIONS",
      commonOptions.flatMap(({ name, meaning }) => entry(name, `${meaning}.`)),
    ),
    ...section("COMMANDS", [...commands.flatMap(commandEntry), ...localCommands.flatMap(ownEntry)]),
    ...section(
      "ENVIRONMENT",
      environment.flatMap(({ name, meaning }) => entry(name, meaning)),
    ),
    ...section(
      "EXIT STATUS",
      exitStatuses.flatMap(({ status, meaning }) => entry(String(status), meaning)),
    ),
    ...section("EXAMPLES", examples.flatMap(example)),
  ].join("\n") + "\n";

const section = (title: string, body: readonly string[]): string[] => [`.SH ${title}`, ...body];

const paragraph = (sentences: string): string[] => [".PP", text(sentences)];

const entry = (term: string, meaning: string): string[] => [".TP", `.B ${text(term)}`, text(meaning)];

function commandEntry(command: Command): string[] {
  const { summary, description } = command.endpoint;
  const fields = optionFields(command).flatMap(({ name, meaning }) => entry(name, meaning));
  return [
    ...entry(usage(command), description === undefined ? `${summary}.` : `${summary}. ${description}`),
    ...(fields.length > 0 ? [".RS", ...fields, ".RE"] : []),
  ];
}

function taskEntry(task: Task): string[] {
  return [
    ...entry(taskUsage(task), `${task.summary}. ${task.description}`),
    ".RS",
    ...taskOptions(task).flatMap(([name, meaning]) => entry(name, meaning)),
    ".PP",
    "Examples:",
    ".RS",
    ".nf",
    ...task.examples.map(text),
    ".fi",
    ".RE",
    ".RE",
  ];
}

function ownEntry({ word, summary }: (typeof localCommands)[number]): string[] {
  const options = localOptions(word).flatMap(([name, meaning]) => entry(name, meaning));
  return [...entry(localUsage(word), `${summary}.`), ...(options.length > 0 ? [".RS", ...options, ".RE"] : [])];
}

const example = ({ meaning, typed }: (typeof examples)[number]): string[] => [
  ...paragraph(`${meaning}:`),
  ".PP",
  ".RS",
  ".nf",
  ...typed.map(text),
  ".fi",
  ".RE",
];

/**
 * Escapes plain text for roff, which interprets backslashes, hyphens, and a leading dot or apostrophe. Non-ASCII
 * characters are written as escapes, so that the page does not depend on an encoding.
 */
const text = (plain: string): string =>
  plain
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll("'", "\\(aq")
    .replaceAll("`", "\\(ga")
    .replace(/^\./, "\\&.")
    .replace(
      /[^\x20-\x7e]/gu,
      (character) => `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
    );
