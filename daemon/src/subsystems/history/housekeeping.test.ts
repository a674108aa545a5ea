import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { startHousekeeping } from "./housekeeping.ts";

const cause = { actor: "ada", action: "change", resourceType: "thing" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A ledger that keeps five revisions and whose house is kept; what housekeeping told so far. */
function kept() {
  const ledger = ledgerInMemory({ device: "at-once" }, { keepRevisions: 5 });
  const told: unknown[] = [];
  const house = startHousekeeping({
    ledger,
    auditEntriesKept: 10,
    afterRetention: () => told.push("retained"),
    onError: (error) => told.push(error),
  });
  const changeTimes = (times: number) => {
    for (let time = 0; time < times; time++)
      ledger.change(cause, (draft) => draft.put("device", { id: "tv", time: ledger.revision() } as { id: string }));
  };
  const dispose = () => {
    house.stop();
    ledger.close();
  };
  return { ledger, told, changeTimes, stop: () => house.stop(), [Symbol.dispose]: dispose };
}

test("old revisions and audit entries go at the start and every fifty revisions, after the change", () => {
  using it = kept();
  it.changeTimes(8);
  vi.runAllTicks();
  expect(it.ledger.releases.count()).toBe(9);
  vi.advanceTimersToNextTimer();
  expect([it.ledger.releases.count(), it.told]).toEqual([5, ["retained"]]);

  it.changeTimes(40);
  expect([it.ledger.revision(), vi.getTimerCount()]).toEqual([49, 0]);
  it.changeTimes(1);
  expect(vi.getTimerCount()).toBe(1);
  expect(it.ledger.releases.count()).toBe(46);
  vi.advanceTimersToNextTimer();
  expect([it.ledger.releases.count(), it.told]).toEqual([5, ["retained", "retained"]]);
  expect(it.ledger.records.searchAudit({ limit: 100 })).toHaveLength(10);
});

test("when nothing had to go, nothing else has to follow", () => {
  using it = kept();
  it.changeTimes(2);
  vi.advanceTimersToNextTimer();
  expect(it.told).toEqual([]);
});

test("a house that cannot be kept is told of, and does not take the daemon down", () => {
  using it = kept();
  it.ledger.database.run("ALTER TABLE version RENAME TO elsewhere");
  it.ledger.database.run("UPDATE revision SET number = 100");
  it.ledger.database.run(
    "INSERT INTO revision (number, at, actor, cause, digest, changed) VALUES (1, '', '', '', '', 0)",
  );
  vi.advanceTimersToNextTimer();
  expect(it.told).toEqual([expect.objectContaining({ message: expect.stringContaining("version") })]);
});

test("a stopped housekeeper does nothing more", () => {
  using it = kept();
  it.changeTimes(8);
  it.stop();
  expect(vi.getTimerCount()).toBe(0);
  expect(it.ledger.releases.count()).toBe(9);
});
