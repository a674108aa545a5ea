/** Whose commits the kernel tells of: ours, or a stranger's. */
export interface Commits {
  /** A process of ours is about to change rules. */
  readonly ours: (processId: number) => void;
  /** A line of `nft monitor`; answers whether it tells of a stranger. */
  isForeignChange(line: string): boolean;
  /** Nobody listened for a while, so anything may have happened. */
  invalidate(): void;
  /** How often strangers have changed rules, or may have. */
  readonly foreignCommits: () => number;
  /** It is time to look at the rules, though nobody was heard. */
  quickCheck(): void;
  readonly quickChecks: () => number;
}

const maxProcesses = 200;

export function watchCommits(): Commits {
  const ours = new Set<number>();
  let strangers = 0;
  let glances = 0;
  return {
    ours: (processId) => {
      ours.add(processId);
      if (ours.size > maxProcesses) ours.delete(ours.values().next().value!);
    },
    isForeignChange: (line) => {
      if (!line.startsWith("#")) return false;
      const processId = /^# new generation \d+ by process (\d+)/.exec(line)?.[1];
      // Every other remark says that events were lost. A process of ours commits once: whoever has its number afterwards
      // is somebody else.
      const isStranger = processId === undefined || !ours.delete(Number(processId));
      if (isStranger) strangers += 1;
      return isStranger;
    },
    invalidate: () => void (strangers += 1),
    foreignCommits: () => strangers,
    quickCheck: () => void (glances += 1),
    quickChecks: () => glances,
  };
}
