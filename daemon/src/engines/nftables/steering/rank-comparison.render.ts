import { classid, hex, highestRank } from "../marks.model.ts";

/**
 * nft cannot compare two registers. So the question "is the challenger's rank lower?" becomes a map of ranges: one
 * element for each stretch of challengers with no defender between them. Its size is the number of times the two
 * kinds take turns in the order, not the number of policies.
 */
export function winningRanges(challengers: Iterable<number>, defenders: Iterable<number>): string[] {
  const mine = inOrder(challengers);
  if (mine.length === 0) return [];
  const theirs = inOrder(defenders);
  const stretches: { first: number; last: number }[] = [];
  let next = 0;
  for (const rank of mine) {
    const stretch = stretches.at(-1);
    let parted = stretch === undefined;
    for (; next < theirs.length && theirs[next]! <= rank; next++) parted ||= theirs[next]! > stretch!.first;
    if (parted) stretches.push({ first: rank, last: rank });
    else stretch!.last = rank;
  }
  return stretches
    .filter(({ last }) => last < highestRank)
    .map(({ first, last }) => `${hex(last + 1)}-${hex(highestRank)} . ${range(first, last)}`);
}

/** The same rank twice does no harm, and numbers of one kind are sorted ten times as fast. */
const inOrder = (ranks: Iterable<number>): Uint32Array => Uint32Array.from(ranks).sort();

const range = (first: number, last: number): string =>
  first === last ? classid(first) : `${classid(first)}-${classid(last)}`;
