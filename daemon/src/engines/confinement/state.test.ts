import { expect, test } from "vitest";
import type { Kept } from "../supervisor/supervisor.model.ts";
import { driftOfChildren, programState } from "./state.model.ts";

const kept = (condition: Kept["condition"]): Kept => ({
  name: "redsocks.12345",
  digest: "d",
  condition,
  deaths: 2,
  reason: "bind: address in use",
});

test("a program is starting, runs, or is broken with a sentence", () => {
  expect(programState("nl", undefined, undefined)).toEqual({ name: "nl", kind: "starting", problem: "" });
  expect(programState("nl", undefined, kept({ kind: "running", processId: 7 }))).toEqual({
    name: "nl",
    kind: "running",
    problem: "",
  });
  for (const condition of [{ kind: "due" }, { kind: "resting", untilMs: 1 }] as const)
    expect(programState("nl", undefined, kept(condition))).toMatchObject({
      kind: "broken",
      problem: "bind: address in use",
    });
  expect(programState("nl", "It cannot.", kept({ kind: "running", processId: 7 }))).toMatchObject({
    kind: "broken",
    problem: "It cannot.",
  });
});

test("drift names the program, and never what it was told", () => {
  const child = { name: "redsocks.1", command: "c", args: [], stdin: "password" };
  const drift = driftOfChildren([
    { kind: "start", child, digest: "d" },
    { kind: "end", name: "redsocks.2" },
  ]);
  expect(drift).toEqual([
    { resource: "redsocks.1", field: "process", expected: "running", actual: null },
    { resource: "redsocks.2", field: "process", expected: null, actual: "running" },
  ]);
});
