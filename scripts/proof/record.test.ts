import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { parts } from "./parts.ts";
import { formatted, isStale, type ProofRecord, readRecords, writeRecord } from "./record.ts";

const long = "a name so long that not many of its kind are on a line";
const sample: ProofRecord = {
  part: "bench-start",
  verdict: "targets-missed",
  commit: "0123456789abcdef0123456789abcdef01234567",
  dirty: true,
  digest: "d1",
  date: "2026-01-02T03:04Z",
  load: { start: 0.5, end: 1.25 },
  slowness: 1,
  seed: 7,
  sizes: { ROUNDS: 100 },
  seconds: 61,
  tests: { passed: 3, failed: 0 },
  broken: [],
  missedDeadlines: [],
  missedTargets: [long, `${long} |`, `${long} "`],
  figures: [
    { name: "start", value: 1.6, unit: "s", most: 1.5, note: "built" },
    { name: long, value: 12, unit: "packets", least: 13, note: `${long}, ${long}`, count: 2, regression: true },
  ],
  history: { start: [{ value: 1.6, date: "2026-01-02T03:04Z", commit: "0123456789" }] },
};

test("proof records: a record is written as the formatter leaves it, and read as it was written", () => {
  using folder = temporaryFolder();
  writeRecord(folder.path, sample);
  expect(readRecords(folder.path)).toEqual(new Map([["bench-start", sample]]));
  const root = resolve(import.meta.dirname, "../..");
  const biome = resolve(root, "node_modules/.bin/biome");
  const words = ["format", "--stdin-file-path=proof/sample.json"];
  for (const record of [
    sample,
    { ...sample, figures: [sample.figures[1]], missedTargets: [long.repeat(3)], sizes: {} },
  ])
    expect(execFileSync(biome, words, { cwd: root, encoding: "utf8", input: formatted(record) })).toBe(
      formatted(record),
    );
});

test("proof records: a part is stale without a record, and with other sources than those of its record", () => {
  expect([isStale(undefined, "d1"), isStale(sample, "d2"), isStale(sample, "d1")]).toEqual([true, true, false]);
});

test("proof records: every record in the repository belongs to a part, under its name", () => {
  const folder = resolve(import.meta.dirname, "../../proof");
  const records = readRecords(folder);
  const names = parts.map(({ name }) => name);
  expect([...records.keys()].filter((name) => !names.includes(name))).toEqual([]);
  expect([...records.keys()].filter((name) => !existsSync(resolve(folder, `${name}.json`)))).toEqual([]);
});
