import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { plantedLeaks } from "./leaks.ts";

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, "../..", file), "utf8");

test("planted leaks: at least eight, each with exactly one match in its file", () => {
  expect(plantedLeaks.length).toBeGreaterThanOrEqual(8);
  expect(plantedLeaks.filter(({ file, find }) => read(file).split(find).length !== 2)).toEqual([]);
});

test("planted leaks: each is to be detected by a test that exists", () => {
  expect(
    plantedLeaks.filter(({ test: file, title, after = [] }) =>
      [title, ...after].some((it) => !read(file).includes(it)),
    ),
  ).toEqual([]);
});
