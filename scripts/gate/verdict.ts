import type { Failure, Report, TimedFile } from "./report.ts";

/** How one step of the gate ended. Steps that run tests have a report, which decides; others are judged by their exit code. */
export interface StepResult {
  readonly name: string;
  readonly seconds: number;
  readonly exitCode: number;
  /** How slow the machine was when the step started. */
  readonly slowness: number;
  readonly report?: Report;
  /** The test runner reported an error outside of its tests; its report does not contain those. */
  readonly hasUnhandledError?: boolean;
  /** What the step printed last. */
  readonly tail: readonly string[];
}

export interface GateResult {
  readonly steps: readonly StepResult[];
  readonly totalSec: number;
  /** The share of the processors that other processes used meanwhile. */
  readonly othersShare: number;
}

/** Fifteen minutes on an idle machine; above it, the gate warns. */
export const budgetSec = 900;
/** Above this it fails. The same sources took between 860 and 1,400 s on machines that nothing else used: their processors and disks differ. */
export const limitSec = 1500;

/** Above this, something else uses the processors, or they are slower than those the budget was set on. */
const idleSlowness = 1.2;

function hasFailed({ exitCode, report, hasUnhandledError = false }: StepResult): boolean {
  if (report === undefined) return exitCode !== 0;
  // Missed deadlines explain an exit code, and nothing else does.
  return report.broken.length > 0 || hasUnhandledError || (exitCode !== 0 && report.late.length === 0);
}

/** Above this, the machine was shared. Below it are daemons without a parent, and the system's own work. */
const idleShare = 0.1;

/** An idle machine at the start of every step, and all the time: only then is the total a measure of the gate. */
export const wasIdle = ({ steps, othersShare }: GateResult): boolean =>
  othersShare <= idleShare && steps.every(({ slowness }) => slowness <= idleSlowness);

const isOver = (sec: number, gate: GateResult): boolean => gate.totalSec > sec && wasIdle(gate);

export function exitCodeOf(gate: GateResult): 0 | 1 {
  return gate.steps.some(hasFailed) || isOver(limitSec, gate) ? 1 : 0;
}

/** What a reader of the log needs, most important last; the last line counts. */
export function summaryOf(gate: GateResult): string[] {
  const { steps, totalSec, othersShare } = gate;
  const reports = steps.flatMap(({ report }) => report ?? []);
  const passed = reports.reduce((sum, report) => sum + report.passed, 0);
  const brokenTests = reports.reduce((sum, report) => sum + report.broken.length, 0);
  const otherSteps = steps.filter((it) => hasFailed(it) && (it.report?.broken.length ?? 0) === 0);
  const failed = brokenTests + otherSteps.length + (isOver(limitSec, gate) ? 1 : 0);
  return [
    "",
    "ten slowest files:",
    ...slowest(reports.flatMap(({ files }) => files)).map(({ name, seconds }) => `  ${seconds.toFixed(1)} s  ${name}`),
    `durations: ${steps.map(({ name, seconds }) => `${name} ${Math.round(seconds)} s`).join(", ")}`,
    `total ${Math.round(totalSec)} s, budget ${budgetSec} s, limit ${limitSec} s, machine ${wasIdle(gate) ? "idle" : "not idle"} ` +
      `(slowness ${steps.map(({ slowness }) => slowness.toFixed(1)).join(" ")}; ` +
      `others used ${Math.round(othersShare * 100)} % of the processors)`,
    ...reports.flatMap(({ late }) => late.flatMap((it) => failureLines("warning, a deadline was missed", it))),
    ...steps.flatMap(({ name, report }) => report?.broken.flatMap((it) => failureLines(`failed: ${name}`, it)) ?? []),
    ...otherSteps.flatMap(({ name, tail }) => [`failed step: ${name}`, ...tail.map((line) => `  | ${line}`)]),
    ...(isOver(budgetSec, gate)
      ? [`${isOver(limitSec, gate) ? "failed" : "warning"}: the gate took ${Math.round(totalSec)} s on an idle machine`]
      : []),
    `${passed} passed, ${failed} failed`,
  ];
}

const slowest = (files: readonly TimedFile[]): readonly TimedFile[] =>
  files.toSorted((one, other) => other.seconds - one.seconds).slice(0, 10);

/** The message, and the first line of our own that it came from. */
function failureLines(heading: string, { file, test, message }: Failure): string[] {
  const [text = "", ...frames] = message.split(/\n\s+at /);
  const frame = frames
    .find((it) => !it.includes("node_modules"))
    ?.split("/")
    .at(-1)
    ?.replace(/\)$/, "");
  const lines = text.split("\n").slice(0, 12);
  return [
    `${heading}: ${file}: ${test}`,
    ...[...lines, ...(frame === undefined ? [] : [frame])].map((line) => `  | ${line.slice(0, 300)}`),
  ];
}
