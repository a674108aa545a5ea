import { memoizingCompiler } from "../../engines/dnsdist/automaton.model.ts";
import type { FilterPolicyFiles } from "../../engines/dnsdist/filter-policy.files.ts";
import type { FilterPolicy } from "../../engines/dnsdist/filter-policy.model.ts";
import { renderFilterPolicy } from "../../engines/dnsdist/filter-policy.render.ts";
import { singleFlight } from "../../system/async.ts";
import { policyRevisions } from "./filter-policy-revisions.ts";

interface Needs {
  readonly files: FilterPolicyFiles;
  readonly warn: (sentence: string, error: unknown) => void;
}

const retryMs = 5000;

/** Writes the file that all resolvers read. Of many policies in a row only the last one is written. */
export function openFilterPolicyWriter({ files, warn }: Needs) {
  const policies = policyRevisions();
  const automaton = memoizingCompiler();
  let wanted: FilterPolicy | undefined;
  let inForce: FilterPolicy | undefined;
  let isClosed = false;
  let written: Promise<void> = Promise.resolve();

  /** Takes the policy that is wanted when it runs. */
  const write = singleFlight(async () => {
    const policy = wanted;
    try {
      const fresh =
        policy && policy !== inForce ? renderFilterPolicy(policy, automaton, policies.add(policy)) : undefined;
      await files.write({ ...(fresh && { policy: fresh }), isFiltering: policy?.isFiltering ?? false });
      inForce = policy;
    } catch (error) {
      warn("The filter policy could not be written", error);
      setTimeout(put, retryMs).unref(); // Nothing else would trigger a second attempt.
    }
  });

  function put(): void {
    if (!isClosed) written = write();
  }

  return {
    want: (policy: FilterPolicy): void => {
      if (policy === wanted) return;
      wanted = policy;
      put();
    },
    /** Writes again: the lists beside the policy are new. */
    rewrite: async (): Promise<void> => {
      put();
      await written;
    },
    /** Resolves when the last policy is written. */
    written: (): Promise<void> => written,
    isWritten: (): boolean => wanted === inForce,
    /** Shared with the API's check of expressions, so that each is compiled once. */
    automaton,
    /** The policy of a revision that answers are tagged with, as long as it is kept. */
    policyOf: policies.find,
    close: async (): Promise<void> => {
      isClosed = true;
      await written;
    },
  };
}
