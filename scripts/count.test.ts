import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../testing/folder.ts";

const suites = ["unit", "api", "crash", "lab", "e2e"] as const;
type Reports = Partial<Record<(typeof suites)[number], object>>;

const fine = { numPassedTests: 2, numFailedTests: 0, testResults: [] };

function counted(failedSteps: number, reports: Reports) {
  using folder = temporaryFolder();
  for (const [name, report] of Object.entries(reports))
    writeFileSync(join(folder.path, `${name}.json`), JSON.stringify(report));
  const { stdout, status } = spawnSync(process.execPath, ["scripts/count.ts", String(failedSteps), folder.path], {
    encoding: "utf8",
  });
  return { lines: stdout.trim().split("\n"), status };
}

const allFine: Reports = Object.fromEntries(suites.map((name) => [name, fine]));

test("what passed is added up, and the last line is the only one", () =>
  expect(counted(0, allFine)).toEqual({ lines: ["10 passed, 0 failed"], status: 0 }));

test("a test that failed is named with what it said, and so are a file that could not be loaded and a suite without a report", () => {
  const said =
    "Error: After 15 s still not: it is back\n    at until (/a/lab/hopping.ts:292:52)\n    at /b/node_modules/x.js:1";
  const lab = {
    numPassedTests: 1,
    numFailedTests: 1,
    testResults: [
      {
        name: "/somewhere/chains.lab.test.ts",
        message: "",
        assertionResults: [
          { fullName: "hop 0", status: "passed" },
          { fullName: "hop 1", status: "failed", failureMessages: [said] },
        ],
      },
      { name: "/somewhere/broken.lab.test.ts", message: "Cannot load it", assertionResults: [] },
    ],
  };
  const { e2e: _, ...others } = allFine;
  expect(counted(1, { ...others, lab })).toEqual({
    lines: [
      "failed: lab: chains.lab.test.ts: hop 1",
      "  | Error: After 15 s still not: it is back",
      "  | hopping.ts:292:52",
      "failed: lab: broken.lab.test.ts: Cannot load it",
      "failed: e2e: no report",
      "7 passed, 2 failed",
    ],
    status: 1,
  });
});

test("a step that failed without a failed test counts", () =>
  expect(counted(2, allFine)).toEqual({ lines: ["10 passed, 2 failed"], status: 1 }));
