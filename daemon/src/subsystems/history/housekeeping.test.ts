import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { startHousekeeping } from "./housekeeping.ts";

const cause = { actor: "ada", action: "change", resourceType: "thing" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A ledger with housekeeping that keeps five revisions; the reported errors. */
function kept() {
  const ledger = ledgerInMemory({ device: "at-once" }, { keepRevisions: 5 });
  const errors: unknown[] = [];
  const fixture = startHousekeeping({
    ledger,
    auditEntriesKept: 10,
    afterRetention: () => errors.push("retained"),
    onError: (error) => errors.push(error),
  });
  const changeTimes = (times: number) => {
    for (let time = 0; time < times; time++)
      ledger.change(cause, (draft) => draft.put("device", { id: "tv", time: ledger.revision() } as { id: string }));
  };
  const dispose = () => {
    fixture.stop();
    ledger.close();
  };
  return { ledger, errors, changeTimes, stop: () => fixture.stop(), [Symbol.dispose]: dispose };
}

test("housekeeping: old revisions and audit entries go at the start and every fifty revisions, after the change", () => {
  using it = kept();
  it.changeTimes(8);
  vi.runAllTicks();
  expect(it.ledger.releases.count()).toBe(9);
  vi.advanceTimersToNextTimer();
  expect([it.ledger.releases.count(), it.errors]).toEqual([5, ["retained"]]);

  it.changeTimes(40);
  expect([it.ledger.revision(), vi.getTimerCount()]).toEqual([49, 0]);
  it.changeTimes(1);
  expect(vi.getTimerCount()).toBe(1);
  expect(it.ledger.releases.count()).toBe(46);
  vi.advanceTimersToNextTimer();
  expect([it.ledger.releases.count(), it.errors]).toEqual([5, ["retained", "retained"]]);
  expect(it.ledger.records.searchAudit({ limit: 100 })).toHaveLength(10);
});

test("housekeeping: when nothing had to go, nothing else has to follow", () => {
  using it = kept();
  it.changeTimes(2);
  vi.advanceTimersToNextTimer();
  expect(it.errors).toEqual([]);
});

test("housekeeping: an error is reported, and does not stop the daemon", () => {
  using it = kept();
  it.ledger.database.run("ALTER TABLE version RENAME TO elsewhere");
  it.ledger.database.run("UPDATE revision SET number = 100");
  it.ledger.database.run(
    "INSERT INTO revision (number, at, actor, cause, digest, changed) VALUES (1, '', '', '', '', 0)",
  );
  vi.advanceTimersToNextTimer();
  expect(it.errors).toEqual([expect.objectContaining({ message: expect.stringContaining("version") })]);
});

test("housekeeping: a stopped housekeeper does nothing more", () => {
  using it = kept();
  it.changeTimes(8);
  it.stop();
  expect(vi.getTimerCount()).toBe(0);
  expect(it.ledger.releases.count()).toBe(9);
});
