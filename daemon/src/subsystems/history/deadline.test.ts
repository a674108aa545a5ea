import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { watchDeadline } from "./deadline.ts";

const cause = { actor: "ada", action: "change", resourceType: "thing" };

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) }));
afterEach(() => void vi.useRealTimers());

/** A ledger in memory whose deadlines are watched, and why things went back so far. */
function watched() {
  const now = () => new Date();
  const ledger = ledgerInMemory({ device: "at-once" }, { now, keepRevisions: 100 });
  const reverted: string[] = [];
  const watch = () =>
    watchDeadline({
      ledger,
      now,
      revert: (reason) => {
        reverted.push(reason);
        ledger.releases.revert({ ...cause, actor: "system" }, reason);
      },
    });
  const first = watch();
  const dispose = () => {
    first.stop();
    ledger.close();
  };
  return { ledger, reverted, watch, stop: () => first.stop(), [Symbol.dispose]: dispose };
}

function rollBackForAWhile(ledger: Ledger, withinSec: number): void {
  ledger.change(cause, (draft) => draft.put("device", { id: "tv" }));
  ledger.change(cause, (draft) => draft.remove("device", "tv"));
  ledger.releases.rollback(cause, ledger.revision() - 1, withinSec);
}

test("commit-confirm: a change goes back at its deadline, once, and not before", () => {
  using it = watched();
  rollBackForAWhile(it.ledger, 60);
  vi.advanceTimersByTime(59_999);
  expect(it.reverted).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(it.reverted).toEqual(["not confirmed in time"]);
  expect(it.ledger.releases.pending()).toBeUndefined();
  vi.advanceTimersByTime(3_600_000);
  expect(it.reverted).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("commit-confirm: a confirmed change has no timer left", () => {
  using it = watched();
  rollBackForAWhile(it.ledger, 60);
  expect(vi.getTimerCount()).toBe(1);
  it.ledger.releases.confirm(cause);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(3_600_000);
  expect(it.reverted).toEqual([]);
});

test("commit-confirm: a second change has a deadline of its own", () => {
  using it = watched();
  rollBackForAWhile(it.ledger, 60);
  it.ledger.releases.confirm(cause);
  rollBackForAWhile(it.ledger, 5);
  vi.advanceTimersByTime(5_000);
  expect(it.reverted).toHaveLength(1);
});

test("commit-confirm: commits that have nothing to do with it do not move a deadline", () => {
  using it = watched();
  rollBackForAWhile(it.ledger, 15);
  for (let count = 0; count < 14; count++) {
    vi.advanceTimersByTime(1_000);
    it.ledger.change(cause, (draft) => draft.about(`${count}`));
  }
  expect(it.reverted).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(it.reverted).toHaveLength(1);
});

test("commit-confirm: a clock that is set forward past the deadline is noticed within seconds", () => {
  using it = watched();
  rollBackForAWhile(it.ledger, 3600);
  vi.advanceTimersByTime(10_000);
  vi.setSystemTime(Date.UTC(2030, 0, 1, 2));
  expect(it.reverted).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(it.reverted).toHaveLength(1);
});

test("commit-confirm: a clock that is set to before the change was made takes the change back", () => {
  using it = watched();
  rollBackForAWhile(it.ledger, 3600);
  vi.setSystemTime(Date.UTC(2029, 0, 1));
  vi.advanceTimersByTime(10_000);
  expect(it.reverted).toHaveLength(1);
});

test("deadline: one that passed while the daemon was stopped reverts immediately", () => {
  using it = watched();
  rollBackForAWhile(it.ledger, 60);
  it.stop();
  vi.advanceTimersByTime(61_000);
  expect(it.reverted).toEqual([]);
  it.watch().stop();
  expect(it.reverted).toHaveLength(1);
});
