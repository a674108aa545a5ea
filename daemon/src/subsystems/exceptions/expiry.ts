import type { Ledger } from "../../ledger/ledger.ts";
import type { Exceptions } from "./exceptions.service.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly service: Pick<Exceptions, "sweep" | "prune">;
  /** Of the records, as in their audit entries. */
  readonly resourceType?: "exception" | "pause";
  readonly now: () => Date;
}

/**
 * Ends expired exceptions, or pauses. The kernel stops applying them on time by itself; this records the end, sends the event and
 * triggers a cleanup of the rules. It runs immediately at the start, for exceptions that expired while the daemon was stopped.
 */
export function watchExpiry({ ledger, service, resourceType = "exception", now }: Needs): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let isSweeping = false;

  function sweep(): void {
    clearTimeout(timer);
    isSweeping = true;
    try {
      const next = service.sweep();
      timer = next && setTimeout(sweep, Math.min(Math.max(next.getTime() - now().getTime(), 0), longestWaitMs));
    } finally {
      isSweeping = false;
    }
  }
  // A published change may have deleted a device, a record may be a new one; ends recorded here are neither.
  ledger.watch(({ revision, cause }) => {
    if (!isSweeping && (revision !== undefined || cause.resourceType === resourceType)) sweep();
  });
  sweep();
  service.prune();
  const days = setInterval(() => service.prune(), dayMs);
  return {
    stop: () => {
      clearTimeout(timer);
      clearInterval(days);
    },
  };
}

const dayMs = 24 * 3_600_000;

/** Limit of the timer, so that the expiry stays correct when the wall clock is set. */
const longestWaitMs = 10_000;
