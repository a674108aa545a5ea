import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { documentOf, gaps, readDocument, tooSlow } from "../lab/leaks/document.ts";
import type { Row } from "../lab/leaks/matrix.ts";
import { probeNames } from "../lab/leaks/probes.ts";

test("the published leak matrix has every cell, each of them 0, each with its control", () => {
  const text = readFileSync("docs/leak-matrix.md", "utf8");
  // How long it took is a deadline: the record of the part reports it.
  expect(gaps(readDocument(text))).toEqual([]);
});

test("one that took longer than a quarter of an hour is not good enough", () => {
  const text = (seconds: number) => documentOf([], { date: "2026-01-02", seed: 7, seconds });
  expect(tooSlow(text(899))).toEqual([]);
  expect(tooSlow(text(1901))).toEqual(["it took 1901 s, of 900"]);
});

describe("a matrix is read as it was written", () => {
  const row = (fault: number): Row => ({
    fault,
    name: `fault of number ${fault}`,
    where: "lab",
    cells: probeNames.map((probe, index) => ({ probe, sent: 100 + index, leaked: 0, control: 1 + index })),
    seconds: 5.5,
    cites: ["T-always-1"],
  });
  const rows = Array.from({ length: 34 }, (_, index) => row(index + 1));
  const gapsOf = (all: readonly Row[]) =>
    gaps(readDocument(documentOf(all, { date: "2026-01-02", seed: 7, seconds: 60 })));

  test("one that is whole has no gaps", () => {
    expect(gapsOf(rows)).toEqual([]);
    expect(gapsOf([...rows, { ...row(3), where: "vm" }])).toEqual([]);
  });

  test("a missing fault, a missing cell, a leak, a control without packets and a probe that was not sent are reported", () => {
    const [first, ...others] = rows as [Row, ...Row[]];
    const changed = (change: object) => {
      const [cell, ...rest] = first.cells;
      return gapsOf([{ ...first, cells: [{ ...cell!, ...change }, ...rest] }, ...others]);
    };
    expect(gapsOf(others)).toHaveLength(probeNames.length);
    expect(gapsOf([{ ...first, cells: first.cells.slice(1) }, ...others])).toHaveLength(1);
    expect(changed({ leaked: 1 })).toEqual(["fault 1, tcp4: 1 / 100 / 1"]);
    expect(changed({ control: 0 })).toHaveLength(1);
    expect(changed({ sent: 0 })).toHaveLength(1);
    // A complete row does not hide an incomplete one.
    const leaking = { ...row(2), where: "vm" as const, cells: row(2).cells.map((cell) => ({ ...cell, leaked: 3 })) };
    expect(gapsOf([...rows, leaking])).toHaveLength(probeNames.length);
  });
});
