import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { api } from "@portcullis/contract/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Command, commandsOf, kindsOf, verbsOf } from "../commands.ts";
import { localCommands, shells } from "../local-commands.ts";
import { completion } from "./completion.ts";

const commands = commandsOf(api);
const has = (shell: string) => spawnSync(shell, ["--version"]).error === undefined;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "portcullis-completion-"));
  writeFileSync(join(folder, "my device.json"), "{}");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash offers after these words, the last of which is being typed. */
const offered = (...words: string[]): string[] => offeredBy(commands, words);

function offeredBy(known: readonly Command[], words: readonly string[]): string[] {
  const ask = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _portcullis; printf "%s\\n" "${COMPREPLY[@]}"';
  const script = `set -u\n${completion("bash", known)}${ask}`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", "portcullis", ...words], {
    cwd: folder,
    encoding: "utf8",
  });
  if (stderr !== "") throw new Error(stderr);
  return stdout.split("\n").filter(Boolean);
}

const taskWords = ["protect", "why", "resume", "block", "unblock"];

test("shell completion: bash offers every task and kind", () =>
  expect(offered("")).toEqual([...taskWords, ...kindsOf(commands), ...localCommands.map(({ word }) => word)]));

test("shell completion: bash offers the kinds that begin as typed", () =>
  expect(offered("dev")).toEqual(["device-groups", "devices"]));

test("shell completion: bash offers the verbs of a kind", () => {
  expect(offered("devices", "")).toEqual(verbsOf(commands, "devices"));
  expect(offered("tunnels", "i")).toEqual(["import"]);
  expect(offered("devices", "de")).toEqual(["delete"]);
  expect(offered("status", "")).toEqual([]);
});

test("shell completion: bash offers kinds to help and shells to completion", () => {
  expect(offered("help", "")).toEqual([...taskWords, ...kindsOf(commands)]);
  expect(offered("completion", "")).toEqual(["bash", "zsh", "fish"]);
});

test("shell completion: bash offers the options of a command, and of no other one", () => {
  expect(offered("protect", "TV", "--fail")).toEqual(["--fail-closed", "--fail-over", "--fail-open"]);
  expect(offered("devices", "create", "--ma")).toEqual(["--mac"]);
  expect(offered("audit", "--act")).toEqual(["--actor", "--action"]);
  expect(offered("pause", "10m", "--fo")).toEqual(["--for"]);
  expect(offered("devices", "delete", "--ma")).toEqual([]);
});

test("shell completion: bash offers files where JSON is taken, and only there", () => {
  expect(offered("devices", "create", "")).toEqual(["my device.json"]);
  expect(offered("devices", "update", "7", "my")).toEqual(["my device.json"]);
  expect(offered("devices", "update", "")).toEqual([]);
  expect(offered("devices", "get", "")).toEqual([]);
});

const sample = commandsOf({
  changes: { show: api.changes.show, confirm: { ...api.changes.confirm, summary: "Keep what's pending" } },
  devices: { update: api.devices.update },
  routing: { apply: { ...api.devices.create, cli: { words: ["apply"] } } },
});

test("shell completion: bash offers files to a command of one word that takes JSON", () => {
  expect(offeredBy(sample, ["apply", ""])).toEqual(["my device.json"]);
  expect(offeredBy(sample, ["changes", ""])).toEqual(["confirm"]);
});

test.each(["zsh", "fish"] as const)("shell completion: the script for %s has every word in its place", async (shell) =>
  expect(completion(shell, sample)).toMatchFileSnapshot(`golden/sample.${shell}`),
);

for (const shell of shells)
  test.skipIf(!has(shell))(`${shell} finds no mistake in its script`, () => {
    const script = join(folder, "completion");
    writeFileSync(script, completion(shell, commands));
    expect(spawnSync(shell, ["-n", script], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    writeFileSync(script, "if ((");
    expect(spawnSync(shell, ["-n", script], { encoding: "utf8" }).status).not.toBe(0);
  });
