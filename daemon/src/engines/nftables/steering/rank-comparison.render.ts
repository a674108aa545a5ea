import { classid, hex, highestRank } from "../marks.model.ts";

/**
 * nft cannot compare two registers. So "is the candidate's rank lower than the current one?" becomes an interval map: one
 * element for each run of candidates without a current rank between them. Its size is the number of times the two
 * kinds alternate in the order, not the number of policies.
 */
export function winningRanges(candidates: Iterable<number>, current: Iterable<number>): string[] {
  const ranks = inOrder(candidates);
  if (ranks.length === 0) return [];
  const currentRanks = inOrder(current);
  const runs: { first: number; last: number }[] = [];
  let next = 0;
  for (const rank of ranks) {
    const run = runs.at(-1);
    let parted = run === undefined;
    for (; next < currentRanks.length && currentRanks[next]! <= rank; next++)
      parted ||= currentRanks[next]! > run!.first;
    if (parted) runs.push({ first: rank, last: rank });
    else run!.last = rank;
  }
  return runs
    .filter(({ last }) => last < highestRank)
    .map(({ first, last }) => `${hex(last + 1)}-${hex(highestRank)} . ${range(first, last)}`);
}

/** The same rank twice does no harm, and numbers of one kind are sorted ten times as fast. */
const inOrder = (ranks: Iterable<number>): Uint32Array => Uint32Array.from(ranks).sort();

const range = (first: number, last: number): string =>
  first === last ? classid(first) : `${classid(first)}-${classid(last)}`;
