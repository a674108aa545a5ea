import { explainedAs, literal } from "@portcullis/contract/reason";
import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  reportIntervalMs,
  type Attempts,
  attemptsAfter,
  countedBefore,
  type AttemptCounter,
} from "./attempts.machine.ts";
import { stateAfter } from "./check-state.machine.ts";
import { leakEventsOf } from "./leak-events.machine.ts";
import { afterChange, startAtMs, minIntervalMs } from "./schedule.machine.ts";

const mac = "02:00:00:00:00:01";
const reading = (packets: number, more: Partial<AttemptCounter> = {}): AttemptCounter => ({
  kind: "foreign-resolver",
  mac,
  packets,
  idleSec: 0,
  ...more,
});
const noAttempts: Attempts = new Map();

test("attempts: the sum survives a recreated set of the kernel", () => {
  let known = noAttempts;
  for (const packets of [5, 9, 2, 2, 7]) known = attemptsAfter(known, [reading(packets)], 1000).known;
  // 5, 4 more, then 2 of a new set, none, 5 more.
  expect([...known.values()]).toMatchObject([{ packets: 16, counted: 7 }]);
});

test("attempts: the time of the last one comes from the kernel and does not move while nothing is tried", () => {
  const first = attemptsAfter(noAttempts, [reading(3, { idleSec: 4 })], 100_000).known;
  const second = attemptsAfter(first, [reading(3, { idleSec: 14 })], 110_000).known;
  expect([...second.values()]).toMatchObject([{ lastMs: 96_000 }]);
});

test("attempts: a device that tries without end causes one event in ten minutes, with the sum since the last", () => {
  const reported: number[] = [];
  let known = noAttempts;
  for (let ms = 0; ms <= 2 * reportIntervalMs; ms += 10_000) {
    const { known: next, reports } = attemptsAfter(known, [reading(1 + ms / 10_000)], ms);
    known = next;
    reported.push(...reports.map(({ packets }) => packets));
  }
  expect(reported).toEqual([1, 60, 60]);
});

test("attempts: blocked and dropped packets are reported as killswitch.engaged, packets that a control refused cause no event", () => {
  const kinds = ["blocked", "dropped", "stun", "ipv6", "forged-sender"] as const;
  const { reports } = attemptsAfter(
    noAttempts,
    kinds.map((kind) => reading(1, { kind })),
    0,
  );
  expect(reports.map(({ event }) => event)).toEqual(["killswitch.engaged", "killswitch.engaged"]);
});

test("attempts: the counters at the start of the daemon cause no event, later attempts do, however soon", () => {
  const before = countedBefore([reading(40)], 100_000);
  const first = attemptsAfter(before, [reading(40)], 100_100);
  expect(first.reports).toEqual([]);
  expect([...first.known.values()]).toMatchObject([{ packets: 0 }]);
  const second = attemptsAfter(first.known, [reading(42), reading(1, { kind: "blocked" })], 100_200);
  expect(second.reports).toMatchObject([{ packets: 2 }, { packets: 1 }]);
});

test("attempts: for any counters the sum never shrinks, and no two events are closer than ten minutes", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(50), fc.nat(400_000))), (steps) => {
      let [known, nowMs] = [noAttempts, 0];
      let before = 0;
      const reportedMs: number[] = [];
      for (const [packets, laterMs] of steps) {
        nowMs += laterMs;
        const after = attemptsAfter(known, [reading(packets)], nowMs);
        known = after.known;
        const [{ packets: sum } = { packets: 0 }] = [...known.values()];
        expect(sum).toBeGreaterThanOrEqual(before);
        before = sum;
        if (after.reports.length > 0) reportedMs.push(nowMs);
      }
      expect(reportedMs.every((ms, index) => index === 0 || ms - reportedMs[index - 1]! >= reportIntervalMs)).toBe(
        true,
      );
    }),
  );
});

const finding = (cause: string, severity: "leak" | "risk" | "intended" = "leak") => ({
  cause,
  severity,
  ...explainedAs("message", literal(cause)),
  evidence: [],
});
const checkOf = (findings: object[], more: Partial<LeakCheck> = {}): LeakCheck => ({
  started_at: "",
  finished_at: "",
  cause: "request",
  verdict: "no-leak",
  devices: [
    {
      device_id: "d",
      name: "phone",
      posture: "protected",
      verdict: "leaking",
      findings: findings as never,
      evidence: [],
      checked_at: "",
    },
  ],
  gateway: [],
  unchecked: 0,
  discarded: false,
  ...more,
});

test("leak events: each leak is reported once, and its end once; a direct fallback is not reported here", () => {
  const reported: string[] = [];
  let known = leakEventsOf(new Map(), checkOf([]), false).known;
  for (const causes of [
    ["seen-outside"],
    ["seen-outside", "wrong-route"],
    ["wrong-route"],
    [],
    ["direct-fallback"],
    [],
  ]) {
    const { known: next, news } = leakEventsOf(known, checkOf(causes.map((it) => finding(it))), false);
    known = next;
    reported.push(...news.map((it) => `${it.event} ${"cause" in it.payload ? it.payload.cause : ""}`.trim()));
  }
  expect(reported).toEqual(["leak.detected seen-outside", "leak.detected wrong-route", "leak.cleared"]);
  for (const severity of ["risk", "intended"] as const)
    expect(leakEventsOf(new Map(), checkOf([finding("wrong-route", severity)]), false).news).toEqual([]);
});

test("leak events: a device that is gone is removed, unless the check was about another device or incomplete", () => {
  const { known } = leakEventsOf(new Map(), checkOf([finding("seen-outside")]), false);
  expect(leakEventsOf(known, checkOf([], { devices: [] }), true).known).toEqual(known);
  expect(leakEventsOf(known, checkOf([], { devices: [], unchecked: 1 }), false).known).toEqual(known);
  expect(leakEventsOf(known, checkOf([], { devices: [] }), false).known).toEqual(new Map());
});

test("leak events: a discarded check causes none", () => {
  expect(leakEventsOf(new Map(), checkOf([finding("seen-outside")], { discarded: true }), false).news).toEqual([]);
});

const nothingYet = { last: null, learned: new Map<string, readonly string[]>(), passed: null };
const allDevices = { isOfOne: false, wan: "wan0" };
const device = (device_id: string, verdict: "no-leak" | "leaking") => ({
  ...checkOf([]).devices[0]!,
  device_id,
  verdict,
});
const checkOfDevices = (...devices: LeakCheck["devices"]): LeakCheck =>
  checkOf([], { devices, verdict: devices.some(({ verdict }) => verdict === "leaking") ? "leaking" : "no-leak" });

test("check state: a check of one device keeps the results of the others, a check of all devices replaces them", () => {
  const both = stateAfter(nothingYet, checkOfDevices(device("a", "no-leak"), device("b", "leaking")), [], allDevices);
  const ofOne = stateAfter(both, checkOfDevices(device("a", "no-leak")), [], { ...allDevices, isOfOne: true });
  expect(ofOne.last).toMatchObject({ verdict: "leaking", devices: [{ device_id: "a" }, { device_id: "b" }] });
  const whole = stateAfter(both, checkOfDevices(device("a", "no-leak")), [], allDevices);
  expect(whole.last).toMatchObject({ verdict: "no-leak", devices: [{ device_id: "a" }] });
  expect(stateAfter(both, checkOf([], { discarded: true }), [], allDevices)).toEqual(both);
});

test("check state: the period without a leak begins and counts with checks of all devices, and any leak ends it", () => {
  const at = (finished_at: string, verdict: "no-leak" | "leaking") => ({
    ...checkOfDevices(device("a", verdict)),
    finished_at,
  });
  const ofOne = { ...allDevices, isOfOne: true };
  expect(stateAfter(nothingYet, at("1", "no-leak"), [], ofOne).passed).toBeNull();
  const first = stateAfter(nothingYet, at("2", "no-leak"), [], allDevices);
  const discarded = stateAfter(first, { ...at("3", "leaking"), discarded: true }, [], allDevices);
  const second = stateAfter(discarded, at("4", "no-leak"), [], allDevices);
  expect(second.passed).toEqual({ since: "2", checks: 2 });
  expect(stateAfter(second, at("5", "no-leak"), [], ofOne).passed).toEqual(second.passed);
  const sample = { ...at("5", "no-leak"), unchecked: 1 };
  expect(stateAfter(second, sample, [], allDevices).passed).toEqual(second.passed);
  expect(stateAfter(nothingYet, sample, [], allDevices).passed).toBeNull();
  const leak = stateAfter(second, at("6", "leaking"), [], ofOne);
  expect(leak.passed).toBeNull();
  expect(stateAfter(leak, at("7", "no-leak"), [], ofOne).passed).toBeNull();
  expect(stateAfter(leak, at("8", "no-leak"), [], allDevices).passed).toEqual({ since: "8", checks: 1 });
});

test("check state: echoed addresses are recorded while nothing is wrong, of the uplink always, and an echo without an answer deletes none", () => {
  const answers = [
    { via: "wan0", answer: ["192.0.2.1"] },
    { via: "t1", answer: ["198.51.100.1"] },
  ];
  const unanswered = answers.map(({ via }) => ({ via, answer: [] }));
  const alarmed = stateAfter(nothingYet, checkOfDevices(device("a", "leaking")), answers, allDevices);
  expect([...alarmed.learned.keys()]).toEqual(["wan0"]);
  const calm = stateAfter(alarmed, checkOfDevices(device("a", "no-leak")), answers, allDevices);
  expect([...calm.learned.keys()]).toEqual(["wan0", "t1"]);
  expect(stateAfter(calm, checkOfDevices(device("a", "no-leak")), unanswered, allDevices).learned).toEqual(
    calm.learned,
  );
});

test("schedule: a check waits for the last of several changes, with a bound, and keeps a minimum interval", () => {
  const once = afterChange(undefined, 1000);
  expect(startAtMs(once, 5, null)).toBe(6000);
  expect(startAtMs(afterChange(once, 4000), 5, null)).toBe(9000);
  let turn = once;
  for (let ms = 2000; ms < 60_000; ms += 1000) turn = afterChange(turn, ms);
  expect(startAtMs(turn, 5, null)).toBe(21_000);
  expect(startAtMs(once, 5, 4000)).toBe(4000 + minIntervalMs);
  expect(startAtMs(once, 0, null)).toBe(1000);
});
