import type { Figure } from "../testing/figure.ts";

/** One measurement of a group: the best of its values and all of them, in the order of the runs. */
export interface Measured {
  readonly best: Figure;
  readonly values: readonly number[];
}

/**
 * Other load makes a run slower, so the best value counts: the largest where there is a minimum, otherwise the smallest. A ratio
 * can also come out better than it is, when the load hits the side it is compared to; the values of all runs show that.
 */
export function bestOf(runs: readonly (readonly Figure[])[]): readonly Measured[] {
  return (runs[0] ?? []).map(({ name }) => {
    const all = runs.map((run) => {
      const figure = run.find((it) => it.name === name);
      if (figure === undefined) throw new Error(`Not measured in every run: ${name}`);
      return figure;
    });
    return { best: all.reduce((best, it) => (isBetter(it, best) ? it : best)), values: all.map(({ value }) => value) };
  });
}

const isBetter = (a: Figure, b: Figure): boolean => (a.least === undefined ? a.value < b.value : a.value > b.value);

export const hasTarget = ({ most, least }: Figure): boolean => most !== undefined || least !== undefined;

export const isMissed = ({ value, most = Infinity, least = -Infinity }: Figure): boolean =>
  value > most || value < least;

export const textOf = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

export function targetOf({ most, least }: Figure): string {
  const parts = [
    ...(most === undefined ? [] : [`at most ${most}`]),
    ...(least === undefined ? [] : [`at least ${least}`]),
  ];
  return parts.join(" and ") || "no target";
}
