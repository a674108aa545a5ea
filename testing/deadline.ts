import { setTimeout as wait } from "node:timers/promises";
import { ownSec } from "./clock.ts";
import { recordFigure } from "./figure.ts";
import { measureSlowness } from "./slowness.ts";

/**
 * A deadline is a promise in seconds: "detected within 2 s". Unlike an invariant it depends on the load of the machine, so
 * its limit is scaled by how slow the machine currently is, and a test that misses one may be repeated. The gate reports a
 * missed deadline as a warning, the proof as a failure.
 */
export class DeadlineMissed extends Error {
  override readonly name = "DeadlineMissed";
  constructor(misses: readonly string[]) {
    super(`Deadline missed: ${misses.join("; ")}`);
  }
}

/** Matches the message of `DeadlineMissed` and the first line of its stack. */
export const deadlineMissed = /^(?:DeadlineMissed: )?Deadline missed: /;

/**
 * For tests that can be repeated: a missed deadline is measured again, at most twice. Any other failure is final. A regular
 * expression, because the test runner ignores a function here and would repeat every failure.
 */
export const repeatable = { retry: { count: 2, condition: deadlineMissed } } as const;

/**
 * Holds durations against a limit and records them as figures. The verdict is left to `judgeDeadlines` at the end of the
 * test, so that a test checks all its invariants first.
 */
export function expectWithin(limitSec: number, took: Readonly<Record<string, number>>): void {
  for (const [what, seconds] of Object.entries(took)) {
    hold(what, seconds, limitSec);
    recordFigure({ name: `${currentTest}: ${what}`, value: seconds, unit: "s", most: limitSec });
  }
}

function hold(what: string, seconds: number, limitSec: number): void {
  if (!Number.isFinite(seconds)) throw new Error(`No duration was measured: ${what} (${seconds})`);
  if (seconds >= limitSec) late.push({ what, seconds, limitSec });
}

/**
 * Waits until something holds and returns how many seconds that took. More than `limitSec` is a missed deadline; a state
 * that is not reached long after it is a failure like any other.
 */
export async function until(what: string, holds: () => Promise<boolean>, limitSec = 10): Promise<number> {
  const started = ownSec();
  while (!(await holds())) {
    if (ownSec() - started > Math.max(60, 3 * limitSec) * slowness) throw new Error(`Never reached: ${what}`);
    await wait(20);
  }
  const seconds = ownSec() - started;
  hold(what, seconds, limitSec);
  return seconds;
}

/** Called at the start of each test: figures are recorded under its title. */
export function nameTest(title: string): void {
  currentTest = title;
}

/** Called at the end of each test. A test that has failed already keeps its own error. */
export async function judgeDeadlines(hasFailed: boolean): Promise<void> {
  const found = late.splice(0);
  if (found.length === 0 || hasFailed) return;
  const factor = await currentSlowness();
  const misses = found
    .filter(({ seconds, limitSec }) => seconds >= limitSec * factor)
    .map((it) => `${it.what} took ${it.seconds.toPrecision(3)} s, allowed ${it.limitSec} s × ${factor.toFixed(1)}`);
  if (misses.length > 0) throw new DeadlineMissed(misses);
}

const late: { readonly what: string; readonly seconds: number; readonly limitSec: number }[] = [];
let currentTest = "outside of a test";
let slowness = 1;

/** Load comes and goes: the larger of what was measured in this file before and what holds now. */
export async function currentSlowness(): Promise<number> {
  slowness = Math.max(slowness, await measureSlowness());
  return slowness;
}
