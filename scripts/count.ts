import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Report {
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly testResults?: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/**
 * `count.ts FAILED_STEPS FOLDER`: adds up what the suites reported, and names once more what failed: where it did, hours of
 * lines may have passed since. A step that failed without a failed test counts as one.
 */
const [failedSteps = "0", folder = "."] = process.argv.slice(2);
const suites = ["unit", "api", "crash", "lab", "e2e"].map((name) => {
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) return { passed: 0, failed: 1, named: [`${name}: no report`] };
  const report = JSON.parse(readFileSync(file, "utf8")) as Report;
  return {
    passed: report.numPassedTests ?? 0,
    failed: report.numFailedTests ?? 0,
    named: failuresOf(report).map((failure) => `${name}: ${failure}`),
  };
});

function failuresOf({ testResults = [] }: Report): string[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages = [] }) => `${fullName}${failureMessages.map(reason).join("")}`);
    // A file that could not even be loaded has no test to blame.
    return (failed.length > 0 ? failed : message ? [message] : []).map((it) => `${name.split("/").at(-1)}: ${it}`);
  });
}

/** What was wrong, and the first place of ours it came from. */
function reason(message: string): string {
  const [said = "", ...places] = message.split(/\n\s+at /);
  const place = places
    .find((it) => !it.includes("node_modules"))
    ?.split("/")
    .at(-1)
    ?.replace(/\)$/, "");
  const lines = said.split("\n").slice(0, 12);
  return [...lines, ...(place ? [place] : [])].map((line) => `\n  | ${line.slice(0, 300)}`).join("");
}

const passed = suites.reduce((sum, suite) => sum + suite.passed, 0);
const failed = Math.max(
  Number(failedSteps),
  suites.reduce((sum, suite) => sum + suite.failed, 0),
);
for (const failure of suites.flatMap(({ named }) => named)) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
