import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { exceptionService } from "./exceptions.service.ts";
import { exceptionStore } from "./exceptions.store.ts";
import { watchExpiry } from "./expiry.ts";

const cause = { actor: "ada", action: "create_exception", resourceType: "exception" };

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) }));
afterEach(() => void vi.useRealTimers());

/** Exceptions over a ledger in memory; the sent events, and how often the engines were woken. */
function watched() {
  const now = () => new Date();
  const ledger = ledgerInMemory({ device: "at-once" }, { now, keepRevisions: 100 });
  ledger.change(cause, (draft) => draft.put("device", { id: "tv", mac: "02:00:00:00:00:01", ips: [] } as never));
  const said: string[] = [];
  let wakes = 0;
  const service = exceptionService({
    ledger,
    store: exceptionStore(ledger.database),
    now,
    monotonicMs: () => performance.now(),
    announce: (name, payload) => void said.push(`${name} ${(payload as { reason?: string }).reason ?? ""}`.trimEnd()),
    onChange: () => void (wakes += 1),
  });
  const watch = watchExpiry({ ledger, service, now });
  return {
    service,
    said,
    wakes: () => wakes,
    start: (duration_min: number) =>
      service.create(cause, { type: "temporary-direct", device_id: "tv", duration_min }).id,
    [Symbol.dispose]: () => {
      watch.stop();
      ledger.close();
    },
  };
}

test("expiry: an exception ends on time with one event, and the engines are woken", () => {
  using it = watched();
  it.start(2);
  expect([it.said, it.wakes()]).toEqual([["exception.started"], 1]);
  vi.advanceTimersByTime(119_999);
  expect(it.said).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect([it.said, it.wakes()]).toEqual([["exception.started", "exception.ended expired"], 2]);
  vi.advanceTimersByTime(3_600_000);
  expect(it.said).toHaveLength(2);
});

test("expiry: each of several ends at its own time, also when a shorter one comes later", () => {
  using it = watched();
  it.start(30);
  it.start(1);
  vi.advanceTimersByTime(60_000);
  expect(it.service.active()).toHaveLength(1);
  expect(it.said.at(-1)).toBe("exception.ended expired");
  vi.advanceTimersByTime(29 * 60_000);
  expect([it.service.active(), it.wakes()]).toEqual([[], 4]);
});

test("expiry: a removed exception is reported as removed and does not expire as well", () => {
  using it = watched();
  const id = it.start(1);
  it.service.remove({ ...cause, action: "delete_exception" }, id);
  vi.advanceTimersByTime(120_000);
  expect([it.said, it.wakes()]).toEqual([["exception.started", "exception.ended removed"], 2]);
});

test("expiry: a wall clock that is set forward is noticed within ten seconds", () => {
  using it = watched();
  it.start(60);
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(10_000);
  expect(it.said.at(-1)).toBe("exception.ended expired");
});

test("expiry: a clock that is set back does not lengthen a bypass, and the reported end is correct", () => {
  using it = watched();
  it.start(30);
  vi.advanceTimersByTime(20 * 60_000);
  const [before] = it.service.active();
  vi.setSystemTime(Date.now() - 19 * 60_000);
  const [after] = it.service.active();
  expect(Date.parse(after!.expires_at) - Date.parse(before!.expires_at)).toBe(-19 * 60_000);
  vi.advanceTimersByTime(1000);
  expect(it.service.active()[0]!.expires_at).toBe(after!.expires_at);
  vi.advanceTimersByTime(9 * 60_000);
  expect(it.said.at(-1)).toBe("exception.started");
  vi.advanceTimersByTime(60_000);
  expect([it.said.at(-1), it.service.active()]).toEqual(["exception.ended expired", []]);
});

test("expiry: a clock that is put right again gives a bypass its end back, and a quarantine keeps its own", () => {
  using it = watched();
  it.start(30);
  it.service.create(cause, { type: "quarantine", device_id: "tv", duration_min: 30 });
  const ends = () => it.service.active().map(({ expires_at }) => expires_at);
  const [, quarantine] = ends();
  vi.advanceTimersByTime(60_000);
  vi.setSystemTime(Date.now() - 50_000);
  expect(ends().toSorted()).toEqual([expect.stringContaining("00:29:10"), quarantine]);
  vi.setSystemTime(Date.now() + 50_000);
  expect(ends()).toEqual([quarantine, quarantine]);
});
