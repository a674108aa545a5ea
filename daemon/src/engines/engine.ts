/**
 * What the reconciler knows of an engine. Desired, actual and changes are plain data; `changes` is pure.
 * `observe` must see everything `apply` can write, or drift goes unnoticed.
 */
export interface Engine<Desired, Actual = unknown, Change = unknown> {
  readonly name: string;
  observe(): Promise<Actual>;
  changes(desired: Desired, actual: Actual): readonly Change[];
  apply(changes: readonly Change[]): Promise<void>;
  /** What another program changed, for the operator. */
  drift(changes: readonly Change[], actual: Actual): readonly Drift[];
}

/** One difference; null where it is missing or should not exist. */
export interface Drift {
  readonly resource: string;
  readonly field: string;
  readonly expected: string | null;
  readonly actual: string | null;
}
