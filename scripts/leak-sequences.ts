import { randomInt } from "node:crypto";
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
 * SEQUENCES, and then docs/leak-sequences.md. It continues after an interruption; several processes may fill one file. Needs root and
 * `npm run build`. The exit status is 1 if something leaked.
 */
const file = process.env["RESULTS"] ?? "leak-sequences.jsonl";
const wanted = Number(process.env["SEQUENCES"] ?? 200);
/** `AGAIN=1,2`: these seeds first. */
const again = (process.env["AGAIN"] ?? "").split(",").filter(Boolean).map(Number);
// Several topologies may share a machine.
const perSecond = Number(process.env["PER_SECOND"] ?? 1000);

const runs = (): Run[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Run)
    : [];

if (runs().length < wanted) await fill();
writeFileSync("docs/leak-sequences.md", sequencesDocument(runs(), new Date().toISOString().slice(0, 10)));
const wrong = runs().flatMap(faultsOf);
for (const sentence of wrong) console.log(sentence);
process.exitCode = wrong.length === 0 ? 0 : 1;

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
