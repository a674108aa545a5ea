import { afterAll, expect, test } from "vitest";
import { recordFigure } from "../../testing/figure.ts";
import { announceSeed, randomFrom } from "../../testing/seed.ts";
import { machineFaults } from "../../vm/rows.ts";
import { families, faults } from "./faults.ts";
import { complaints, openSession, shuffled } from "./matrix.ts";
import { probeNames } from "./probes.ts";

/*
 * The leak matrix, but for what needs a boot: that is done in a virtual machine. Every fault is one test; all probes of
 * it run together. `npm run leak-matrix` does the same and writes it down.
 */
const random = randomFrom(announceSeed("leak matrix"));
/** `MATRIX=families` takes one fault of each family, a different one each time. */
const chosen =
  process.env["MATRIX"] === "families"
    ? families.map((family) => family[Math.floor(random() * family.length)]!)
    : shuffled(faults, random);
const session = openSession(random);
afterAll(() => session[Symbol.asyncDispose]());

test.each(chosen)("$number: $name", async (fault) => {
  const row = await session.run(fault);
  const sent = row.cells.reduce((sum, cell) => sum + cell.sent, 0);
  process.stdout.write(`leak matrix: ${row.fault} ${row.name}: ${sent} sent in ${row.seconds} s; ${row.evidence}\n`);
  const leaked = row.cells.reduce((sum, cell) => sum + cell.leaked, 0);
  recordFigure({ name: `packets sent during fault ${row.fault}`, value: sent, unit: "packets" });
  recordFigure({ name: `packets outside during fault ${row.fault}`, value: leaked, unit: "packets", most: 0 });
  expect(complaints(row)).toEqual([]);
  expect(row.cells.map(({ probe }) => probe)).toEqual(probeNames);
});

test("no fault that the virtual machine does not do is missing here", () => {
  const all = Array.from({ length: 34 }, (_, index) => index + 1);
  const here = new Set(faults.map(({ number }) => number));
  expect(all.filter((number) => !here.has(number))).toEqual(machineFaults);
});
