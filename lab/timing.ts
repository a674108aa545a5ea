/**
 * For tests that measure time. Others live on the machine: what was too slow is measured again, twice at most, and three times
 * in a row are no accident. Whatever else went wrong is never tried again: a packet that leaked has leaked.
 */
export const measuresTime = {
  // What `expectWithin` and `until` say. An expression, since a function is not heeded by the runner: it would always try again.
  retry: { count: 2, condition: /^(?:Too slow:|After \S+ s still not:)/ },
} as const;

export function expectWithin(limitSec: number, took: Readonly<Record<string, number>>): void {
  const slow = Object.entries(took).filter(([, seconds]) => !(seconds < limitSec));
  if (slow.length === 0) return;
  const told = slow.map(([what, seconds]) => `${what} took ${seconds.toPrecision(3)} s`);
  throw new Error(`Too slow: ${told.join(", ")}; less than ${limitSec} s is allowed`);
}
