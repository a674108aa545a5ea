import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { faults } from "../lab/leaks/faults.ts";
import { probeNames } from "../lab/leaks/probes.ts";
import { faultsOf, type Run, runSequence, sequenceOf } from "../lab/leaks/sequences.ts";
import { sequencesDocument } from "../lab/leaks/sequences-document.ts";
import { openLeakTopology } from "../lab/leaks/topology.ts";
import { openLab } from "../lab/namespaces.ts";
import { randomFrom } from "../testing/seed.ts";

/*
 * `npm run leak-sequences`: random sequences of faults until RESULTS (a file, a line for each) has 200 of them, or
 * SEQUENCES, and then docs/leak-sequences.md. It continues after an interruption. PROCESSES fill the file side by side, each with a
 * topology of its own. Needs root and `npm run build`. The exit status is 1 if something leaked.
 */
const file = process.env["RESULTS"] ?? "leak-sequences.jsonl";
const wanted = Number(process.env["SEQUENCES"] ?? 200);
/** `AGAIN=1,2`: these seeds first. */
const again = (process.env["AGAIN"] ?? "").split(",").filter(Boolean).map(Number);
// A sequence mostly waits: several topologies with fewer packets each find more than one with many.
const processes = Number(process.env["PROCESSES"] ?? 1);
const perSecond = Number(process.env["PER_SECOND"] ?? 1000);

const runs = (): Run[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Run)
    : [];

if (runs().length < wanted) await (processes > 1 ? fillSideBySide() : fill());
writeFileSync("docs/leak-sequences.md", sequencesDocument(runs(), new Date().toISOString().slice(0, 10)));
const wrong = runs().flatMap(faultsOf);
for (const sentence of wrong) console.log(sentence);
process.exitCode = wrong.length === 0 ? 0 : 1;

async function fillSideBySide(): Promise<void> {
  const fillers = Array.from({ length: processes }, (_, index) => {
    const env = { ...process.env, PROCESSES: "1", ...(index > 0 && { AGAIN: "" }) };
    return spawn(process.execPath, [import.meta.filename], { env, stdio: "inherit" });
  });
  const statuses = await Promise.all(fillers.map(async (it) => (await once(it, "exit"))[0] as number | null));
  // A filler that finds a leak ends with 1 as well: what the file holds then is judged below.
  if (runs().length < wanted) throw new Error(`The file is not complete; exit statuses: ${statuses.join(", ")}`);
}

async function fill(): Promise<void> {
  await using lab = openLab();
  await using topology = await openLeakTopology(lab, perSecond);
  await topology.works(60);
  const control = await topology.control();
  const unseen = probeNames.filter((probe) => (control[probe] ?? 0) <= 0);
  if (unseen.length > 0) throw new Error(`No probe was seen outside in the control: ${unseen.join(", ")}`);
  while (runs().length < wanted) {
    const seed = again.shift() ?? randomInt(2 ** 31 - 1);
    console.log(`sequence ${seed}`);
    const random = randomFrom(seed);
    const run = await runSequence(topology, sequenceOf(faults, random), seed, random);
    appendFileSync(file, `${JSON.stringify(run)}\n`);
    console.log(`${run.struck.length} faults, ${run.seconds.toFixed(0)} s`, faultsOf(run).join("; "));
  }
}
