/**
 * Throws nearly-lists at the parsers, each format for a while: `SECONDS=60 npm run fuzz:lists`. The seed is printed, and
 * `SEED=…` begins with the same texts; a finding names the seed of its one text.
 */
import { randomInt } from "node:crypto";
import type { ListFormat } from "../daemon/src/engines/lists/lists.model.ts";
import { brokenByList, listFormats } from "../testing/list-files.ts";
import { listText } from "../testing/list-fuzz.ts";

const seconds = Number(process.env["SECONDS"] ?? 15);
const first = Number(process.env["SEED"] ?? randomInt(2 ** 31));
const mostFindings = 20;

console.log(`SEED=${first} for ${seconds} s each`);
const findings = (["auto", ...listFormats] as const).map(fuzz);
process.exitCode = findings.some((it) => it > 0) ? 1 : 0;

function fuzz(format: ListFormat): number {
  const until = performance.now() + seconds * 1000;
  let found = 0;
  let texts = 0;
  let characters = 0;
  for (let seed = first; performance.now() < until && found < mostFindings; seed++) {
    const { text, sizes } = listText(format === "auto" ? listFormats[seed % listFormats.length]! : format, seed);
    texts++;
    characters += text.length;
    for (const law of brokenByList(format, text, sizes)) {
      found++;
      console.log(`${format}, SEED=${seed}: ${law}`);
    }
  }
  console.log(`${format}: ${texts} texts, ${Math.round(characters / 1e6)} million characters, ${found} findings`);
  return found;
}
