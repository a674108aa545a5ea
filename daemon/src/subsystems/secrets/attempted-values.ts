import type { Attempt } from "../../ledger/attempt.ts";

/** A value in plain text; it exists in memory only, until its attempt is over. */
interface AttemptedValue {
  readonly secretId: string;
  readonly version: number;
  readonly value: string;
}

/** Values of attempts. They are sealed when their attempt is committed: a validation seals nothing. */
export function attemptedValues() {
  const values = new WeakMap<Attempt, AttemptedValue[]>();
  const of = (attempt: Attempt | undefined): readonly AttemptedValue[] => (attempt && values.get(attempt)) ?? [];
  return {
    all: (attempt: Attempt): readonly AttemptedValue[] => of(attempt),
    add: (attempt: Attempt, value: AttemptedValue): number => {
      const list = values.get(attempt) ?? [];
      values.set(attempt, list);
      list.push(value);
      attempt.onUndo(() => void list.splice(list.indexOf(value), 1));
      return value.version;
    },
    newest: (attempt: Attempt, secretId: string): AttemptedValue | undefined =>
      of(attempt).findLast((it) => it.secretId === secretId),
    find: (attempt: Attempt | undefined, secretId: string, version: number): AttemptedValue | undefined =>
      of(attempt).find((it) => it.secretId === secretId && it.version === version),
  };
}
