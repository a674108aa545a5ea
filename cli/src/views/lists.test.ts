import { api } from "@portcullis/contract/api";
import { expect, test } from "vitest";
import { commandsOf } from "../commands.ts";
import type { JsonSchema } from "../fields.ts";
import { columnsOf, commandsWithColumns } from "./lists.ts";
import { views } from "./views.ts";

const commands = commandsOf(api);
const typed = commands.map(({ words }) => words.join(" "));

test.each(commands.filter(({ endpoint }) => endpoint.cli?.columns))(
  "lists: the columns of $words on a terminal are fields of what is listed, and id is none of them where there is a name",
  (command) => {
    const { items } = command.endpoint.result as JsonSchema;
    const columns = columnsOf(command);
    expect(Object.keys(items?.properties ?? {})).toEqual(expect.arrayContaining([...columns]));
    expect(columns.filter((it) => ["id", "name"].includes(it)).length).toBeLessThanOrEqual(1);
  },
);

test("lists and views: what a terminal shows in its own form is a command", () => {
  expect(typed).toEqual(expect.arrayContaining([...commandsWithColumns, ...Object.keys(views)]));
});
