import { afterAll, beforeAll, expect, test } from "vitest";
import { expectWithin } from "../testing/deadline.ts";
import { recordFigure } from "../testing/figure.ts";
import type { Visit } from "./browser.ts";
import { bringClock, hitches, type Took } from "./scale-clock.ts";
import { type LargeTestbed, openLargeTestbed, sizes } from "./scale-testbed.ts";
import { watchLoad } from "./scale-load.ts";
import { median, type Memory, plantLeak, memoryText, watchMemory } from "./scale-memory.ts";
import { type Timings, trivial, walk, walkTrivially } from "./scale-walk.ts";
import { signIn } from "./steps.ts";

const rounds = Number(process.env["SCALE_ROUNDS"] ?? 3);
const memoryMin = Number(process.env["MEMORY_MIN"] ?? 1);
const maxMs = 100;
const maxGrowth = 1.1;
/** If a button without work takes longer than two frames, the machine is overloaded. */
const expectedMs = 33;

let large: LargeTestbed;
beforeAll(async () => void (large = await openLargeTestbed()));
afterAll(() => large?.[Symbol.asyncDispose]());

async function enter(): Promise<Visit> {
  const visit = await large.browser.visit();
  await bringClock(visit.page);
  await signIn(visit.page, large.testbed.admin);
  return visit;
}

test("query log: grows at the expected rate", async () => {
  const rates = [await large.logRate(), await large.logRate(), await large.logRate()];
  const rowsPerSec = Math.max(...rates); // The clients share the machine with the gateway: the best of three counts.
  expectWithin(1 / (sizes.queriesPerSec * 0.8), { "one row of the log": 1 / rowsPerSec });
  recordFigure({ name: "rows of the query log a second", value: Math.round(rowsPerSec), unit: "rows/s" });
});

test(
  "every interaction is answered at once",
  async () => {
    await using visit = await enter();
    const { page } = visit;
    const timings: Timings = new Map();
    const load = await watchLoad(page);
    for (let round = 0; round < rounds; round += 1) {
      for (let times = 0; times < 3; times += 1) await walkTrivially(page, timings);
      await walk(page, timings, round);
      console.log(`round ${round + 1}: stretches over 50 ms: ${(await hitches(page)).join(", ") || "none"}`);
    }
    const alone = median(answersOf(timings.get(trivial)!));
    const scale = Math.max(load.slowdown(), alone / expectedMs);
    console.log(`others on the machine make the page ${load.slowdown().toFixed(2)} times slower than it is`);
    for (const [name, took] of timings) console.log(line(name, took, alone));
    const medianSec = [...timings].map(([name, took]) => [name, median(answersOf(took)) / 1000] as const);
    expectWithin((maxMs * scale) / 1000, Object.fromEntries(medianSec));
  },
  600_000 + rounds * 120_000,
);

test(
  "a tab that is left open does not grow",
  async () => {
    await using visit = await enter();
    const { page } = visit;
    await page.goto("/dns?tab=log");
    await page.locator(".dns-log-name").first().waitFor();
    const log = await watchMemory(page, memoryMin);
    console.log(`the log as it is written, ${memoryMin} min: ${memoryText(log)}`);
    await page.goto("/");
    await page.locator(".home-count").first().waitFor();
    const home = await watchMemory(page, memoryMin / 2);
    console.log(`home, ${memoryMin / 2} min: ${memoryText(home)}`);
    const growth = { unit: "× of the first third", max: maxGrowth };
    recordFigure({ name: "memory of a tab on the query log, last third", value: worst(log), ...growth });
    recordFigure({ name: "memory of a tab on the home screen, last third", value: worst(home), ...growth });
    expect(worst(log)).toBeLessThanOrEqual(maxGrowth);
    expect(worst(home)).toBeLessThanOrEqual(maxGrowth);
  },
  600_000 + memoryMin * 120_000,
);

test("memory: a tab that keeps every row of the log is detected", async () => {
  await using visit = await enter();
  const { page } = visit;
  await page.goto("/dns?tab=log");
  await plantLeak(page);
  const leaking = await watchMemory(page, 0.75);
  console.log(`with a leak: ${memoryText(leaking)}`);
  expect(leaking.growth.heapBytes).toBeGreaterThan(maxGrowth);
});

const worst = ({ growth }: Memory): number => Math.max(...Object.values(growth));

const answersOf = (took: readonly Took[]): number[] => took.map(({ answer, event }) => Math.max(answer, event));

function line(name: string, took: readonly Took[], alone: number): string {
  const answers = answersOf(took);
  const data = took.flatMap((it) => it.data ?? []);
  const arrived = data.length > 0 ? `; data after ${ms(median(data))}, at worst ${ms(Math.max(...data))}` : "";
  const ratio = (median(answers) / alone).toFixed(1);
  return `${name}: ${ms(median(answers))}, at worst ${ms(Math.max(...answers))} (${ratio} x trivial, ${took.length} times)${arrived}`;
}
const ms = (value: number): string => `${Math.round(value)} ms`;
