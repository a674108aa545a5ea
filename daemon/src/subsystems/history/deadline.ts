import type { RevertReason } from "@portcullis/contract/events";
import type { Ledger } from "../../ledger/ledger.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly now: () => Date;
  readonly revert: (reason: RevertReason) => void;
}

/** Reverts a change that is not confirmed in time. It runs immediately at the start, for deadlines that passed while the daemon was stopped. */
export function watchDeadline({ ledger, now, revert }: Needs): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    clearTimeout(timer);
    timer = undefined;
    const pending = ledger.releases.pending();
    if (!pending) return;
    const remainingMs = Date.parse(pending.deadline) - now().getTime();
    // A clock before the time of the change is wrong: the deadline is unknown, so that the change is reverted now.
    if (remainingMs <= 0 || now().getTime() < Date.parse(pending.at)) revert("not confirmed in time");
    else timer = setTimeout(check, Math.min(remainingMs, longestWaitMs));
  }
  ledger.watch(() => {
    if ((ledger.releases.pending() === undefined) === (timer === undefined)) return;
    check();
  });
  check();
  return { stop: () => clearTimeout(timer) };
}

/** Limit of the timer, so that the deadline stays correct when the wall clock is set. */
const longestWaitMs = 10_000;
