import { randomInt } from "node:crypto";
import type { FilterPolicy } from "../../engines/dnsdist/filter-policy.model.ts";

/**
 * The filter policies that were written lately, each under a number of its own. Answers that are logged carry the number: they reach
 * the daemon up to seconds later, when another policy may have another rule at the same place.
 */
export function policyRevisions(first = randomInt(2 ** 31), most = 64) {
  const kept = new Map<number, FilterPolicy>();
  // From chance, since resolvers outlive the daemon: what an earlier one wrote must not be taken for ours.
  let next = first;
  return {
    add: (policy: FilterPolicy): number => {
      const revision = next;
      next = (next + 1) % 2 ** 32;
      kept.set(revision, policy);
      for (const oldest of kept.keys()) {
        if (kept.size <= most) break;
        kept.delete(oldest);
      }
      return revision;
    },
    find: (revision: number): FilterPolicy | undefined => kept.get(revision),
  };
}
