import { randomInt } from "node:crypto";
import type { FilterPolicy } from "../../engines/dnsdist/filter-policy.model.ts";

/**
 * The latest filter policies, each with a number. Log messages contain the number: they reach the daemon up to seconds later,
 * when another policy may have another rule at the same index.
 */
export function policyRevisions(first = randomInt(2 ** 31), max = 64) {
  const kept = new Map<number, FilterPolicy>();
  // Random, because resolvers outlive the daemon: a policy of an earlier daemon must not be mistaken for ours.
  let next = first;
  return {
    add: (policy: FilterPolicy): number => {
      const revision = next;
      next = (next + 1) % 2 ** 32;
      kept.set(revision, policy);
      for (const oldest of kept.keys()) {
        if (kept.size <= max) break;
        kept.delete(oldest);
      }
      return revision;
    },
    find: (revision: number): FilterPolicy | undefined => kept.get(revision),
  };
}
