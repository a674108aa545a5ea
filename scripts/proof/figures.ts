import type { Figure } from "../../testing/figure.ts";

/** A figure as the record keeps it. */
export interface RecordedFigure extends Figure {
  /** How many values were measured under this name, when there was more than one; the worst is kept. */
  readonly count?: number;
  /** More than 10 percent worse than the median of the earlier values. */
  readonly regression?: true;
}

/** One earlier value of a figure. */
export interface Point {
  readonly value: number;
  readonly date: string;
  readonly commit: string;
}
export type History = Readonly<Record<string, readonly Point[]>>;

const maxFigures = 60;
const keptPoints = 10;
const worseBy = 1.1;

/** Reads what `recordFigure` wrote, a line for each figure. A line cut short by a kill is left out. */
export function readFigures(text: string): Figure[] {
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Figure];
    } catch {
      return [];
    }
  });
}

/** One figure for each name: the worst, and how many there were. Of too many, those nearest to their targets stay. */
export function aggregate(figures: readonly Figure[]): RecordedFigure[] {
  const byName = Map.groupBy(figures, ({ name }) => name);
  const worst = [...byName.values()].map((same) => {
    const one = rounded(same.reduce((found, it) => (isWorse(it, found) ? it : found)));
    return same.length > 1 ? { ...one, count: same.length } : one;
  });
  const kept = new Set(worst.toSorted((one, other) => closeness(other) - closeness(one)).slice(0, maxFigures));
  return worst.filter((it) => kept.has(it));
}

/** A figure without `least` is a cost: more of it is worse. */
const isWorse = (one: Figure, other: Figure): boolean =>
  one.least === undefined ? one.value > other.value : one.value < other.value;

export const isMissed = ({ value, most = Infinity, least = -Infinity }: Figure): boolean =>
  value > most || value < least;

/** How near a figure is to its target: above 1 it is missed, without a target it is 0. */
export function closeness({ value, most, least }: Figure): number {
  if (most !== undefined) return most === 0 ? (value > 0 ? Infinity : 1) : value / most;
  if (least !== undefined) return value <= 0 ? Infinity : least / value;
  return 0;
}

/** Marks regressions against the earlier values, and adds the new values to them. */
export function withHistory(
  figures: readonly RecordedFigure[],
  earlier: History,
  at: Omit<Point, "value">,
): { readonly figures: readonly RecordedFigure[]; readonly history: History } {
  const marked = figures.map((figure): RecordedFigure => {
    const typical = median((earlier[figure.name] ?? []).map(({ value }) => value));
    return typical !== undefined && isRegression(figure, typical) ? { ...figure, regression: true } : figure;
  });
  const added = figures.map(({ name, value }) => [
    name,
    [...(earlier[name] ?? []), { value, ...at }].slice(-keptPoints),
  ]);
  return { figures: marked, history: { ...earlier, ...Object.fromEntries(added) } };
}

const isRegression = ({ value, least }: Figure, typical: number): boolean =>
  least === undefined ? value > typical * worseBy : value * worseBy < typical;

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]
    : sorted.length === 0
      ? undefined
      : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Four digits of a measured value; counts stay exact. Only known fields, in a fixed order. */
function rounded({ name, value, unit, most, least, note }: Figure): Figure {
  return {
    name,
    value: fourDigits(value),
    unit,
    ...(most === undefined ? {} : { most: fourDigits(most) }),
    ...(least === undefined ? {} : { least: fourDigits(least) }),
    ...(note === undefined ? {} : { note }),
  };
}
const fourDigits = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(4)));
