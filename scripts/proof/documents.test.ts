import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { documents } from "./documents.ts";
import type { Part } from "./part.ts";
import { parts } from "./parts.ts";
import { type ProofRecord, readRecords } from "./record.ts";
import { recordStatus } from "./record-status.ts";

const root = resolve(import.meta.dirname, "../..");

test("proof documents: rendered from the current records: `npm run proof:docs` renders them", () => {
  const rendered = documents(parts, readRecords(resolve(root, "proof")));
  const found = Object.keys(rendered).map((path) => [path, readFileSync(resolve(root, path), "utf8")]);
  expect(Object.fromEntries(found)).toEqual(rendered);
});

const record = (part: string, more: Partial<ProofRecord> = {}): ProofRecord => ({
  part,
  verdict: "held",
  commit: "0123456789abcdef",
  digest: "d",
  date: "2026-01-02T03:04Z",
  load: { start: 0.5, end: 1 },
  slowness: 1.1,
  seed: 77,
  sizes: { ROUNDS: 100 },
  seconds: 1234,
  tests: { passed: 1500, failed: 0 },
  broken: [],
  missedDeadlines: [],
  missedTargets: [],
  figures: [],
  ...more,
});
const some = parts.filter(({ name }) => ["unit", "lab-guard", "bench-start"].includes(name));
const render = (...records: readonly ProofRecord[]) => documents(some, new Map(records.map((it) => [it.part, it])));

test("proof documents: rendering depends on parts and records alone", () => {
  const given: readonly Part[] = structuredClone(some);
  const records = [record("unit"), record("bench-start")] as const;
  const first = render(...records);
  expect(render(...structuredClone(records))).toEqual(first);
  expect(some).toEqual(given);
});

test("proof documents: a part without a record is shown as not run yet, with its promise", () => {
  const pages = render();
  expect(pages["docs/proof.md"]).toContain("| [lab-guard](#lab-guard) | not run yet |");
  for (const { kind, promise } of some) {
    const own = kind === "benchmark" ? "docs/figures.md" : "docs/lab-results.md";
    for (const path of ["docs/proof.md", own]) expect(pages[path]).toContain(`${promise}\n\nNot run yet.`);
  }
});

test("proof documents: date, commit, seed, sizes and counts are shown", () => {
  const pages = render(record("lab-guard", { dirty: true }));
  expect(pages["docs/proof.md"]).toContain("**held** on 2026-01-02, commit 0123456789 with uncommitted changes.");
  expect(pages["docs/lab-results.md"]).toContain(
    "1,500 passed, 0 failed in 1,234 s, load 0.5 at the start and 1 at the end, slowness 1.1. Seed 77. Sizes: `ROUNDS=100`.",
  );
});

test("proof documents: everything that was missed or broken is listed", () => {
  const pages = render(
    record("lab-guard", {
      verdict: "broken",
      broken: ["a.test.ts: it leaks"],
      missedDeadlines: ["a.test.ts: too late"],
      missedTargets: ["rate"],
      figures: [{ name: "rate", value: 0.5, unit: "×", least: 0.9, count: 3, note: "a | b" }],
    }),
  );
  const listed =
    "- **broken:** a.test.ts: it leaks\n- missed deadline: a.test.ts: too late\n- missed target: rate: 0.5 ×, target at least 0.9\n";
  expect(pages["docs/proof.md"]).toContain(listed);
  expect(pages["docs/lab-results.md"]).toContain(listed);
  expect(pages["docs/lab-results.md"]).toContain("| rate | 0.5 × | at least 0.9 | **missed** | worst of 3; a \\| b |");
});

test("proof documents: benchmarks are shown with their earlier values, and regressions are marked", () => {
  const point = (value: number) => ({ value, date: "2026-01-01T00:00Z", commit: "abc" });
  const figures = [{ name: "start", value: 1.2, unit: "s", most: 1.5, regression: true }] as const;
  const history = { start: [point(0.8), point(0.9), point(1.2)] };
  expect(render(record("bench-start", { figures, history }))["docs/figures.md"]).toContain(
    "| start | 1.2 s | at most 1.5 | met, **regression** | 0.9, 0.8 |  |",
  );
});

test("proof documents: only a broken record fails the gate; missing and stale parts are named", () => {
  const names = ["a", "b", "c"];
  const records = (...all: readonly ProofRecord[]) => new Map(all.map((it) => [it.part, it]));
  const held = [record("a"), record("b", { verdict: "deadlines-missed" })];
  expect(recordStatus(names, records(...held), new Set(["b", "c"]))).toEqual({
    lines: ["proof: without a record: c", "proof: stale: b"],
    exitCode: 0,
  });
  expect(
    recordStatus(names, records(...held, record("c", { verdict: "broken", broken: ["it leaks"] })), new Set()),
  ).toEqual({
    lines: ["proof: broken: c: it leaks"],
    exitCode: 1,
  });
  expect(recordStatus(["a"], records(record("a")), new Set()).lines).toEqual([
    "proof: every part has a record for these sources",
  ]);
});
