/**
 * Feeds malformed block lists to the parsers of each format: `SECONDS=60 npm run fuzz:lists` takes so long for each. The seed is
 * printed, and `SEED=…` repeats the same texts; a finding names the seed of its text. Words are the only formats that are tried.
 */
import { randomInt } from "node:crypto";
import type { ListFormat } from "../daemon/src/engines/lists/lists.model.ts";
import { listViolations, listFormats } from "../testing/list-files.ts";
import { listText } from "../testing/list-fuzz.ts";

const seconds = Number(process.env["SECONDS"] ?? 15);
const first = Number(process.env["SEED"] ?? randomInt(2 ** 31));
const maxFindings = 20;

console.log(`SEED=${first} for ${seconds} s each`);
const formats = ["auto", ...listFormats] as const;
const chosen = process.argv.slice(2);
const unknown = chosen.filter((it) => !formats.some((format) => format === it));
if (unknown.length > 0) throw new Error(`There is no format ${unknown.join(", ")}. Formats: ${formats.join(", ")}`);
const findings = formats.filter((it) => chosen.length === 0 || chosen.includes(it)).map(fuzz);
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
