import { reported } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import type { ProcessState } from "../supervisor/supervisor.model.ts";
import { driftOfProcesses, programState } from "./program-state.model.ts";

const kept = (condition: ProcessState["condition"]): ProcessState => ({
  name: "redsocks.12345",
  digest: "d",
  condition,
  crashes: 2,
  reason: reported("bind: address in use"),
});

test("a program is starting, runs, or is broken with a reason", () => {
  expect(programState("nl", undefined, undefined)).toEqual({ name: "nl", kind: "starting", problem: null });
  expect(programState("nl", undefined, kept({ kind: "running", processId: 7 }))).toEqual({
    name: "nl",
    kind: "running",
    problem: null,
  });
  for (const condition of [{ kind: "restartable" }, { kind: "backoff", untilMs: 1 }] as const)
    expect(programState("nl", undefined, kept(condition))).toMatchObject({
      kind: "broken",
      problem: reported("bind: address in use"),
    });
  expect(programState("nl", reported("It cannot"), kept({ kind: "running", processId: 7 }))).toMatchObject({
    kind: "broken",
    problem: reported("It cannot"),
  });
});

test("program state: drift names the program, and never its input", () => {
  const spec = { name: "redsocks.1", command: "c", args: [], stdin: "password" };
  const drift = driftOfProcesses([
    { kind: "start", spec, digest: "d" },
    { kind: "end", name: "redsocks.2" },
  ]);
  expect(drift).toEqual([
    { resource: "redsocks.1", field: "process", expected: "running", actual: null },
    { resource: "redsocks.2", field: "process", expected: null, actual: "running" },
  ]);
});
