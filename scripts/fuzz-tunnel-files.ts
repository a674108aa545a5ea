/**
 * Feeds malformed tunnel files to the two parsers: `SECONDS=300 npm run fuzz` takes so long for each. The seed is printed, and
 * `SEED=…` repeats the same texts; a finding names the seed of its text.
 */
import { randomInt } from "node:crypto";
import { type Format, checkProperties } from "../testing/tunnel-files.ts";
import { tunnelText } from "../testing/tunnel-fuzz.ts";

const seconds = Number(process.env["SECONDS"] ?? 30);
const first = Number(process.env["SEED"] ?? randomInt(2 ** 31));
const until = performance.now() + 2 * seconds * 1000; // Both parsers read every text in turn.
const maxFindings = 20;

console.log(`SEED=${first} for ${seconds} s each`);
const count = { texts: 0, read: 0, findings: 0 };
for (let seed = first; performance.now() < until && count.findings < maxFindings; seed++)
  for (const format of ["wireguard", "openvpn"] as const) tryOne(format, seed);
console.log(`${count.texts} texts, ${count.read} of them read, ${count.findings} findings`);
process.exitCode = count.findings > 0 ? 1 : 0;

function tryOne(format: Format, seed: number): void {
  const { isRead, violations } = checkProperties(format, tunnelText(format, seed));
  count.texts++;
  if (isRead) count.read++;
  for (const violation of violations) {
    count.findings++;
    console.log(`${format}, SEED=${seed}: ${violation}`);
  }
}
