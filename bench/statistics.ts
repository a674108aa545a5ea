/** Other load disturbs single rounds. */
export const median = (values: readonly number[]): number => sorted(values)[Math.floor(values.length / 2)]!;

/** Close to the value without other load, which only increases it. */
export const lowerQuartile = (values: readonly number[]): number => sorted(values)[Math.floor(values.length / 4)]!;

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
