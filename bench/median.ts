/** Neighbours disturb both halves of a round or one of them; the middle round is disturbed least. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
