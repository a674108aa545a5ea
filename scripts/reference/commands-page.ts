import { type Api, type Endpoint, operations } from "@portcullis/contract/endpoint";
import { type Command, commandsOfKind, kindsOf, usage } from "../../cli/src/commands.ts";
import { localUsage, taskOptions } from "../../cli/src/help.ts";
import { localCommands } from "../../cli/src/local-commands.ts";
import { commonOptions } from "../../cli/src/options.ts";
import { taskUsage } from "../../cli/src/tasks/task.ts";
import { tasks } from "../../cli/src/tasks/tasks.ts";
import { usageDescription, environment, examples, exitStatuses } from "../../cli/src/usage.ts";
import { anchor, blocks, code, fenced, generated, link, table } from "./markdown.ts";
import { lineOf, subsystemPath } from "./subsystem-page.ts";

/** cli.md: what can be typed, and which endpoint each command calls. */
export const commandsPage = (api: Api, commands: readonly Command[]): string =>
  blocks(
    generated,
    "# Command line",
    fenced("sh", "portcullis <task> [arg...]\nportcullis <kind> <verb> [arg...]"),
    ...usageDescription,
    "## Environment",
    table(
      ["Variable", "Meaning"],
      environment.map(({ name, meaning }) => [code(name), meaning]),
    ),
    "## Exit status",
    table(
      ["Status", "Meaning"],
      exitStatuses.map(({ status, meaning }) => [String(status), meaning]),
    ),
    "## Examples",
    ...examples.flatMap(({ meaning, typed }) => [`${meaning}:`, fenced("sh", typed.join("\n"))]),
    "## Tasks",
    ...tasks.flatMap((task) => [
      `### ${task.words.join(" ")}`,
      fenced("sh", taskUsage(task)),
      `${task.summary}. ${task.description}`,
      table(
        ["Option", "Effect"],
        taskOptions(task).map(([name, meaning]) => [code(name), meaning]),
      ),
      fenced("sh", task.examples.join("\n")),
    ]),
    "## Options of all commands",
    table(
      ["Option", "Effect"],
      commonOptions.map(({ name, meaning }) => [code(name), meaning]),
    ),
    "## Commands of the client itself",
    table(
      ["Command", "Effect"],
      localCommands.map(({ word, summary }) => [code(localUsage(word)), summary]),
    ),
    "## Commands to the gateway",
    ...kindsOf(commands).flatMap((kind) => [
      `### ${kind === "pause" ? "pause, by verb" : kind}`,
      kindTable(api, commandsOfKind(commands, kind)),
    ]),
  );

const kindTable = (api: Api, commands: readonly Command[]): string | undefined =>
  table(
    ["Command", "Effect", "Prints", "Calls"],
    commands.map((command) => [
      code(usage(command)),
      command.endpoint.summary,
      printed(command),
      endpointLink(api, command.endpoint),
    ]),
  );

const printed = ({ endpoint: { cli } }: Command): string =>
  [
    cli?.columns ? `Table of ${cli.columns.map(code).join(", ")}` : "JSON",
    ...Object.entries(cli?.joins ?? {}).map(([field, path]) => `${code(field)} from ${code(path)}`),
  ].join(", with ");

function endpointLink(api: Api, endpoint: Endpoint): string {
  const { subsystem } = operations(api).find((it) => it.endpoint === endpoint)!;
  return link(lineOf(endpoint), `${subsystemPath(subsystem)}${anchor(lineOf(endpoint))}`);
}
