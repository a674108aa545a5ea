/** Distinguishes our commits of nftables rules from those of other programs. */
export interface Commits {
  /** A process of ours is about to change rules. */
  readonly ours: (processId: number) => void;
  /** A line of `nft monitor`; returns whether it reports a foreign commit. */
  isForeignChange(line: string): boolean;
  /** Events may have been missed. */
  invalidate(): void;
  /** Number of commits by other programs, including possible ones. */
  readonly foreignCommits: () => number;
  /** Requests a quick check of the rules without an event. */
  quickCheck(): void;
  readonly quickChecks: () => number;
}

const maxProcesses = 200;

export function watchCommits(): Commits {
  const ours = new Set<number>();
  let foreign = 0;
  let glances = 0;
  return {
    ours: (processId) => {
      ours.add(processId);
      if (ours.size > maxProcesses) ours.delete(ours.values().next().value!);
    },
    isForeignChange: (line) => {
      if (!line.startsWith("#")) return false;
      const processId = /^# new generation \d+ by process (\d+)/.exec(line)?.[1];
      // Every other comment line reports lost events. A process of ours commits once: a later one with its number
      // is foreign.
      const isForeign = processId === undefined || !ours.delete(Number(processId));
      if (isForeign) foreign += 1;
      return isForeign;
    },
    invalidate: () => void (foreign += 1),
    foreignCommits: () => foreign,
    quickCheck: () => void (glances += 1),
    quickChecks: () => glances,
  };
}
