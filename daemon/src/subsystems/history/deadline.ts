import type { Ledger } from "../../ledger/ledger.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly now: () => Date;
  readonly revert: (reason: string) => void;
}

/** Takes back what nobody confirmed in time. It looks at once, so that a deadline that passed while we were dead counts too. */
export function watchDeadline({ ledger, now, revert }: Needs): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    clearTimeout(timer);
    timer = undefined;
    const pending = ledger.releases.pending();
    if (!pending) return;
    const remainingMs = Date.parse(pending.deadline) - now().getTime();
    // A clock that runs before the moment of the change is wrong: nobody can say when the deadline is, so it is now.
    if (remainingMs <= 0 || now().getTime() < Date.parse(pending.at)) revert("not confirmed in time");
    else timer = setTimeout(look, Math.min(remainingMs, longestWaitMs));
  }
  ledger.watch(() => {
    if ((ledger.releases.pending() === undefined) === (timer === undefined)) return;
    look();
  });
  look();
  return { stop: () => clearTimeout(timer) };
}

/** Looking again now and then keeps a deadline true when the wall clock is set. */
const longestWaitMs = 10_000;
