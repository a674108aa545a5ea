import { fork } from "node:child_process";
import { type Figure, recordFigure } from "../testing/figure.ts";
import { bestOf, hasTarget, isMissed, targetOf, textOf } from "./best.ts";
import { groups } from "./groups.ts";

/*
 * `run.ts [GROUP…]`, `npm run bench`: measures the named groups, or all, and records the best value of each measurement.
 * A missed target is reported and is no failure. It fails when a benchmark failed to run.
 */
const wanted = process.argv.slice(2);
const runs = Number(process.env["BENCH_RUNS"] ?? 3);
const unknown = wanted.filter((name) => !Object.hasOwn(groups, name));
if (unknown.length > 0 || !Number.isInteger(runs) || runs < 1) {
  console.error(
    unknown.length > 0
      ? `bench: unknown ${unknown.join(", ")}; there are ${Object.keys(groups).join(", ")}`
      : "bench: BENCH_RUNS is a whole number from 1",
  );
  process.exit(2);
}

/** A run takes minutes at most. One that does not end must not keep the others from running. */
const longestRunMs = 3_600_000;
const recorded: Figure[] = [];
const failed: string[] = [];
for (const name of Object.keys(groups).filter((it) => wanted.length === 0 || wanted.includes(it))) {
  try {
    recorded.push(...(await measure(name)));
  } catch (error) {
    console.error(`${name}: failed to run: ${error instanceof Error ? error.message : String(error)}`);
    failed.push(name);
  }
}
const missed = recorded.filter(isMissed);
console.log(`bench: ${recorded.filter(hasTarget).length - missed.length} targets met, ${missed.length} missed`);
for (const it of missed) console.log(`missed: ${it.name}: ${textOf(it.value)} ${it.unit} (${targetOf(it)})`);
if (failed.length > 0) console.log(`failed to run: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** All runs of a group. Its figures are recorded when all of them have succeeded. */
async function measure(name: string): Promise<readonly Figure[]> {
  const started = performance.now();
  const all: (readonly Figure[])[] = [];
  for (let run = 1; run <= runs; run += 1) {
    const runStarted = performance.now();
    const figures = await runOnce(name);
    console.log(`${name}: run ${run} of ${runs}, ${secondsSince(runStarted)} s`);
    for (const it of figures) console.log(`  ${it.name}\t${textOf(it.value)} ${it.unit}\t${it.note ?? ""}`);
    all.push(figures);
  }
  const measured = bestOf(all);
  console.log(`${name}: best of ${runs}, ${secondsSince(started)} s in all`);
  for (const { best, values } of measured) {
    const verdict = isMissed(best) ? ", missed" : "";
    console.log(
      `  ${best.name}\t${textOf(best.value)} ${best.unit}\t(${targetOf(best)}${verdict})\tof ${values.map(textOf).join(", ")}`,
    );
    recordFigure({ ...best, note: [best.note, `runs: ${values.map(textOf).join(", ")}`].filter(Boolean).join("; ") });
  }
  return measured.map(({ best }) => best);
}

function secondsSince(started: number): string {
  return ((performance.now() - started) / 1000).toFixed(0);
}

function runOnce(name: string): Promise<readonly Figure[]> {
  const child = fork(new URL("./one-run.ts", import.meta.url), [name], { timeout: longestRunMs });
  return new Promise((resolve, reject) => {
    let figures: readonly Figure[] | undefined;
    child.once("message", (message) => {
      figures = message as readonly Figure[];
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (figures !== undefined && code === 0) resolve(figures);
      else reject(new Error(`a run ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}
