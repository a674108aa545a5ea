import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { pauseService } from "./pauses.service.ts";
import { pauseStore } from "./pauses.store.ts";

const cause = { actor: "ada", action: "create_pause", resourceType: "pause" };
const minuteMs = 60_000;

/** Two clocks, and services that start again over the same ledger. */
function clocked() {
  const clock = { wallMs: Date.UTC(2030, 0, 1), monotonicMs: 5000 };
  const now = () => new Date(clock.wallMs);
  const ledger = ledgerInMemory({ device: "at-once" }, { now, keepRevisions: 100 });
  const open = (boot = "one") =>
    pauseService({
      ledger,
      store: pauseStore(ledger.database),
      now,
      monotonicMs: () => clock.monotonicMs,
      boot,
      isFiltering: () => true,
      domainIn: (_field, text) => text,
      announce: () => {},
      onChange: () => {},
    });
  const pass = (minutes: number) => {
    clock.wallMs += minutes * minuteMs;
    clock.monotonicMs += minutes * minuteMs;
  };
  return { clock, open, pass, [Symbol.dispose]: () => ledger.close() };
}
const start = (service: ReturnType<ReturnType<typeof clocked>["open"]>) =>
  service.create(cause, { type: "filtering", source_type: "everyone", duration_min: 30 }).id;
const leftMin = (service: ReturnType<ReturnType<typeof clocked>["open"]>, id: string) =>
  service.get(id).remaining_sec / 60;

test("a clock that is set back does not lengthen a pause, neither while the daemon runs nor across its restart", () => {
  using it = clocked();
  const service = it.open();
  const id = start(service);
  it.pass(10);
  it.clock.wallMs -= 60 * minuteMs;
  expect(leftMin(service, id)).toBe(20);
  expect(leftMin(it.open(), id)).toBe(20);
  const [paused] = it.open().forCompiler();
  expect(paused?.untilSec).toBe(5 + 30 * 60);
  it.pass(20);
  expect(it.open().active()).toEqual([]);
});

test("a clock that is set forward shortens a pause, also for the resolvers", () => {
  using it = clocked();
  const service = it.open();
  const id = start(service);
  it.clock.wallMs += 25 * minuteMs;
  expect(leftMin(service, id)).toBe(5);
  expect(service.forCompiler()[0]?.untilSec).toBe(5 + 5 * 60);
});

test("after a boot the wall clock counts; one before the start of a pause ends it", () => {
  using it = clocked();
  const id = start(it.open());
  it.clock.monotonicMs = 100;
  it.clock.wallMs += 12 * minuteMs;
  const next = it.open("two");
  expect(leftMin(next, id)).toBe(18);
  expect(next.forCompiler()[0]?.untilSec).toBe(18 * 60);
  it.clock.wallMs -= 24 * 60 * minuteMs;
  const third = it.open("three");
  third.sweep();
  expect(third.get(id)).toMatchObject({ active: false });
});

test("what the compiler gets is equal at each time, so that nothing is compiled again", () => {
  using it = clocked();
  const service = it.open();
  start(service);
  const first = service.forCompiler();
  it.pass(3);
  it.clock.monotonicMs += 7;
  expect(service.forCompiler()).toEqual(first);
});
