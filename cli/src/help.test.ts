import { api } from "@portcullis/contract/api";
import { expect, test } from "vitest";
import { commandsOf, kindsOf, usage } from "./commands.ts";
import { help } from "./help.ts";
import { localCommands } from "./local-commands.ts";
import { tasks } from "./tasks/tasks.ts";

const commands = commandsOf(api);

test("CLI help: the overview names every first word once, tasks first, in lines of 80 columns", () => {
  const overview = help(commands, undefined);
  const listed = [...overview.split("Examples:")[0]!.matchAll(/^ {2}(\S+)/gm)].map(([, word]) => word!);
  const taskWords = tasks.map(({ words: [word] }) => word);
  const known = [...kindsOf(commands), ...localCommands.map(({ word }) => word)];
  expect(listed.slice(0, tasks.length)).toEqual(taskWords);
  expect(listed.slice(tasks.length).toSorted()).toEqual(known.toSorted());
  for (const line of overview.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

test("CLI help: a task has its options and examples", () => {
  const said = help(commands, "protect");
  expect(said).toContain("portcullis protect <device> --via <tunnel>... [options]\n");
  expect(said).toMatch(/^ {6}--fail-open {2,}While/m);
  expect(said).toContain(tasks[0]!.examples[0]!);
  expect(help(commands, "tunnels", "import")).toContain("--password-file <file>");
  expect(help(commands, "tunnels", "import")).not.toContain("tunnels up");
});

test("CLI help: a kind lists the usage of each command", () => {
  for (const command of commands) expect(help(commands, command.words[0], undefined, 200)).toContain(usage(command));
});

test("CLI help: a command with JSON lists its fields", () =>
  expect(
    help(commandsOf({ deviceGroups: { create: api.deviceGroups.create } }), "device-groups"),
  ).toMatchInlineSnapshot(`
    "portcullis device-groups create <json|options>
        Create a device group
          --name         string (1 to 120 characters), required: Name of the device
                         group, unique among them
          --description  string (at most 4000 characters): Purpose of the group
          --device-ids   list of string (1 to 120 characters) (at most 20000 items):
                         Id or name of a device
    "
  `));

test("CLI help: help about a verb is about that one, with its options", () => {
  const said = help(commands, "audit", "list");
  expect(said).toContain("portcullis audit [list] [options]\n");
  expect(said).toMatch(/^ {6}--resource-type {2,}string/m);
  expect(said).not.toContain("--cursor");
  expect(help(commands, "devices", "create")).not.toContain("portcullis devices delete");
});

test("CLI help: the client's own words have help too", () =>
  expect(help(commands, "completion")).toBe(
    "portcullis completion bash|zsh|fish\n    Completion script for a shell\n",
  ));
