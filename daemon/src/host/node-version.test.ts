import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const run = (...flags: string[]) =>
  spawnSync(process.execPath, [...flags, "daemon/src/main.ts", "--version"], { encoding: "utf8" });

test("node version: a Node without the modules the daemon needs is reported in one sentence", () => {
  const { status, stderr, stdout } = run("--no-experimental-sqlite");
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^portcullisd needs Node 26 .* is Node \d+\.\d+\.\d+; run it with .*\n$/);
  expect(run()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) });
});
