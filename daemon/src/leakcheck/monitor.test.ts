import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Echo } from "./echo.ts";
import { openMonitor } from "./monitor.ts";
import { minIntervalMs } from "./schedule.machine.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const checkWith = (over: Partial<LeakCheck>): LeakCheck => ({
  started_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:00:01.000Z",
  cause: "tunnel-change",
  verdict: "no-leak",
  devices: [],
  unchecked: 0,
  gateway: [],
  discarded: false,
  ...over,
});

/** A monitor whose checks end as listed, and a count of the checks it made. */
function monitorOf(outcomes: readonly Partial<LeakCheck>[], echoes: readonly Echo[] = []) {
  let made = 0;
  const settings = { enabled: true, delay_sec: 0, address_echo_url: null, resolver_echo_name: null };
  const needs = {
    settings: () => settings,
    attempts: async () => [],
    devicesByMac: () => new Map(),
    announce: () => {},
    warn: () => {},
    now: () => new Date(),
    compiled: () => ({ intent: { network: { wan: "wan0" } } }),
  } as unknown as Parameters<typeof openMonitor>[0];
  const monitor = openMonitor(needs, async () => ({ check: checkWith(outcomes[made++] ?? {}), echoes }));
  return { monitor, made: () => made };
}

test("leak monitor: a change causes one check", async () => {
  const { monitor, made } = monitorOf([]);
  monitor.changed();
  await vi.advanceTimersByTimeAsync(10 * minIntervalMs);
  expect(made()).toBe(1);
  await monitor.close();
});

test("leak monitor: a discarded check is repeated after the minimum interval, until one counts", async () => {
  const { monitor, made } = monitorOf([{ discarded: true }, { discarded: true }, { verdict: "leaking" }]);
  monitor.changed();
  await vi.advanceTimersByTimeAsync(minIntervalMs - 1);
  expect(made()).toBe(1);
  await vi.advanceTimersByTimeAsync(10 * minIntervalMs);
  expect(made()).toBe(3);
  expect(monitor.lastCheck()?.verdict).toBe("leaking");
  await monitor.close();
});

test("leak monitor: a check with a failed echo is repeated three times, and again after the next change", async () => {
  const failed: Echo = { kind: "resolver", via: 1, what: "a query", answer: [], failure: "timed out" };
  const { monitor, made } = monitorOf([], [failed]);
  monitor.changed();
  await vi.advanceTimersByTimeAsync(20 * minIntervalMs);
  expect(made()).toBe(4);
  monitor.changed();
  await vi.advanceTimersByTimeAsync(20 * minIntervalMs);
  expect(made()).toBe(5);
  await monitor.close();
});
