import { afterAll, expect, test } from "vitest";
import { announceSeed, randomFrom } from "../../testing/seed.ts";
import { machineFaults } from "../../vm/rows.ts";
import { faults } from "./faults.ts";
import { complaints, openSession, shuffled } from "./matrix.ts";
import { probeNames } from "./probes.ts";

/*
 * The leak matrix, but for what needs a boot: that is done in a virtual machine. Every fault is one test; all probes of
 * it run together. `npm run leak-matrix` does the same and writes it down.
 */
const random = randomFrom(announceSeed("leak matrix"));
const session = openSession(random);
afterAll(() => session[Symbol.asyncDispose](), 60_000);

test.each(shuffled(faults, random))("$number: $name", { timeout: 240_000 }, async (fault) => {
  const row = await session.run(fault);
  const sent = row.cells.reduce((sum, cell) => sum + cell.sent, 0);
  process.stdout.write(`leak matrix: ${row.fault} ${row.name}: ${sent} sent in ${row.seconds} s; ${row.evidence}\n`);
  expect(complaints(row)).toEqual([]);
  expect(row.cells.map(({ probe }) => probe)).toEqual(probeNames);
});

test("no fault that the virtual machine does not do is missing here", () => {
  const all = Array.from({ length: 34 }, (_, place) => place + 1);
  const here = new Set(faults.map(({ number }) => number));
  expect(all.filter((number) => !here.has(number))).toEqual(machineFaults);
});
