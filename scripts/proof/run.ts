import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { type Choice, namedParts, parseChoice, usage } from "./choice.ts";
import { parts } from "./parts.ts";
import { prove } from "./prove.ts";
import { readRecords } from "./record.ts";
import { staleParts } from "./stale.ts";

/*
 * `npm run proof`: everything at full size, part by part. It may be interrupted at any time: finished parts keep their
 * records, and the next run does the others.
 */
const root = resolve(import.meta.dirname, "../..");
const records = resolve(root, "proof");

let choice: Choice;
try {
  choice = parseChoice(process.argv.slice(2));
  namedParts(parts, choice.words);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exit(2);
}
if (choice.listOnly) list(choice);
else process.exitCode = await run(choice);

function run(chosen: Choice): Promise<number> {
  const interruption = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interruption.abort());
  const workFolder = resolve(root, "node_modules/.cache/proof");
  mkdirSync(workFolder, { recursive: true });
  const proof = {
    root,
    workFolder,
    env: process.env,
    signal: interruption.signal,
    parts,
    records,
    isRoot: process.getuid?.() === 0,
    log: (line: string) => console.log(`proof: ${line}`),
    elapsedSec: () => performance.now() / 1000,
  };
  return prove(proof, chosen);
}

function list({ words, which }: Choice): void {
  const known = readRecords(records);
  const named = namedParts(parts, words);
  const stale = staleParts(root, named, known);
  const shown = which === "all" ? named : named.filter(({ name }) => stale.has(name));
  for (const { name, promise } of shown) {
    const record = known.get(name);
    const state = record === undefined ? "no record" : `${record.verdict}, ${ageOf(record.date)} old`;
    console.log(`${name.padEnd(18)} ${stale.has(name) && record ? `${state}, stale` : state}\n    ${promise}`);
  }
}

function ageOf(date: string): string {
  const hours = (Date.now() - Date.parse(date)) / 3_600_000;
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}
