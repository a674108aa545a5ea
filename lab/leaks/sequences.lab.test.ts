import { afterAll, beforeAll, expect, test } from "vitest";
import { announceSeed, randomFrom } from "../../testing/seed.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { faults } from "./faults.ts";
import { probeNames } from "./probes.ts";
import { faultsOf, runSequence, sequenceOf } from "./sequences.ts";
import { openStreet, type Street } from "./street.ts";

/** `npm run leak-sequences` does 200, and writes docs/leak-sequences.md. */
const times = Number(process.env["SEQUENCES"] ?? 10);
const first = announceSeed("sequences of faults");
/** In which something was outside once: a resolver said goodbye to the phone by the uplink. */
const red = [130_557_207];

let lab: Lab;
let street: Street;
beforeAll(async () => {
  lab = openLab();
  street = await openStreet(lab);
}, 180_000);
afterAll(async () => {
  await street?.[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

test("every probe is seen when the phone is let out, so that what is not seen was not there", async () => {
  await street.works(60);
  const control = await street.control();
  expect(probeNames.filter((probe) => (control[probe] ?? 0) <= 0)).toEqual([]);
});

test.for([...red, ...Array.from({ length: times }, (_, place) => first + place)])(
  "nothing leaks in sequence %i, and the gateway works again by itself",
  { timeout: 400_000 },
  async (seed) => {
    const random = randomFrom(seed);
    const run = await runSequence(street, sequenceOf(faults, random), seed, random);
    console.log(JSON.stringify(run));
    expect(faultsOf(run)).toEqual([]);
    // Most of them really happened, and the phone talked all the time.
    expect(run.struck.length).toBeGreaterThanOrEqual(5);
    expect(run.struck.length).toBeGreaterThan(run.missed.length);
    expect(run.sent).toBeGreaterThan(500 * run.seconds);
  },
);

// Last: what went by the first hop alone may be answered there, and reset, for a while.
test("each watch for itself sees every probe: that of the second provider, and the one behind the first hop", {
  timeout: 60_000,
}, async () => {
  const unseen = Object.entries(await street.eachWatch()).flatMap(([watch, counts]) =>
    probeNames.filter((probe) => (counts[probe] ?? 0) <= 0).map((probe) => `${watch}: ${probe}`),
  );
  expect(unseen).toEqual([]);
});
