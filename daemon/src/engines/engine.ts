/**
 * What the reconciler knows of an engine. Desired, actual and changes are plain data; `changes` is pure.
 * `observe` must see everything `apply` can write, or drift goes unnoticed.
 */
export interface Engine<Desired, Actual = unknown, Change = unknown> {
  readonly name: string;
  observe(): Promise<Actual>;
  changes(desired: Desired, actual: Actual): readonly Change[];
  apply(changes: readonly Change[]): Promise<void>;
  /** What somebody else changed, told so that a person finds it. */
  drift(changes: readonly Change[], actual: Actual): readonly Drift[];
}

/** One thing that is not as it should be; null where it is missing or should not be there. */
export interface Drift {
  readonly resource: string;
  readonly field: string;
  readonly expected: string | null;
  readonly actual: string | null;
}
