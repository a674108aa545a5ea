import { expect, test } from "vitest";
import type { Report } from "../gate/report.ts";
import { conclude, noFindings, type StepOutcome } from "./verdict.ts";

const fine: Report = { passed: 3, broken: [], late: [], files: [{ name: "a.test.ts", seconds: 1 }] };
const failure = {
  file: "a.test.ts",
  test: "it holds",
  message: "AssertionError: expected 1 to be 0\n    at a.test.ts:3",
};
const miss = {
  file: "a.test.ts",
  test: "in time",
  message: "DeadlineMissed: Deadline missed: it took 3 s, allowed 2 s × 1.0",
};
const step = (more: Partial<StepOutcome> = {}): StepOutcome => ({
  command: "tests",
  exitCode: 0,
  output: "",
  report: fine,
  expectedFiles: ["a.test.ts"],
  ...more,
});
const script: StepOutcome = { command: "scripts/x.ts", exitCode: 0, output: "" };
const verdict = (outcome: StepOutcome, found = {}) => conclude([outcome], { ...noFindings, ...found }).verdict;

test("verdict: a part whose tests all passed is held", () => {
  expect(conclude([step(), script], { ...noFindings, passed: 2 })).toEqual({
    verdict: "held",
    tests: { passed: 5, failed: 0 },
    broken: [],
    missedDeadlines: [],
    missedTargets: [],
    figures: [],
  });
});

test("verdict: a broken invariant wins over missed deadlines, these over missed targets", () => {
  const late = { name: "detection", value: 3, unit: "s", most: 2 };
  const report = { ...fine, late: [miss] };
  expect(verdict(step(), { figures: [late] })).toBe("targets-missed");
  expect(verdict(step({ exitCode: 1, report }), { figures: [late] })).toBe("deadlines-missed");
  expect(verdict(step({ exitCode: 1, report: { ...report, broken: [failure] } }), { figures: [late] })).toBe("broken");
});

test("verdict: a failure is named with the first line of its message", () => {
  const concluded = conclude([step({ exitCode: 1, report: { ...fine, broken: [failure], late: [miss] } })], noFindings);
  expect(concluded).toMatchObject({
    tests: { passed: 3, failed: 2 },
    broken: ["a.test.ts: it holds: AssertionError: expected 1 to be 0"],
    missedDeadlines: ["a.test.ts: in time: Deadline missed: it took 3 s, allowed 2 s × 1.0"],
  });
});

test.each([
  ["an exit code that no failure explains", step({ exitCode: 1 })],
  ["a signal", step({ exitCode: null, report: { ...fine, late: [miss] } })],
  ["a script that failed", { ...script, exitCode: 1 }],
  ["a file that did not run", step({ expectedFiles: ["a.test.ts", "b.test.ts"] })],
  [
    "an error outside of the tests, beside a missed deadline",
    step({ exitCode: 1, output: "Vitest caught 1 unhandled error during", report: { ...fine, late: [miss] } }),
  ],
])("%s breaks a part", (_, outcome) => expect(verdict(outcome)).toBe("broken"));

test("verdict: a script that reports late results only has missed a deadline", () => {
  expect(verdict({ ...script, exitCode: 1 }, { late: ["it took 901 s, of 900"] })).toBe("deadlines-missed");
  expect(verdict({ ...script, exitCode: 1 }, { late: ["it took 901 s, of 900"], broken: ["a leak"] })).toBe("broken");
});

test("verdict: of very many failures the first ones are kept, and their number", () => {
  const broken = Array.from({ length: 40 }, (_, index) => `failure ${index}`);
  const concluded = conclude([script], { ...noFindings, broken });
  expect(concluded.tests.failed).toBe(40);
  expect(concluded.broken).toHaveLength(31);
  expect(concluded.broken.at(-1)).toBe("and 10 more");
});
