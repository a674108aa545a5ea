import { readFileSync } from "node:fs";
import { deadlineMissed } from "../../testing/deadline.ts";

/** What a run of the test runner found, with missed deadlines kept apart from broken invariants. */
export interface Report {
  readonly passed: number;
  readonly broken: readonly Failure[];
  /** Tests that failed with nothing but missed deadlines. */
  readonly late: readonly Failure[];
  readonly files: readonly TimedFile[];
}

export interface Failure {
  readonly file: string;
  readonly test: string;
  readonly message: string;
}

export interface TimedFile {
  readonly name: string;
  readonly seconds: number;
}

/** Reads a report of the runner's `json` reporter. A report that is missing or empty is a broken invariant itself. */
export function readReport(path: string): Report {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return brokenRun("the test runner left no report");
  }
  return interpret(JSON.parse(text) as RunnerReport);
}

export function interpret(report: RunnerReport): Report {
  const failures = report.testResults.flatMap(failuresOf);
  const passed = report.numPassedTests;
  if (passed === 0 && failures.length === 0) return brokenRun("no test ran");
  return {
    passed,
    broken: failures.filter(({ isLate }) => !isLate).map(({ failure }) => failure),
    late: failures.filter(({ isLate }) => isLate).map(({ failure }) => failure),
    files: report.testResults.map(({ name, startTime, endTime }) => ({
      name: relative(name),
      seconds: (endTime - startTime) / 1000,
    })),
  };
}

/** The fields of the runner's report that count here. */
export interface RunnerReport {
  readonly numPassedTests: number;
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  readonly name: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly status: string;
  readonly message?: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages?: readonly string[] | null;
  }[];
}

function failuresOf({ name, status, message, assertionResults }: FileResult) {
  const file = relative(name);
  const failed = assertionResults
    .filter((it) => it.status === "failed")
    .map(({ fullName, failureMessages }) => {
      const messages = failureMessages ?? [];
      const isLate = messages.length > 0 && messages.every((it) => deadlineMissed.test(it));
      // A later attempt may have broken an invariant: that is what must be read.
      const decisive = messages.find((it) => !deadlineMissed.test(it)) ?? messages.at(-1) ?? "no message";
      return { failure: { file, test: fullName, message: decisive }, isLate };
    });
  // A file that could not be loaded, or whose set-up failed, has no failed test.
  if (failed.length === 0 && status === "failed")
    return [
      { failure: { file, test: "the whole file", message: message || "failed without a message" }, isLate: false },
    ];
  return failed;
}

const brokenRun = (message: string): Report => ({
  passed: 0,
  broken: [{ file: "the test run", test: "as a whole", message }],
  late: [],
  files: [],
});

const root = new URL("../../", import.meta.url).pathname;
const relative = (path: string): string => (path.startsWith(root) ? path.slice(root.length) : path);
