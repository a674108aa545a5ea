import { frontDoor } from "./front-door.ts";

/** One measurement: what we cost, as a ratio to the bare engine in the same run, and what it may be at most. */
export interface Measurement {
  readonly name: string;
  readonly ratio: number;
  readonly most: number;
  readonly note: string;
}

/** `npm run bench`: prints every ratio; fails when one is over its mark. */
const measurements: Measurement[] = [...(await frontDoor())];
for (const { name, ratio, most, note } of measurements)
  console.log(`${name}\t${ratio.toFixed(2)} × bare\t(at most ${most})\t${note}`);
const over = measurements.filter(({ ratio, most }) => ratio > most);
console.log(`bench: ${measurements.length - over.length} passed, ${over.length} failed`);
process.exitCode = over.length === 0 ? 0 : 1;
