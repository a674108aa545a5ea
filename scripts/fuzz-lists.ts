/**
 * Feeds malformed block lists to the parsers of each format: `SECONDS=60 npm run fuzz:lists` takes so long for each. The seed is
 * printed, and `SEED=…` repeats the same texts; a finding names the seed of its text.
 */
import { randomInt } from "node:crypto";
import type { ListFormat } from "../daemon/src/engines/lists/lists.model.ts";
import { listViolations, listFormats } from "../testing/list-files.ts";
import { listText } from "../testing/list-fuzz.ts";

const seconds = Number(process.env["SECONDS"] ?? 15);
const first = Number(process.env["SEED"] ?? randomInt(2 ** 31));
const maxFindings = 20;

console.log(`SEED=${first} for ${seconds} s each`);
const findings = (["auto", ...listFormats] as const).map(fuzz);
process.exitCode = findings.some((it) => it > 0) ? 1 : 0;

function fuzz(format: ListFormat): number {
  const until = performance.now() + seconds * 1000;
  let found = 0;
  let texts = 0;
  let characters = 0;
  for (let seed = first; performance.now() < until && found < maxFindings; seed++) {
    const { text, sizes } = listText(format === "auto" ? listFormats[seed % listFormats.length]! : format, seed);
    texts++;
    characters += text.length;
    for (const violation of listViolations(format, text, sizes)) {
      found++;
      console.log(`${format}, SEED=${seed}: ${violation}`);
    }
  }
  console.log(`${format}: ${texts} texts, ${Math.round(characters / 1e6)} million characters, ${found} findings`);
  return found;
}
