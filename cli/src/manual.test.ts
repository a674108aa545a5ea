import { spawnSync } from "node:child_process";
import { api } from "@portcullis/contract/api";
import { expect, test } from "vitest";
import { commandsOf, usage } from "./commands.ts";
import { manual } from "./manual.ts";
import { taskUsage } from "./tasks/task.ts";
import { tasks } from "./tasks/tasks.ts";

const commands = commandsOf(api);
const page = manual(commands);
const run = (program: string, ...args: string[]) => spawnSync(program, args, { input: page, encoding: "utf8" });
const has = (program: string) => run(program, "--version").error === undefined;

test("manual page: the manual has the sections of a manual, in their order", () =>
  expect([...page.matchAll(/^\.SH (.+)$/gm)].map(([, title]) => title)).toEqual([
    "NAME",
    "SYNOPSIS",
    "DESCRIPTION",
    "TASKS",
    "OPTIONS",
    "COMMANDS",
    "ENVIRONMENT",
    "EXIT STATUS",
    "EXAMPLES",
  ]));

test("manual page: every line is ASCII, and a request is one the man macros know", () => {
  for (const line of page.split("\n"))
    expect(line).toMatch(/^(\.(TH|SH|PP|TP|B|RS|RE|nf|fi|br)( |$)|[^.'])?[\x20-\x7e]*$/);
});

test.skipIf(!has("groff"))("groff sets the manual without a warning, and every command is in it", () => {
  const { stdout, stderr } = run("groff", "-man", "-Tascii", "-ww", "-P-cbou", "-rLL=200n");
  expect(stderr).toBe("");
  for (const command of commands) expect(stdout).toContain(usage(command));
  for (const task of tasks) expect(stdout).toContain(taskUsage(task));
  expect(stdout).toContain(`portcullis devices create '{"name": "printer"}'`);
});

test.skipIf(!has("man"))("man shows the manual", () => {
  const { stdout, status } = run("man", "--warnings", "-P", "cat", "-l", "-");
  expect(status).toBe(0);
  expect(stdout).toContain("GATEWAY_ADDR");
});
