import { randomInt } from "node:crypto";
import fc from "fast-check";

/** A new seed for each run, printed so that a failure can be reproduced: `SEED=123 npm test`. */
export const seed = Number(process.env["SEED"] ?? randomInt(2 ** 31 - 1));

export function announceSeed(suite: string): number {
  process.stdout.write(`${suite}: SEED=${seed}\n`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
  return seed;
}

/** With `PROPERTY_MS` a property is tried for this time instead of a number of runs. */
export function boundProperties(): void {
  const limitMs = Number(process.env["PROPERTY_MS"] ?? 0);
  if (limitMs > 0) fc.configureGlobal({ ...fc.readConfigureGlobal(), interruptAfterTimeLimit: limitMs });
}

/** Numbers in [0, 1) derived from a seed (mulberry32). */
export function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
