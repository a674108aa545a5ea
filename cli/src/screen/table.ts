import { cut, plainText, type Rich, type Screen, shown, strong, widthOf, wrapped } from "./rich.ts";

export interface Column {
  readonly label: string;
  /** The last column of sentences is wrapped; others are cut. */
  readonly isSentence?: boolean;
  readonly cells: readonly Rich[];
}

const gap = "  ";
const narrowest = 8;
const narrowestSentence = 24;

/** A table that fits the screen: the widest columns are cut, and a sentence at its end is wrapped. */
export function screenTable(columns: readonly Column[], screen: Screen): string {
  const filled = columns.filter(({ cells }) => cells.some((cell) => plainText(cell) !== ""));
  const widths = fitted(filled, screen.columns);
  const rows = filled[0]?.cells.length ?? 0;
  const lines: (readonly Rich[])[] = [filled.map(({ label }) => strong(label.toUpperCase()))];
  for (let row = 0; row < rows; row++) lines.push(filled.map(({ cells }) => cells[row]!));
  return lines
    .flatMap((cells) => laidOut(cells, filled, widths))
    .map((line) => `${shown(line, screen)}\n`)
    .join("");
}

function laidOut(cells: readonly Rich[], columns: readonly Column[], widths: readonly number[]): Rich[] {
  const last = cells.length - 1;
  const before = cells.slice(0, last).flatMap((cell, index) => padded(cut(cell, widths[index]!), widths[index]!));
  const rest = columns[last]?.isSentence
    ? wrapped(cells[last]!, widths[last]!)
    : [cut(cells[last] ?? [], widths[last] ?? 0)];
  const indent = widths.slice(0, last).reduce((sum, width) => sum + width + gap.length, 0);
  return rest.map((line, index) => (index === 0 ? [...before, ...line] : [{ text: " ".repeat(indent) }, ...line]));
}

const padded = (cell: Rich, width: number): Rich => [
  ...cell,
  { text: " ".repeat(Math.max(0, width - widthOf(plainText(cell)))) + gap },
];

/** The width of each column. A table that cannot fit is wider than the screen. */
function fitted(columns: readonly Column[], available: number): number[] {
  const widths = columns.map(({ label, cells }) =>
    Math.max(widthOf(label), ...cells.map((cell) => widthOf(plainText(cell)))),
  );
  const least = columns.map(({ label, isSentence }, index) =>
    Math.min(widths[index]!, Math.max(widthOf(label), isSentence ? narrowestSentence : narrowest)),
  );
  const room = available - gap.length * Math.max(0, columns.length - 1);
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - room; excess > 0; ) {
    const spare = widths.map((width, index) => width - least[index]!);
    const sentence = columns.findIndex(({ isSentence }, index) => isSentence && spare[index]! > 0);
    const widest = sentence >= 0 ? sentence : spare.indexOf(Math.max(...spare));
    if ((spare[widest] ?? 0) <= 0) break;
    const taken = sentence >= 0 ? Math.min(excess, spare[widest]!) : 1;
    widths[widest]! -= taken;
    excess -= taken;
  }
  return widths;
}
