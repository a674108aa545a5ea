import { api } from "@portcullis/contract/api";
import { expect, test } from "vitest";
import { commandsOf, kindsOf, usage } from "./commands.ts";
import { help } from "./help.ts";
import { localCommands } from "./local-commands.ts";

const commands = commandsOf(api);

test("CLI help: the overview names every first word", () => {
  const listed = help(commands, undefined).matchAll(/^ {2}(\S+)/gm);
  expect([...listed].map(([, word]) => word)).toEqual([...kindsOf(commands), ...localCommands.map(({ word }) => word)]);
});

test("CLI help: a kind lists the usage of each command", () => {
  for (const command of commands) expect(help(commands, command.words[0])).toContain(`${usage(command)}\n`);
});

test("CLI help: a command with JSON lists its fields", () =>
  expect(
    help(commandsOf({ deviceGroups: { create: api.deviceGroups.create } }), "device-groups"),
  ).toMatchInlineSnapshot(`
    "portcullis device-groups create <json>
        Create a device group
          name         string (1 to 120 characters), required: Name of the device group, unique among them
          description  string (at most 4000 characters): Purpose of the group
          device_ids   list of string (1 to 120 characters) (at most 20000 items): Id or name of a device
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
