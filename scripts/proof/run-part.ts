import { randomInt } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { measureSlowness } from "../../testing/slowness.ts";
import { readReport } from "../gate/report.ts";
import { runCommand } from "./command.ts";
import { readFigures, withHistory } from "./figures.ts";
import { findingsOf } from "./findings.ts";
import type { Part, Sizes, Step } from "./part.ts";
import type { ProofRecord } from "./record.ts";
import { currentCommit, digestOf, isDirty, readTree } from "./sources.ts";
import { conclude, type Findings, noFindings, type StepOutcome } from "./verdict.ts";

export interface RunEnvironment {
  readonly root: string;
  /** For logs, reports and results; a folder for each part. */
  readonly workFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Runs every step and returns the record; `undefined` if it was interrupted. */
export async function runPart(
  part: Part,
  { root, workFolder, env, signal }: RunEnvironment,
  { earlier, sizes = {} }: { readonly earlier?: ProofRecord | undefined; readonly sizes?: Sizes } = {},
): Promise<ProofRecord | undefined> {
  const digest = digestOf(readTree(root), part);
  const [commit, dirty] = [currentCommit(root), isDirty(root, part)];
  const folder = join(workFolder, part.name);
  prepareFolder(folder, digest, part);
  const seed = randomInt(2 ** 31 - 1);
  const slowness = await measureSlowness();
  const [loadAtStart, started] = [loadavg()[0]!, performance.now()];

  const variables = { ...part.sizes, ...sizes };
  const outcomes: StepOutcome[] = [];
  for (const [index, step] of part.steps.entries()) {
    const report = join(folder, `report-${index}.json`);
    const words = wordsOf(step, report);
    const { exitCode, output } = await runCommand({
      words: [process.execPath, ...words],
      cwd: root,
      env: {
        ...env,
        // A limit of the gate for properties that the caller may have set.
        PROPERTY_MS: "0",
        ...texts({ ...part.sizes, ...step.env, ...sizes }),
        ...Object.fromEntries(Object.entries(part.results ?? {}).map(([name, file]) => [name, join(folder, file)])),
        SEED: String(seed),
        FIGURES: join(folder, figuresFile),
      },
      log: join(folder, "output.log"),
      signal,
    });
    if (signal.aborted) return undefined;
    outcomes.push({ command: nameOf(step), exitCode, output, ...reportOf(step, report) });
  }

  const conclusion = conclude(outcomes, findings(part, folder, outcomes));
  // The next run starts over.
  rmSync(join(folder, digestFile));
  const date = `${new Date().toISOString().slice(0, 16)}Z`;
  const { figures, history } = withHistory(conclusion.figures, earlier?.history ?? {}, {
    date,
    commit: commit.slice(0, 10),
  });
  return {
    part: part.name,
    verdict: conclusion.verdict,
    commit,
    ...(dirty ? { dirty: true } : {}),
    digest,
    date,
    load: { start: hundredths(loadAtStart), end: hundredths(loadavg()[0]!) },
    slowness: hundredths(slowness),
    seed,
    sizes: variables,
    seconds: Math.round((performance.now() - started) / 1000),
    tests: conclusion.tests,
    broken: conclusion.broken,
    missedDeadlines: conclusion.missedDeadlines,
    missedTargets: conclusion.missedTargets,
    ...(part.kind === "benchmark" ? { figures, history } : { figures: conclusion.figures }),
  };
}

const figuresFile = "figures.jsonl";
const digestFile = "digest";

/** What an interrupted run left is only of use for the same sources, and for scripts that continue from it. */
function prepareFolder(folder: string, digest: string, { continues }: Part): void {
  const mark = join(folder, digestFile);
  const isContinued = continues === true && existsSync(mark) && readFileSync(mark, "utf8") === digest;
  if (!isContinued && existsSync(folder)) {
    // Results of more than an hour are worth a second look.
    rmSync(`${folder}.before`, { recursive: true, force: true });
    renameSync(folder, `${folder}.before`);
  }
  mkdirSync(folder, { recursive: true });
  for (const name of [figuresFile, "output.log"]) writeFileSync(join(folder, name), "");
  writeFileSync(mark, digest);
}

function wordsOf(step: Step, report: string): string[] {
  if (step.kind === "script") return [step.script, ...(step.words ?? [])];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return ["node_modules/vitest/vitest.mjs", "run", "--project", step.project, ...(step.files ?? []), ...reporters];
}

const nameOf = (step: Step): string => (step.kind === "script" ? step.script : `tests of ${step.project}`);

const reportOf = (step: Step, report: string): Pick<StepOutcome, "report" | "expectedFiles"> =>
  step.kind === "script" ? {} : { report: readReport(report), expectedFiles: step.files ?? [] };

function findings(part: Part, folder: string, outcomes: readonly StepOutcome[]): Findings {
  const figures = readFigures(readFileSync(join(folder, figuresFile), "utf8"));
  const output = outcomes.map((it) => it.output).join("\n");
  const left = findingsOf[part.name]?.(folder, output) ?? noFindings;
  const isEmpty = part.kind === "benchmark" && figures.length === 0;
  return {
    ...left,
    broken: [...left.broken, ...(isEmpty ? ["no figure was measured"] : [])],
    figures: [...figures, ...left.figures],
  };
}

const texts = (sizes: Sizes): Record<string, string> =>
  Object.fromEntries(Object.entries(sizes).map(([name, value]) => [name, String(value)]));
const hundredths = (value: number): number => Math.round(100 * value) / 100;
