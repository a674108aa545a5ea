/** The result of one regular probe. */
export interface Outcome {
  readonly sequence: number;
  readonly answered: boolean;
}

/** The last `size` outcomes. A late reply corrects a missed one; a missed one corrects nothing. */
export function recordOutcome(outcomes: readonly Outcome[], outcome: Outcome, size: number): readonly Outcome[] {
  const known = outcomes.findIndex(({ sequence }) => sequence === outcome.sequence);
  if (known < 0) return [...outcomes, outcome].slice(-size);
  return outcome.answered ? outcomes.with(known, outcome) : outcomes;
}

export function lossIn(outcomes: readonly Outcome[]): { readonly lost: number; readonly of: number } {
  return { lost: outcomes.filter(({ answered }) => !answered).length, of: outcomes.length };
}
