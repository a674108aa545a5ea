import type { Ledger } from "../../ledger/ledger.ts";
import type { Exceptions } from "./exceptions.service.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly service: Pick<Exceptions, "sweep" | "prune">;
  readonly now: () => Date;
}

/**
 * Says when exceptions are over. The kernel ends them by itself and on time; this writes it down, tells everybody and
 * has the rules tidied up. It looks at once, so that what expired while we were dead is told too.
 */
export function watchExpiry({ ledger, service, now }: Needs): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let looking = false;

  function look(): void {
    clearTimeout(timer);
    looking = true;
    try {
      const next = service.sweep();
      timer = next && setTimeout(look, Math.min(Math.max(next.getTime() - now().getTime(), 0), longestWaitMs));
    } finally {
      looking = false;
    }
  }
  // A published change may have taken a device away, a record may be a new exception; our own ends are neither.
  ledger.watch(({ revision, cause }) => {
    if (!looking && (revision !== undefined || cause.resourceType === "exception")) look();
  });
  look();
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

/** Looking again now and then keeps an end true when the wall clock is set. */
const longestWaitMs = 10_000;
