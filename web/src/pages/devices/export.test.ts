import { expect, test } from "vitest";
import { csvOf } from "./export.ts";

test("export: cells with commas, quotes and lines are quoted, and no cell is a formula", () => {
  const rows = [
    ["name", "today"],
    ['Ben, "the" phone', 12],
    ["=1+1", null],
    ["two\nlines", -3],
  ];
  expect(csvOf(rows)).toBe('name,today\r\n"Ben, ""the"" phone",12\r\n\'=1+1,\r\n"two\nlines",-3\r\n');
});
