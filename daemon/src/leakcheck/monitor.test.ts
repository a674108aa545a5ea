import { evidence } from "./finding.ts";
import { explainedAs, literal } from "@portcullis/contract/reason";
import type { CheckedDevice, LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CheckRequest } from "./check.ts";
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

/** A monitor of a network with this many devices, the requests that its checks got, and the events it sent. */
function monitorOfMany(
  count: number,
  discarded: (request: CheckRequest) => boolean = () => false,
  checkedDevice: (device_id: string) => CheckedDevice = (device_id) => deviceWith({ device_id }),
) {
  const requests: CheckRequest[] = [];
  const events: unknown[] = [];
  const ids = Array.from({ length: count }, (_, index) => `d${String(index).padStart(5, "0")}`);
  const needs = {
    settings: () => ({ enabled: true, delay_sec: 0, address_echo_url: null, resolver_echo_name: null }),
    attempts: async () => [],
    devicesByMac: () => new Map(),
    announce: (event: string, payload: object) => events.push([event, payload]),
    warn: () => {},
    now: () => new Date(),
    compiled: () => ({ intent: { network: { wan: "wan0" }, devices: ids.map((id) => ({ id })) } }),
  } as unknown as Parameters<typeof openMonitor>[0];
  const monitor = openMonitor(needs, async (_, request) => {
    requests.push(request);
    const devices = (request.deviceIds ?? []).map(checkedDevice);
    const verdict = devices.some((it) => it.verdict === "leaking") ? ("leaking" as const) : ("no-leak" as const);
    const echoes: Echo[] = [{ kind: "address", via: `t${requests.length}`, what: literal(""), answer: ["192.0.2.1"] }];
    return { check: checkWith({ cause: "request", verdict, devices, discarded: discarded(request) }), echoes };
  });
  return { monitor, ids, requests, events };
}

const deviceWith = (over: Partial<CheckedDevice>): CheckedDevice => ({
  device_id: "d",
  name: "d",
  posture: "protected",
  verdict: "no-leak",
  findings: [],
  evidence: [evidence(literal("probe"), literal("blocked"), literal("blocked"))],
  checked_at: "2026-01-01T00:00:00.000Z",
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
  const failed: Echo = { kind: "resolver", via: 1, what: literal("a query"), answer: [], failure: "timed out" };
  const { monitor, made } = monitorOf([], [failed]);
  monitor.changed();
  await vi.advanceTimersByTimeAsync(20 * minIntervalMs);
  expect(made()).toBe(4);
  monitor.changed();
  await vi.advanceTimersByTimeAsync(20 * minIntervalMs);
  expect(made()).toBe(5);
  await monitor.close();
});

test("leak check of many devices: every device is checked once, in batches with progress, and echoes are queried once", async () => {
  const { monitor, ids, requests, events } = monitorOfMany(10_200);
  const check = await monitor.check();
  expect(check).toMatchObject({ verdict: "no-leak", unchecked: 0, discarded: false });
  expect(check!.devices.map(({ device_id }) => device_id)).toEqual(ids);
  expect(check!.devices.every(({ evidence }) => evidence.length === 0)).toBe(true);
  expect(requests.map(({ deviceIds }) => deviceIds!.length)).toEqual([5000, 5000, 200]);
  expect(requests.map(({ echoes }) => echoes!.length)).toEqual([0, 1, 2]);
  expect(events).toEqual([
    ["leak.progress", { checked: 5000, devices: 10_200 }],
    ["leak.progress", { checked: 10_000, devices: 10_200 }],
    ["leak.progress", { checked: 10_200, devices: 10_200 }],
    ["leak.checked", { verdict: "no-leak", devices: 10_200, leaking: 0 }],
  ]);
  await monitor.close();
});

test("leak check of many devices: the devices of a discarded batch are reported as unchecked, the others keep their results", async () => {
  const { monitor } = monitorOfMany(10_200, ({ deviceIds }) => deviceIds!.includes("d06000"));
  const check = await monitor.check();
  expect(check).toMatchObject({ unchecked: 5000, discarded: false });
  expect(check!.devices.length).toBe(5200);
  await monitor.close();
});

test("leak check of many devices: a check of one device has its turn between two batches, and a stop ends the check", async () => {
  const { monitor, requests } = monitorOfMany(10_200, ({ deviceIds }) => {
    if (deviceIds!.length === 1) void monitor.close();
    return false;
  });
  const [whole, one] = await Promise.all([monitor.check(), monitor.check("d00001")]);
  expect(requests.map(({ deviceIds }) => deviceIds!.length)).toEqual([5000, 1]);
  expect([whole, one?.devices.length]).toEqual([undefined, 1]);
});

const leakingDevice = (device_id: string): CheckedDevice =>
  deviceWith({
    device_id,
    verdict: "leaking",
    findings: [
      { cause: "seen-outside", severity: "leak", ...explainedAs("message", literal("it left")), evidence: [] },
    ],
  });

test("leak check of many devices: a leak is reported with its batch, once, before the other batches are checked", async () => {
  const { monitor, events } = monitorOfMany(10_200, undefined, (id) =>
    id === "d00007" ? leakingDevice(id) : deviceWith({ device_id: id }),
  );
  const check = await monitor.check();
  expect(check!.verdict).toBe("leaking");
  expect(check!.devices.find(({ device_id }) => device_id === "d00007")!.evidence).toHaveLength(1);
  const names = (events as [string, object][]).map(([event]) => event);
  expect(names).toEqual(["leak.detected", "leak.progress", "leak.progress", "leak.progress", "leak.checked"]);
  await monitor.close();
});

test("leak check of many devices: the verdict of a discarded batch does not count", async () => {
  const { monitor, events } = monitorOfMany(
    10_200,
    ({ deviceIds }) => deviceIds!.includes("d00007"),
    (id) => (id === "d00007" ? leakingDevice(id) : deviceWith({ device_id: id })),
  );
  expect(await monitor.check()).toMatchObject({ verdict: "no-leak", unchecked: 5000, discarded: false });
  expect((events as [string, object][]).map(([event]) => event)).not.toContain("leak.detected");
  await monitor.close();
});
