import type { Figure } from "../../testing/figure.ts";
import type { Failure, Report } from "../gate/report.ts";
import { aggregate, isMissed, type RecordedFigure } from "./figures.ts";

/**
 * `broken`: an invariant failed, or the part could not run. `deadlines-missed`: nothing but deadlines failed.
 * `targets-missed`: every test passed, and a figure is beyond its target.
 */
export type Verdict = "held" | "targets-missed" | "deadlines-missed" | "broken";

/** How one step of a part ended. */
export interface StepOutcome {
  readonly command: string;
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly output: string;
  /** Of a run of the test runner, with the files that it should run. */
  readonly report?: Report;
  readonly expectedFiles?: readonly string[];
}

/** What is known about a part beside its exit codes: the results that its scripts left. */
export interface Findings {
  readonly passed: number;
  readonly broken: readonly string[];
  readonly late: readonly string[];
  readonly figures: readonly Figure[];
}
export const noFindings: Findings = { passed: 0, broken: [], late: [], figures: [] };

export interface Conclusion {
  readonly verdict: Verdict;
  readonly tests: { readonly passed: number; readonly failed: number };
  readonly broken: readonly string[];
  readonly missedDeadlines: readonly string[];
  readonly missedTargets: readonly string[];
  readonly figures: readonly RecordedFigure[];
}

export function conclude(steps: readonly StepOutcome[], found: Findings): Conclusion {
  const figures = aggregate(found.figures);
  const late = [...steps.flatMap(({ report }) => report?.late ?? []).map(named), ...found.late];
  const broken = [...steps.flatMap(brokenTests), ...found.broken];
  const unexplained = steps.filter((it) => it.exitCode !== 0 && (it.exitCode === null || !isExplained(it, found)));
  const all = [...broken, ...unexplained.map(({ command, exitCode }) => `${command}: ${endOf(exitCode)}`)];
  const missedTargets = figures.filter(isMissed).map(({ name }) => name);
  const reported = steps.reduce((sum, { report }) => sum + (report?.passed ?? 0), 0);
  return {
    verdict: verdictOf(all, late, missedTargets),
    tests: { passed: reported + found.passed, failed: all.length + late.length },
    broken: limited(all),
    missedDeadlines: limited(late),
    missedTargets,
    figures,
  };
}

function verdictOf(broken: readonly string[], late: readonly string[], missed: readonly string[]): Verdict {
  if (broken.length > 0) return "broken";
  if (late.length > 0) return "deadlines-missed";
  return missed.length > 0 ? "targets-missed" : "held";
}

function brokenTests({ command, output, report, expectedFiles = [] }: StepOutcome): string[] {
  if (report === undefined) return [];
  const ran = new Set(report.files.map(({ name }) => name));
  return [
    ...report.broken.map(named),
    ...expectedFiles.filter((file) => !ran.has(file)).map((file) => `${file}: did not run`),
    // The report does not contain these: they belong to no test.
    ...(/caught \d+ unhandled error/.test(output) ? [`${command}: an error outside of the tests`] : []),
  ];
}

/** A step that failed is explained by a failure that is listed already. */
const isExplained = (step: StepOutcome, found: Findings): boolean =>
  step.report === undefined
    ? found.broken.length + found.late.length > 0
    : brokenTests(step).length + step.report.late.length > 0;

const endOf = (exitCode: number | null): string =>
  exitCode === null ? "ended by a signal" : `ended with exit code ${exitCode}`;

/** The test, and the first line of its message. */
function named({ file, test, message }: Failure): string {
  return shortened(`${file}: ${test}: ${message.split("\n")[0]!.replace(/^DeadlineMissed: /, "")}`);
}

const maxEntries = 30;
const maxCharacters = 300;
const limited = (entries: readonly string[]): readonly string[] =>
  entries.length <= maxEntries ? entries : [...entries.slice(0, maxEntries), `and ${entries.length - maxEntries} more`];
const shortened = (text: string): string => (text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text);
