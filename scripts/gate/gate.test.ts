import { expect, test } from "vitest";
import { DeadlineMissed } from "../../testing/deadline.ts";
import { interpret, readReport, type RunnerReport } from "./report.ts";
import { budgetSec, exitCodeOf, limitSec, type StepResult, summaryOf } from "./verdict.ts";

const late = new DeadlineMissed(["detection took 9.00 s, allowed 2 s × 1.0"]).stack!;
const leak =
  "AssertionError: expected [ { from: '192.0.2.1' } ] to deeply equal []\n    at /a/lab/leaks.lab.test.ts:9:1";

function reportWith(...failureMessages: readonly string[]): RunnerReport {
  const failed = { fullName: "a promise", status: "failed", failureMessages };
  const passed = { fullName: "another", status: "passed", failureMessages: [] };
  const assertionResults = failureMessages.length > 0 ? [passed, failed] : [passed];
  const status = failureMessages.length > 0 ? "failed" : "passed";
  return {
    numPassedTests: 1,
    testResults: [{ name: "/a/x.test.ts", startTime: 0, endTime: 2500, status, assertionResults }],
  };
}

function stepOf(report: RunnerReport, exitCode: number): StepResult {
  return { name: "lab", seconds: 3, exitCode, slowness: 1, report: interpret(report), tail: [] };
}

const gateOf = (...steps: readonly StepResult[]) => ({ steps, totalSec: 100, othersShare: 0 });

test("gate: tests that pass are counted, and the last line is the count", () => {
  const gate = gateOf(stepOf(reportWith(), 0), stepOf(reportWith(), 0));
  expect(exitCodeOf(gate)).toBe(0);
  expect(summaryOf(gate).at(-1)).toBe("2 passed, 0 failed");
});

test("gate: a test that misses only deadlines, in every attempt, is a warning", () => {
  const gate = gateOf(stepOf(reportWith(late, late, late), 1));
  expect(exitCodeOf(gate)).toBe(0);
  expect(summaryOf(gate)).toContain("warning, a deadline was missed: /a/x.test.ts: a promise");
  expect(summaryOf(gate).at(-1)).toBe("1 passed, 0 failed");
});

test("gate: a broken invariant fails the gate, alone and next to missed deadlines, and is what the summary shows", () => {
  for (const messages of [[leak], [late, leak], [leak, late]]) {
    const gate = gateOf(stepOf(reportWith(...messages), 1));
    expect(exitCodeOf(gate)).toBe(1);
    expect(summaryOf(gate)).toContain("failed: lab: /a/x.test.ts: a promise");
    expect(summaryOf(gate)).toContain("  | leaks.lab.test.ts:9:1");
    expect(summaryOf(gate).at(-1)).toBe("1 passed, 1 failed");
  }
});

test("gate: a failure without a message fails the gate", () => {
  const report = reportWith(late);
  const [file] = report.testResults;
  const silent = { ...file!, assertionResults: [{ fullName: "a promise", status: "failed", failureMessages: null }] };
  expect(exitCodeOf(gateOf(stepOf({ ...report, testResults: [silent] }, 1)))).toBe(1);
});

test("gate: a file that cannot be loaded fails the gate, also where all tests of other files pass", () => {
  const [file] = reportWith().testResults;
  const broken = { ...file!, status: "failed", message: "Cannot find module", assertionResults: [] };
  const gate = gateOf(stepOf({ numPassedTests: 1, testResults: [file!, broken] }, 1));
  expect(exitCodeOf(gate)).toBe(1);
  expect(summaryOf(gate)).toContain("  | Cannot find module");
});

test("gate: a missing report, a report without tests, and a runner that fails without a failed test fail the gate", () => {
  const missing = { ...stepOf(reportWith(), 0), report: readReport("/missing/report.json") };
  expect(exitCodeOf(gateOf(missing))).toBe(1);
  expect(exitCodeOf(gateOf(stepOf({ numPassedTests: 0, testResults: [] }, 0)))).toBe(1);
  expect(exitCodeOf(gateOf(stepOf(reportWith(), 1)))).toBe(1);
});

test("gate: an error outside of the tests fails the gate, also next to a missed deadline", () => {
  const step = stepOf(reportWith(late), 1);
  expect(exitCodeOf(gateOf(step))).toBe(0);
  expect(exitCodeOf(gateOf({ ...step, hasUnhandledError: true }))).toBe(1);
});

test("gate: a step without tests is judged by its exit code, and its last lines are shown", () => {
  const step = { name: "check", seconds: 3, slowness: 1, tail: ["unused export"] };
  expect(exitCodeOf(gateOf({ ...step, exitCode: 0 }))).toBe(0);
  const gate = gateOf({ ...step, exitCode: 1 });
  expect(exitCodeOf(gate)).toBe(1);
  expect(summaryOf(gate).slice(-3)).toEqual(["failed step: check", "  | unused export", "0 passed, 1 failed"]);
});

test("gate: a gate over its budget warns on an idle machine, over its limit it fails, and only there", () => {
  const [idle, busy] = [stepOf(reportWith(), 0), { ...stepOf(reportWith(), 0), slowness: 3 }];
  const totalSec = limitSec + 1;
  expect(exitCodeOf({ steps: [idle], totalSec, othersShare: 0 })).toBe(1);
  const late = { steps: [idle], totalSec: budgetSec + 1, othersShare: 0 };
  expect([exitCodeOf(late), summaryOf(late)]).toEqual([
    0,
    expect.arrayContaining(["warning: the gate took 901 s on an idle machine"]),
  ]);
  const early = summaryOf({ ...late, totalSec: budgetSec });
  expect(early.filter((line) => line.includes("took"))).toEqual([]);
  expect(exitCodeOf({ steps: [idle, busy], totalSec, othersShare: 0 })).toBe(0);
  expect(exitCodeOf({ steps: [idle], totalSec, othersShare: 0.4 })).toBe(0);
});
