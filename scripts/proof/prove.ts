import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type Choice, namedParts } from "./choice.ts";
import { runCommand } from "./command.ts";
import { writeDocuments } from "./documents.ts";
import type { Part } from "./part.ts";
import { type ProofRecord, readRecords, writeRecord } from "./record.ts";
import { runPart, type RunEnvironment } from "./run-part.ts";
import { digestOf, readTree } from "./sources.ts";
import { staleParts } from "./stale.ts";

/** Beside what a part needs: where the records are, and what is done to them. */
export interface Proof extends RunEnvironment {
  readonly parts: readonly Part[];
  readonly records: string;
  readonly isRoot: boolean;
  readonly log: (line: string) => void;
  /** Seconds since the start. */
  readonly elapsedSec: () => number;
}

/** Runs the chosen parts one after the other and keeps a record of each. Returns the exit code. */
export async function prove(proof: Proof, choice: Choice): Promise<number> {
  const { root, parts, records, signal, log, elapsedSec } = proof;
  const chosen = chosenParts(proof, choice);
  const isTrial = Object.keys(choice.sizes).length > 0;
  log(chosen.length === 0 ? "Nothing to do: no chosen part is stale." : `To do: ${namesOf(chosen)}`);
  const build = builder(proof);
  const done: ProofRecord[] = [];
  for (const [index, part] of chosen.entries()) {
    if (signal.aborted) return interrupted;
    if (elapsedSec() >= choice.forSec) {
      log(`The time is over. Not started: ${namesOf(chosen.slice(index))}`);
      break;
    }
    if (part.needsRoot && !proof.isRoot) {
      log(`${part.name}: left out, because it needs root`);
      continue;
    }
    if (part.needsBuild && !(await build())) return signal.aborted ? interrupted : 1;
    log(`${part.name}: ${part.promise}`);
    const earlier = readRecords(records).get(part.name);
    const record = await runPart(part, proof, { earlier, sizes: choice.sizes });
    if (record === undefined) {
      log(
        `${part.name}: interrupted, no record. Done before: ${namesOf(done.map((it) => ({ name: it.part }))) || "none"}`,
      );
      if (part.kind !== "suite") clearLabs(root);
      return interrupted;
    }
    done.push(record);
    for (const line of summaryOf(record)) log(line);
    if (isTrial) continue;
    writeRecord(records, record);
    writeDocuments(root, parts, readRecords(records));
  }
  return done.some(({ verdict }) => verdict === "broken" || verdict === "deadlines-missed") ? 1 : 0;
}

/** As a shell reports a program that was interrupted. */
const interrupted = 130;

/** The order is that of the list, whatever the order of the words. */
function chosenParts({ root, parts, records }: Proof, { words, which }: Choice): readonly Part[] {
  const named = namedParts(parts, words);
  if (which === "all") return named;
  const stale = staleParts(root, named, readRecords(records));
  return named.filter((part) => stale.has(part.name));
}

/** Builds before the first part that needs it, and again when the sources of the build have changed since. */
function builder({ root, workFolder, env, signal, log }: Proof): () => Promise<boolean> {
  let built = "";
  const covers = [
    "contract/src/**",
    "daemon/src/**",
    "cli/src/**",
    "web/**",
    "rolldown.config.ts",
    "package-lock.json",
  ];
  return async () => {
    const current = digestOf(readTree(root), { covers, tests: [] });
    if (current === built) return true;
    const logFile = join(workFolder, "build.log");
    const { exitCode } = await runCommand({ words: ["npm", "run", "build"], cwd: root, env, log: logFile, signal });
    if (exitCode === 0) built = current;
    else if (!signal.aborted) log("The build failed. No part that needs it was run.");
    return exitCode === 0 && !signal.aborted;
  };
}

/** Processes of an interrupted lab would use the processors until the next lab starts. Labs that are in use stay. */
function clearLabs(root: string): void {
  try {
    execFileSync(process.execPath, ["scripts/clear-labs.ts"], { cwd: root, stdio: "ignore" });
  } catch {
    // The next lab clears them.
  }
}

function summaryOf({ part, verdict, seconds, tests, ...record }: ProofRecord): string[] {
  return [
    `${part}: ${verdict} after ${seconds} s; ${tests.passed} passed, ${tests.failed} failed`,
    ...record.broken.map((it) => `  broken: ${it}`),
    ...record.missedDeadlines.map((it) => `  missed deadline: ${it}`),
    ...record.missedTargets.map((it) => `  missed target: ${it}`),
    ...record.figures.filter((it) => it.regression).map((it) => `  regression: ${it.name}`),
  ];
}

const namesOf = (parts: readonly { readonly name: string }[]): string => parts.map(({ name }) => name).join(", ");
