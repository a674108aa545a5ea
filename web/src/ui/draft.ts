import { useState } from "react";

/** The state of a form: `change({ name })` keeps the rest. */
export function useDraft<T extends object>(first: T): readonly [T, (part: Partial<T>) => void] {
  const [draft, setDraft] = useState(first);
  return [draft, (part) => setDraft((was) => ({ ...was, ...part }))];
}
