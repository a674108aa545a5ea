import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { complaintsOf, layersDocument } from "../lab/leaks/layers-document.ts";
import { type Mutation, mutate } from "../lab/leaks/mutations.ts";
import { openLeakTopology } from "../lab/leaks/topology.ts";
import { openLab } from "../lab/namespaces.ts";

/*
 * `npm run leak-layers`: takes every rule, end of a table and set of the gateway away in turn, and writes
 * docs/leak-layers.md. Wants root and `npm run build`. `FOUND=FILE` keeps what was found there, and takes it from there if
 * it is there already. Ends with 1 if something leaked that should not, or nothing noticed.
 */
interface Found {
  readonly date: string;
  readonly seconds: number;
  readonly mutations: readonly Mutation[];
}

const file = process.env["FOUND"];
const found = file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Found) : await find();
if (file !== undefined) writeFileSync(file, JSON.stringify(found));
const parts = found.mutations.map(({ part }) => part);
writeFileSync("docs/leak-layers.md", layersDocument(found.mutations, parts, found.date, found.seconds));
const wrong = complaintsOf(found.mutations, parts);
for (const sentence of wrong) console.log(sentence);
process.exitCode = wrong.length === 0 ? 0 : 1;

async function find(): Promise<Found> {
  const started = performance.now();
  await using lab = openLab();
  await using street = await openLeakTopology(lab);
  const mutations = await mutate(street, () => true, console.log);
  return {
    date: new Date().toISOString().slice(0, 10),
    seconds: (performance.now() - started) / 1000,
    mutations,
  };
}
