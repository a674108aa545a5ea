import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { complaintsOf, layersDocument } from "../lab/leaks/layers-document.ts";
import { type Mutation, mutate } from "../lab/leaks/mutations.ts";
import { openLeakTopology } from "../lab/leaks/topology.ts";
import { openLab } from "../lab/namespaces.ts";

/*
 * `npm run leak-layers`: removes every rule, chain policy and set of the gateway in turn, and writes docs/leak-layers.md.
 * Needs root and `npm run build`. `FOUND=FILE` keeps the results there, and reuses an existing file. The exit status is 1 if
 * something leaked, or a removal was not noticed.
 */
interface Found {
  readonly date: string;
  readonly seconds: number;
  readonly mutations: readonly Mutation[];
}

const file = process.env["FOUND"];
const found = file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Found) : await run();
if (file !== undefined) writeFileSync(file, JSON.stringify(found));
const parts = found.mutations.map(({ part }) => part);
writeFileSync("docs/leak-layers.md", layersDocument(found.mutations, parts, found.date, found.seconds));
const wrong = complaintsOf(found.mutations, parts);
for (const sentence of wrong) console.log(sentence);
process.exitCode = wrong.length === 0 ? 0 : 1;

async function run(): Promise<Found> {
  const started = performance.now();
  await using lab = openLab();
  await using topology = await openLeakTopology(lab);
  const mutations = await mutate(topology, () => true, console.log);
  return {
    date: new Date().toISOString().slice(0, 10),
    seconds: (performance.now() - started) / 1000,
    mutations,
  };
}
