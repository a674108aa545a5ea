import { expect, test } from "vitest";
import { recordFigure } from "../../testing/figure.ts";
import { announceSeed, randomFrom } from "../../testing/seed.ts";
import { openLab } from "../namespaces.ts";
import { complaintsOf } from "./layers-document.ts";
import { mutate } from "./mutations.ts";
import { partsOf, readKernelState } from "./kernel-state.ts";
import { openLeakTopology } from "./topology.ts";

/*
 * Whatever single part of the gateway's rules is gone, nothing leaks; and each is missed by something when the other
 * layers are off. `npm run leak-layers` does it to all of them and writes docs/leak-layers.md.
 */
const share = Number(process.env["MUTATIONS"] ?? 1 / 3);

test("no single removal leaks, and every part is missed", async () => {
  const random = randomFrom(announceSeed("mutations"));
  await using lab = openLab();
  await using topology = await openLeakTopology(lab);
  const found = await mutate(topology, everyNth(random()));
  const all = partsOf(await readKernelState(topology.gateway));
  process.stdout.write(`mutations: ${found.length} parts taken away in turn\n`);
  recordFigure({ name: "parts of the rules taken away in turn", value: found.length, unit: "parts" });
  recordFigure({
    name: "parts of the rules without which packets were outside",
    value: found.filter(({ leaks }) => leaks.length > 0).length,
    unit: "parts",
    most: 0,
  });
  expect(found.length).toBeGreaterThan(200 * share);
  expect(complaintsOf(found, all)).toEqual([]);
});

/** Exactly this share; the random start gives every part its turn. */
function everyNth(first: number): () => boolean {
  let due = first;
  return () => {
    due += share;
    if (due < 1) return false;
    due -= 1;
    return true;
  };
}
