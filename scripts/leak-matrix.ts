import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { documentOf, gaps, readDocument, tooSlow } from "../lab/leaks/document.ts";
import { faults } from "../lab/leaks/faults.ts";
import { complaints, openSession, type Row, shuffled } from "../lab/leaks/matrix.ts";
import { announceSeed, randomFrom, seed } from "../testing/seed.ts";

/*
 * `npm run leak-matrix`: runs every fault, in the lab and in the virtual machine, and writes docs/leak-matrix.md. Needs
 * root and `npm run build`. `FAULTS=2,18` runs only these, in the lab, and writes nothing. Results are kept in
 * `LEAK_RESULTS=FOLDER`; an existing lab.json or vm.json is reused. The exit status is 1 if a cell is missing or not 0.
 */
interface Found {
  readonly seed: number;
  readonly seconds: number;
  readonly rows: readonly Row[];
}

const folder = process.env["LEAK_RESULTS"] ?? mkdtempSync(join(tmpdir(), "portcullis-leaks-"));
mkdirSync(folder, { recursive: true });
const [labFile, machineFile] = [join(folder, "lab.json"), join(folder, "vm.json")];

const chosen = process.env["FAULTS"]?.split(",").map(Number);
if (chosen) conclude((await inTheLab(chosen)).rows.flatMap(complaints));
else {
  if (!existsSync(labFile)) write(labFile, await inTheLab(faults.map(({ number }) => number)));
  const lab = read<Found>(labFile);
  const started = performance.now();
  if (!existsSync(machineFile)) runVirtualMachine();
  const machine = existsSync(machineFile) ? read<readonly Row[]>(machineFile) : [];
  const rows = [...lab.rows, ...machine];
  const seconds = lab.seconds + Math.max((performance.now() - started) / 1000, sumOf(machine));
  const text = documentOf(rows, { date: new Date().toISOString().slice(0, 10), seed: lab.seed, seconds });
  writeFileSync("docs/leak-matrix.md", text);
  console.log(`${rows.length} rows, from ${folder}`);
  conclude([...rows.flatMap(complaints), ...gaps(readDocument(text)), ...tooSlow(text)]);
}

function conclude(wrong: readonly string[]): void {
  for (const sentence of wrong) console.log(sentence);
  console.log(wrong.length === 0 ? "nothing leaked" : `${wrong.length} complaints`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

async function inTheLab(numbers: readonly number[]): Promise<Found> {
  const random = randomFrom(announceSeed("leak matrix"));
  const started = performance.now();
  const rows: Row[] = [];
  await using session = openSession(random);
  for (const fault of shuffled(faults, random).filter(({ number }) => numbers.includes(number))) {
    try {
      const row = await session.run(fault);
      rows.push(row);
      const sum = (what: "sent" | "leaked") => row.cells.reduce((all, cell) => all + cell[what], 0);
      console.log(`${row.fault} ${row.name}: ${sum("leaked")} of ${sum("sent")} leaked, ${row.seconds} s`);
    } catch (error) {
      console.error(error); // Its cells will be missing.
    }
  }
  return { seed, seconds: (performance.now() - started) / 1000, rows };
}

/** It writes its results to its file. Missing rows are reported. */
function runVirtualMachine(): void {
  if (!existsSync("vm/run.ts")) return;
  try {
    execFileSync("npm", ["run", "test:vm"], { stdio: "inherit", env: { ...process.env, LEAK_RESULTS: folder } });
  } catch (error) {
    console.error(error);
  }
}

function sumOf(rows: readonly Row[]): number {
  return rows.reduce((all, { seconds }) => all + seconds, 0);
}
function read<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
function write(file: string, what: object): void {
  writeFileSync(file, `${JSON.stringify(what, undefined, 1)}\n`);
}
