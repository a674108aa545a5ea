import { isMissed, type RecordedFigure } from "./figures.ts";
import type { ProofRecord } from "./record.ts";

/* What the rendered documents share. Everything here depends on the records alone, so that a test can compare. */

export const notice = (records: string): string =>
  `<!-- Rendered by \`npm run proof:docs\` from ${records}. Do not edit. -->`;

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();

export const list = (items: readonly string[]): string =>
  items.map((item) => `- ${item.replaceAll(/\s+/g, " ")}`).join("\n");

/** Paragraphs, tables and lists, with an empty line between them; empty ones are left out. */
export const page = (...blocks: readonly string[]): string => `${blocks.filter(Boolean).join("\n\n")}\n`;

export const day = (record: ProofRecord): string => record.date.slice(0, 10);

export const revision = ({ commit, dirty }: ProofRecord): string =>
  `${commit.slice(0, 10)}${dirty ? " with uncommitted changes" : ""}`;

export const testsOf = ({ tests: { passed, failed } }: ProofRecord): string =>
  passed + failed === 0 ? "" : `${grouped(passed)} passed, ${grouped(failed)} failed`;

/** Failures of the part, most important first. */
export const shortcomings = ({ broken, missedDeadlines, missedTargets, figures }: ProofRecord): string[] => [
  ...broken.map((it) => `**broken:** ${it}`),
  ...missedDeadlines.map((it) => `missed deadline: ${it}`),
  ...missedTargets.map((name) => {
    const figure = figures.find((it) => it.name === name);
    return `missed target: ${name}${figure ? `: ${valueOf(figure)}, target ${targetOf(figure)}` : ""}`;
  }),
];

export const valueOf = ({ value, unit }: RecordedFigure): string => `${amount(value)} ${unit}`.trim();

export const targetOf = ({ most, least }: RecordedFigure): string =>
  [
    ...(most === undefined ? [] : [`at most ${amount(most)}`]),
    ...(least === undefined ? [] : [`at least ${amount(least)}`]),
  ].join(", ");

export const targetStatusOf = (figure: RecordedFigure): string =>
  [
    ...(targetOf(figure) === "" ? [] : [isMissed(figure) ? "**missed**" : "met"]),
    ...(figure.regression ? ["**regression**"] : []),
  ].join(", ");

export const remarkOf = ({ note, count }: RecordedFigure): string =>
  [...(count === undefined ? [] : [`worst of ${count}`]), ...(note === undefined ? [] : [note])].join("; ");

/** Counts with separators, measured values with up to four digits as they were recorded. */
export const amount = (value: number): string => (Number.isInteger(value) ? grouped(value) : String(value));

const grouped = (count: number): string => count.toLocaleString("en-US");
