/** Neighbours disturb both halves of a round or one of them; the middle round is disturbed least. */
export const median = (values: readonly number[]): number => inOrder(values)[Math.floor(values.length / 2)]!;

/** What it takes when the neighbours on the machine are quiet: they only ever add. */
export const quiet = (values: readonly number[]): number => inOrder(values)[Math.floor(values.length / 4)]!;

const inOrder = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
