import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureSlowness } from "../../testing/slowness.ts";
import { processorTime, shareOfOthers } from "./processors.ts";
import { readReport } from "./report.ts";
import { gateEnv, type Step, stages } from "./steps.ts";
import { exitCodeOf, type GateResult, type StepResult, summaryOf } from "./verdict.ts";

/**
 * `node scripts/gate/run.ts [STEP…]`: the gate, or only the named steps of it. It expects what `.ci/run` installs, and
 * `GATE_STARTED`, the second in which that began, so that the budget covers the installation too.
 */
const chosen = process.argv.slice(2);
const steps = stages.flat();
const unknown = chosen.filter((name) => steps.every((step) => step.name !== name));
if (unknown.length > 0) {
  console.error(`No such step: ${unknown.join(", ")}. There are: ${steps.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const startedSec = Number(process.env["GATE_STARTED"] ?? Date.now() / 1000);
const folder = mkdtempSync(join(tmpdir(), "gate-"));
try {
  const before = processorTime();
  const results: StepResult[] = [];
  for (const stage of stages) {
    const slowness = await measureSlowness();
    const chosenSteps = stage.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
    results.push(...(await Promise.all(chosenSteps.map((step) => run(step, slowness, [...results])))));
  }
  const gate: GateResult = {
    steps: results,
    totalSec: Date.now() / 1000 - startedSec,
    othersShare: shareOfOthers(before, processorTime()),
  };
  record(gate);
  for (const line of summaryOf(gate)) console.log(line);
  process.exitCode = exitCodeOf(gate);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(step: Step, slowness: number, before: readonly StepResult[]): Promise<StepResult> {
  const elapsedSec = Math.round(Date.now() / 1000 - startedSec);
  // If the run is cut off, only its last lines are kept: they show where the time went.
  const durations = before.map(({ name, seconds }) => `${name} ${Math.round(seconds)}`).join(", ");
  console.log(
    `== ${step.name} (after ${elapsedSec} s: ${durations || "nothing yet"}; slowness ${slowness.toFixed(1)})`,
  );
  const reportFile = join(folder, `${step.name}.json`);
  const started = performance.now();
  const env = { ...gateEnv, ...step.env };
  const ended = await Promise.all(commandsOf(step, reportFile).map((command) => execute(command, env)));
  const exitCode = ended.find((it) => it.exitCode !== 0)?.exitCode ?? 0;
  const tail = ended.filter((it) => it.exitCode !== 0).flatMap((it) => it.tail);
  const seconds = (performance.now() - started) / 1000;
  const report = step.tests === undefined ? undefined : readReport(reportFile);
  console.log(`== ${step.name}: ${exitCode === 0 ? "ok" : `exit code ${exitCode}`} after ${Math.round(seconds)} s`);
  const hasUnhandledError = ended.some((it) => it.hasUnhandledError);
  return { name: step.name, seconds, exitCode, slowness, hasUnhandledError, tail, ...(report && { report }) };
}

function commandsOf({ commands = [], tests }: Step, reportFile: string): readonly (readonly string[])[] {
  if (tests === undefined) return commands;
  const command = [
    "npx",
    "vitest",
    "run",
    ...tests.projects.flatMap((project) => ["--project", project]),
    "--tags-filter=!proof",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportFile}`,
    ...(tests.files ?? []),
  ];
  return [command];
}

interface Ended {
  readonly exitCode: number;
  readonly hasUnhandledError: boolean;
  readonly tail: readonly string[];
}

/** Runs it with its output shown as it comes, and keeps the last lines. */
function execute([program = "", ...words]: readonly string[], env: Readonly<Record<string, string>>) {
  return new Promise<Ended>((resolve, reject) => {
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
    let kept = "";
    let hasUnhandledError = false;
    const show = (chunk: Buffer): void => {
      process.stdout.write(chunk);
      kept = (kept + chunk.toString()).slice(-4000);
      hasUnhandledError ||= /caught \d+ unhandled error/.test(kept);
    };
    child.stdout.on("data", show);
    child.stderr.on("data", show);
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ exitCode: code ?? 1, hasUnhandledError, tail: kept.trimEnd().split("\n").slice(-15) }),
    );
  });
}

/** Durations of the last run, for comparison: not under version control. */
function record({ steps: done, totalSec, othersShare }: GateResult): void {
  const durations = done.map(({ name, seconds, slowness, report }) => ({
    name,
    seconds,
    slowness,
    files: report?.files,
  }));
  mkdirSync(".gate", { recursive: true });
  writeFileSync(
    ".gate/last.json",
    `${JSON.stringify({ date: new Date().toISOString(), totalSec, othersShare, durations }, null, 2)}\n`,
  );
}
