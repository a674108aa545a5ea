import type { Ledger } from "../../ledger/ledger.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly auditEntriesKept: number;
  /** What else can go once old revisions are gone. */
  readonly afterRetention: () => void;
  readonly onError: (error: unknown) => void;
}

/** Every so many revisions, and once at start, old ones are forgotten: after the answer, not before it. */
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
