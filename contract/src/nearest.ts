/** The known word with the smallest edit distance; undefined if no word is close enough for a suggestion. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: { readonly candidate: string; readonly edits: number } | undefined;
  for (const candidate of known) {
    const edits = editsBetween(word, candidate);
    if (edits !== undefined && edits < (best?.edits ?? Infinity)) best = { candidate, edits };
  }
  return best?.candidate;
}

/**
 * A third of the longer word may be mistyped. The lengths are compared first, so that
 * a client's word of a megabyte costs nothing.
 */
function editsBetween(word: string, candidate: string): number | undefined {
  const longest = Math.max(word.length, candidate.length);
  const allowed = Math.max(1, Math.floor(longest / 3));
  if (Math.abs(word.length - candidate.length) > allowed) return undefined;
  const edits = distance(word.toLowerCase(), candidate.toLowerCase());
  return edits <= allowed && edits < longest ? edits : undefined;
}

/** Insertions, deletions, substitutions and swapped neighbours (optimal string alignment). */
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (same ? 0 : 1),
        swapped ? beforeLast[column - 2]! + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length]!;
}
