import { forwarding } from "./forwarding.ts";
import { frontDoor } from "./front-door.ts";

/** One measurement: what we are, as a ratio to the bare engine in the same run, and what it may be at most or at least. */
export interface Measurement {
  readonly name: string;
  readonly ratio: number;
  /** For costs. */
  readonly most?: number;
  /** For work done. */
  readonly least?: number;
  readonly note: string;
}

/** `npm run bench`: prints every ratio; fails when one is past its mark. */
const measurements: Measurement[] = [...(await frontDoor()), ...(await forwarding())];
for (const { name, ratio, most, least, note } of measurements) {
  const mark = [
    ...(most === undefined ? [] : [`at most ${most}`]),
    ...(least === undefined ? [] : [`at least ${least}`]),
  ];
  console.log(`${name}\t${ratio.toFixed(2)} × bare\t(${mark.join(", ")})\t${note}`);
}
const past = measurements.filter(({ ratio, most = Infinity, least = 0 }) => ratio > most || ratio < least);
console.log(`bench: ${measurements.length - past.length} passed, ${past.length} failed`);
process.exitCode = past.length === 0 ? 0 : 1;
