import type { Ledger } from "../../ledger/ledger.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly auditEntriesKept: number;
  /** Called after old revisions were deleted. */
  readonly afterRetention: () => void;
  readonly onError: (error: unknown) => void;
}

/** Interval in revisions; housekeeping also runs at the start. It runs after the response is sent. */
const everyRevisions = 50;

export function startHousekeeping({ ledger, auditEntriesKept, afterRetention, onError }: Needs): { stop(): void } {
  let planned: NodeJS.Immediate | undefined;

  function clean(): void {
    planned = undefined;
    try {
      if (ledger.releases.retain() > 0) afterRetention();
      ledger.records.pruneAudit(auditEntriesKept);
    } catch (error) {
      onError(error);
    }
  }
  const plan = () => void (planned ??= setImmediate(clean));
  ledger.watch(({ revision }) => {
    if (revision !== undefined && revision % everyRevisions === 0) plan();
  });
  plan();
  return { stop: () => clearImmediate(planned) };
}
