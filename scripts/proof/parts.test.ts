import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { parts } from "./parts.ts";
import { coveredFiles, readTree } from "./sources.ts";

const root = resolve(import.meta.dirname, "../..");
const tree = readTree(root);
const testsOf = (tests: readonly string[]): string[] => coveredFiles(tree, { covers: [], tests });

test("proof parts: every test file belongs to exactly one part", () => {
  const all = testsOf(["**/*.test.ts"]);
  const owners = Map.groupBy(
    parts.flatMap(({ name, tests }) => testsOf(tests).map((file) => ({ file, name }))),
    ({ file }) => file,
  );
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter((file) => owners.get(file)?.length !== 1)).toEqual([]);
});

test("proof parts: a part that names test files runs all of its tests, and no file that is gone", () => {
  const named = parts.flatMap(({ name, tests, steps }) => {
    const files = steps.flatMap((step) => (step.kind === "tests" ? (step.files ?? []) : []));
    return files.length === 0 ? [] : [{ name, files: files.toSorted(), tests: testsOf(tests) }];
  });
  expect(named.map(({ name, files }) => ({ name, files }))).toEqual(
    named.map(({ name, tests }) => ({ name, files: tests })),
  );
});

test("proof parts: only tests that a script runs completely have no step", () => {
  const withoutStep = parts.filter(
    ({ tests, steps }) => tests.length > 0 && !steps.some(({ kind }) => kind === "tests"),
  );
  expect(withoutStep.map(({ name }) => name)).toEqual(["leak-matrix", "leak-layers"]);
});

test("proof parts: names differ, and every glob covers sources", () => {
  expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
  const globs = new Set(parts.flatMap(({ covers }) => covers.map((glob) => glob.replace(/^!/, ""))));
  expect([...globs].filter((glob) => coveredFiles(tree, { covers: [glob], tests: [] }).length === 0)).toEqual([]);
});

test("proof parts: every size that a test reads is set by the part that runs it", () => {
  const noSizes = ["SEED", "SHOW", "TMPDIR", "PATH", "GATEWAY_ADDR", "IMAGE"];
  const unset = parts
    .filter(({ steps }) => steps.some(({ kind }) => kind === "tests"))
    .flatMap(({ name, tests, sizes }) =>
      testsOf(tests)
        .flatMap((file) => [...readFileSync(resolve(root, file), "utf8").matchAll(/process\.env\["(\w+)"\]/g)])
        .map(([, variable]) => variable!)
        .filter((variable) => !noSizes.includes(variable) && !(variable in sizes))
        .map((variable) => `${name}: ${variable}`),
    );
  expect(unset).toEqual([]);
});
