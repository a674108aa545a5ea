import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Fault, Leak } from "../lab/leaks/fault.ts";
import { type Run, runSequence } from "../lab/leaks/sequences.ts";
import { sequenceGaps, sequencesDocument } from "../lab/leaks/sequences-document.ts";
import type { LeakTopology } from "../lab/leaks/topology.ts";

const page = "docs/leak-sequences.md";

test("200 random sequences are published, and nothing was seen outside in any of them", () => {
  expect(sequenceGaps(existsSync(page) ? readFileSync(page, "utf8") : "", 200)).toEqual([]);
});

describe("leak sequences: the page is read as it was written", () => {
  const run = (seed: number): Run => ({
    seed,
    struck: [2, 18, 33, 2, 7],
    missed: [9],
    sent: 31_415,
    leaked: {},
    findings: {},
    healedSec: 1.25,
    seconds: 30,
  });
  const gapsOf = (runs: readonly Run[]) => sequenceGaps(sequencesDocument(runs, "2026-01-02"), 3);

  test("a complete page has no gaps", () => {
    expect(gapsOf([run(1), run(2), run(3)])).toEqual([]);
  });

  test("too few sequences, duplicates, leaked probes and leaked packets of other devices are reported", () => {
    expect(gapsOf([run(1), run(2)])).toEqual(["2 sequences instead of 3"]);
    expect(gapsOf([run(1), run(2), run(2)])).toEqual(["2 sequences instead of 3"]);
    expect(gapsOf([run(1), run(2), { ...run(3), struck: [2, 18, 33, 2] }])).toEqual(["2 sequences instead of 3"]);
    expect(gapsOf([run(1), run(2), { ...run(3), leaked: { udp4: 2 } }])).toEqual(["sequence 3: 2 seen outside"]);
    expect(gapsOf([run(1), run(2), { ...run(3), findings: { "of phone": 1 } }])).toEqual([
      "sequence 3: 1 seen outside",
    ]);
  });
});

describe("leak sequences: a sequence", () => {
  const topology = {
    works: async () => 0,
    begin: async () => {},
    seen: async () => ({ devices: {}, findings: {}, samples: {} }),
    senderReport: async () => ({ sent: {}, answered: {} }),
  } as unknown as LeakTopology;
  /** As many faults as may happen, of which every second does this. */
  const sequence = (strike: () => never) => {
    let number = 0;
    const next = (): Fault => {
      number += 1;
      const odd = number % 2 === 1;
      return { number, name: "", cites: [], strike: async () => (odd ? "it happened" : strike()) };
    };
    return runSequence(topology, { length: 5, next }, 1, () => 0);
  };

  test("has as many faults that happened as were wanted, however many could not be done", async () => {
    const run = await sequence(() => {
      throw new Error("The fault did not happen");
    });
    expect(run.struck).toEqual([1, 3, 5, 7, 9]);
    expect(run.missed).toEqual([2, 4, 6, 8]);
  });

  test.each([new Leak("The portal was seen"), new TypeError("x is not a function")])(
    "does not take %o for a fault that could not be done",
    async (error) => {
      const run = sequence(() => {
        throw error;
      });
      await expect(run).rejects.toBe(error);
    },
  );
});
