import { control } from "./control.ts";
import { dns } from "./dns.ts";
import { dnsLog } from "./dns-log.ts";
import { forwarding } from "./forwarding.ts";
import { frontDoor } from "./front-door.ts";
import { lists } from "./lists.ts";
import { tunnel } from "./tunnel.ts";
import { verdicts } from "./verdicts.ts";

/** One measurement: what we are, as a ratio to the bare engine in the same run where there is one, and its mark. */
export interface Measurement {
  readonly name: string;
  readonly ratio: number;
  /** What the figure is, when it is no ratio. */
  readonly unit?: string;
  /** For costs. */
  readonly most?: number;
  /** For work done. */
  readonly least?: number;
  readonly note: string;
}

/** `npm run bench`: prints every figure; fails when one is past its mark. */
const measurements: Measurement[] = [
  ...(await frontDoor()),
  ...(await control()),
  ...(await forwarding()),
  ...(await tunnel()),
  ...(await lists()),
  ...verdicts(),
  ...(await dns()),
  ...(await dnsLog()),
];
for (const { name, ratio, unit = "× bare", most, least, note } of measurements) {
  const marks = [
    ...(most === undefined ? [] : [`at most ${most}`]),
    ...(least === undefined ? [] : [`at least ${least}`]),
  ];
  console.log(`${name}\t${ratio.toFixed(2)} ${unit}\t(${marks.join(", ") || "no mark"})\t${note}`);
}
const past = measurements.filter(({ ratio, most = Infinity, least = 0 }) => ratio > most || ratio < least);
console.log(`bench: ${measurements.length - past.length} passed, ${past.length} failed`);
process.exitCode = past.length === 0 ? 0 : 1;
