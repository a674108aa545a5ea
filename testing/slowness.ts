import { pbkdf2Sync } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { ownMs } from "./clock.ts";

/**
 * How many times slower this machine currently is than the idle machine on which the deadlines were set; never less than 1.
 * A fixed computation measures a slow or shared processor; the delay of timers measures processes waiting for one.
 */
export async function measureSlowness(): Promise<number> {
  const { spinMs, lateMs } = await sample();
  return Math.max(1, (spinMs + lateMs) / (referenceMs.spin + referenceMs.late));
}

/** Measured on two idle cores, where the deadlines were set. */
const referenceMs = { spin: 40, late: 10 };

async function sample(): Promise<{ readonly spinMs: number; readonly lateMs: number }> {
  const started = ownMs();
  pbkdf2Sync("slowness", "salt", 60_000, 32, "sha512");
  const spun = ownMs();
  for (let timer = 0; timer < timers; timer += 1) await wait(timerMs);
  return { spinMs: spun - started, lateMs: Math.max(0, ownMs() - spun - timers * timerMs) };
}
const timers = 10;
const timerMs = 2;
