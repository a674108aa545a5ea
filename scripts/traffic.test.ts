import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Lines that permit traffic, or exclude a situation: there is nothing to test. */
const permits = ["T-boot-5", "T-wiped-4"];

const read = (file: string): string => readFileSync(file, "utf8");
const linesOf = (text: string): string[] => [...new Set(text.match(/T-[a-z]+-\d+/g))].toSorted();

test("traffic contract: every line is cited by a test, and every cited line exists", () => {
  const promised = linesOf([...read("docs/traffic.md").matchAll(/^\| (T-\S+) \|/gm)].map(([, line]) => line).join(" "));
  const tests = globSync(["lab/**/*.ts", "vm/**/*.ts", "daemon/src/**/*.test.ts"]);
  const cited = linesOf(tests.map(read).join("\n"));
  expect(promised.length).toBeGreaterThan(40);
  expect(promised.filter((line) => !cited.includes(line))).toEqual(permits);
  expect(cited.filter((line) => !promised.includes(line))).toEqual([]);
});
