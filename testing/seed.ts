import { randomInt } from "node:crypto";
import fc from "fast-check";

/** A fresh seed each run, printed, so that a failure can be had again: `SEED=123 npm test`. */
export const seed = Number(process.env["SEED"] ?? randomInt(2 ** 31 - 1));

export function announceSeed(suite: string): number {
  process.stdout.write(`${suite}: SEED=${seed}\n`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
  return seed;
}

/** Where time is short (`PROPERTY_MS`), a property is tried for so long instead of so often. */
export function boundProperties(): void {
  const limitMs = Number(process.env["PROPERTY_MS"] ?? 0);
  if (limitMs > 0) fc.configureGlobal({ ...fc.readConfigureGlobal(), interruptAfterTimeLimit: limitMs });
}

/** Numbers in [0, 1) that a seed decides (mulberry32). */
export function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
