import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { watchSchedules } from "./schedule-watch.ts";

/** A Monday. */
beforeEach(() => void vi.useFakeTimers({ now: new Date(2026, 10, 16, 20, 58, 30) }));
afterEach(() => void vi.useRealTimers());

const nights = { id: "nights", name: "Nights", days: ["monday"], from: "21:00", to: "07:00", note: "" };

function watched() {
  const ledger = ledgerInMemory({ schedule: "at-once" });
  const cause = { actor: "ada", action: "create_schedule", resourceType: "schedule" };
  const put = (schedule: typeof nights) => ledger.change(cause, (draft) => draft.put("schedule", schedule as never));
  const sent: string[] = [];
  let changes = 0;
  const watch = watchSchedules({
    ledger,
    now: () => new Date(),
    sinceBootMs: () => performance.now(),
    announce: (name, payload) => void sent.push(`${name} ${(payload as { name: string }).name}`),
    onChange: () => void (changes += 1),
  });
  return {
    put,
    sent,
    changes: () => changes,
    [Symbol.dispose]: () => {
      watch.stop();
      ledger.close();
    },
  };
}

test("schedules: begin and end at the minute, each with one event and one compilation", () => {
  using it = watched();
  it.put(nights);
  vi.advanceTimersByTime(89_999);
  expect([it.sent, it.changes()]).toEqual([[], 0]);
  vi.advanceTimersByTime(1);
  expect([it.sent, it.changes()]).toEqual([["schedule.started Nights"], 1]);
  vi.advanceTimersByTime(10 * 3_600_000 - 1);
  expect(it.sent).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect([it.sent, it.changes()]).toEqual([["schedule.started Nights", "schedule.ended Nights"], 2]);
});

test("schedules: a clock that is set is noticed within ten seconds", () => {
  using it = watched();
  it.put(nights);
  vi.setSystemTime(new Date(2026, 10, 16, 23, 0, 1));
  vi.advanceTimersByTime(10_000);
  expect(it.sent).toEqual(["schedule.started Nights"]);
});

test("schedules: a clock that is set has the rules compiled again, though no schedule begins or ends", () => {
  using it = watched();
  it.put(nights);
  vi.setSystemTime(new Date(2026, 10, 16, 20, 30));
  vi.advanceTimersByTime(10_000);
  expect([it.sent, it.changes()]).toEqual([[], 1]);
  vi.advanceTimersByTime(60_000);
  expect([it.sent, it.changes()]).toEqual([[], 1]);
});

test("schedules: new times that make one active are announced; a new one that is active already is not", () => {
  using it = watched();
  it.put(nights);
  it.put({ ...nights, from: "20:00" });
  expect(it.sent).toEqual(["schedule.started Nights"]);
  it.put({ ...nights, id: "all", name: "All", from: "00:00", to: "00:00" });
  expect(it.sent).toHaveLength(1);
});

test("schedules: without one, no timer is running", () => {
  using it = watched();
  expect(vi.getTimerCount()).toBe(0);
  it.put(nights);
  expect(vi.getTimerCount()).toBe(1);
});
