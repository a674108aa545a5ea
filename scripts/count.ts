import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** `count.ts FAILED_STEPS FOLDER`: adds up what the suites reported. A step that failed without a failed test counts as one. */
const [failedSteps = "0", folder = "."] = process.argv.slice(2);
const suites = ["unit", "api", "crash", "lab", "e2e"].map((name) => {
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, "utf8")) as Record<string, number>;
  return { passed: numPassedTests ?? 0, failed: numFailedTests ?? 0 };
});
const passed = suites.reduce((sum, suite) => sum + suite.passed, 0);
const failed = Math.max(
  Number(failedSteps),
  suites.reduce((sum, suite) => sum + suite.failed, 0),
);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
