import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import fc from "fast-check";
import { expect, test } from "vitest";
import { apartMs, type Attempts, attemptsAfter, countedBefore, type Reading } from "./attempts.machine.ts";
import { memoryAfter } from "./check-state.machine.ts";
import { newsOf } from "./leak-events.machine.ts";
import { changed, dueMs, restMs } from "./schedule.machine.ts";

const mac = "02:00:00:00:00:01";
const reading = (packets: number, more: Partial<Reading> = {}): Reading => ({
  kind: "foreign-resolver",
  mac,
  packets,
  idleSec: 0,
  ...more,
});
const nobody: Attempts = new Map();

test("what the kernel forgets when its sets are made anew is remembered", () => {
  let known = nobody;
  for (const packets of [5, 9, 2, 2, 7]) known = attemptsAfter(known, [reading(packets)], 1000).known;
  // 5, 4 more, then 2 of a new set, none, 5 more.
  expect([...known.values()]).toMatchObject([{ packets: 16, counted: 7 }]);
});

test("what was tried last is dated by the kernel, and stays so while nothing is tried", () => {
  const first = attemptsAfter(nobody, [reading(3, { idleSec: 4 })], 100_000).known;
  const second = attemptsAfter(first, [reading(3, { idleSec: 14 })], 110_000).known;
  expect([...second.values()]).toMatchObject([{ lastMs: 96_000 }]);
});

test("a device that tries without end is told of once in ten minutes, with all it tried since", () => {
  const told: number[] = [];
  let known = nobody;
  for (let ms = 0; ms <= 2 * apartMs; ms += 10_000) {
    const { known: next, tell } = attemptsAfter(known, [reading(1 + ms / 10_000)], ms);
    known = next;
    told.push(...tell.map(({ packets }) => packets));
  }
  expect(told).toEqual([1, 60, 60]);
});

test("whoever leads nowhere is told as the kill switch, and what is only refused is told to nobody", () => {
  const kinds = ["blocked", "dropped", "stun", "ipv6", "forged-sender"] as const;
  const { tell } = attemptsAfter(
    nobody,
    kinds.map((kind) => reading(1, { kind })),
    0,
  );
  expect(tell.map(({ event }) => event)).toEqual(["killswitch.engaged", "killswitch.engaged"]);
});

test("what was tried before a daemon began to ask is no news to it, and what is tried afterwards is, however soon", () => {
  const before = countedBefore([reading(40)], 100_000);
  const first = attemptsAfter(before, [reading(40)], 100_100);
  expect(first.tell).toEqual([]);
  expect([...first.known.values()]).toMatchObject([{ packets: 0 }]);
  const second = attemptsAfter(first.known, [reading(42), reading(1, { kind: "blocked" })], 100_200);
  expect(second.tell).toMatchObject([{ packets: 2 }, { packets: 1 }]);
});

test("however counts come, the sum never shrinks, and no two tellings are closer than ten minutes", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(50), fc.nat(400_000))), (steps) => {
      let [known, nowMs] = [nobody, 0];
      let before = 0;
      const toldMs: number[] = [];
      for (const [packets, laterMs] of steps) {
        nowMs += laterMs;
        const after = attemptsAfter(known, [reading(packets)], nowMs);
        known = after.known;
        const [{ packets: sum } = { packets: 0 }] = [...known.values()];
        expect(sum).toBeGreaterThanOrEqual(before);
        before = sum;
        if (after.tell.length > 0) toldMs.push(nowMs);
      }
      expect(toldMs.every((ms, place) => place === 0 || ms - toldMs[place - 1]! >= apartMs)).toBe(true);
    }),
  );
});

const finding = (cause: string, severity: "leak" | "risk" | "intended" = "leak") => ({
  cause,
  severity,
  message: cause,
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

test("a leak is told once, and once that it is over; a fallback is told by others", () => {
  const told: string[] = [];
  let known = newsOf(new Map(), checkOf([]), false).known;
  for (const causes of [
    ["seen-outside"],
    ["seen-outside", "wrong-route"],
    ["wrong-route"],
    [],
    ["direct-fallback"],
    [],
  ]) {
    const { known: next, news } = newsOf(known, checkOf(causes.map((it) => finding(it))), false);
    known = next;
    told.push(
      ...news
        .filter(({ event }) => event !== "leak.checked")
        .map((it) => `${it.event} ${"cause" in it.payload ? it.payload.cause : ""}`.trim()),
    );
  }
  expect(told).toEqual(["leak.detected seen-outside", "leak.detected wrong-route", "leak.cleared"]);
  for (const severity of ["risk", "intended"] as const)
    expect(
      newsOf(new Map(), checkOf([finding("wrong-route", severity)]), false).news.map(({ event }) => event),
    ).toEqual(["leak.checked"]);
});

test("of a device that is gone nothing is remembered, unless a check spoke of somebody else only", () => {
  const { known } = newsOf(new Map(), checkOf([finding("seen-outside")]), false);
  expect(newsOf(known, checkOf([], { devices: [] }), true).known).toEqual(known);
  expect(newsOf(known, checkOf([], { devices: [], unchecked: 1 }), false).known).toEqual(known);
  expect(newsOf(known, checkOf([], { devices: [] }), false).known).toEqual(new Map());
});

test("a check that was overtaken by a change tells nothing", () => {
  expect(newsOf(new Map(), checkOf([finding("seen-outside")], { discarded: true }), false).news).toEqual([]);
});

const nothingYet = { last: null, learned: new Map<string, readonly string[]>() };
const everybody = { isOfOne: false, wan: "wan0" };
const device = (device_id: string, verdict: "no-leak" | "leaking") => ({
  ...checkOf([]).devices[0]!,
  device_id,
  verdict,
});
const checkOfDevices = (...devices: LeakCheck["devices"]): LeakCheck =>
  checkOf([], { devices, verdict: devices.some(({ verdict }) => verdict === "leaking") ? "leaking" : "no-leak" });

test("a check of one device leaves what is known of the others, and one of everybody does not, however few they are", () => {
  const both = memoryAfter(nothingYet, checkOfDevices(device("a", "no-leak"), device("b", "leaking")), [], everybody);
  const ofOne = memoryAfter(both, checkOfDevices(device("a", "no-leak")), [], { ...everybody, isOfOne: true });
  expect(ofOne.last).toMatchObject({ verdict: "leaking", devices: [{ device_id: "a" }, { device_id: "b" }] });
  const whole = memoryAfter(both, checkOfDevices(device("a", "no-leak")), [], everybody);
  expect(whole.last).toMatchObject({ verdict: "no-leak", devices: [{ device_id: "a" }] });
  expect(memoryAfter(both, checkOf([], { discarded: true }), [], everybody)).toEqual(both);
});

test("what a way was answered is learned while nothing is wrong, of the uplink always, and never forgotten by silence", () => {
  const answers = [
    { way: "wan0", answer: ["192.0.2.1"] },
    { way: "t1", answer: ["198.51.100.1"] },
  ];
  const silence = answers.map(({ way }) => ({ way, answer: [] }));
  const alarmed = memoryAfter(nothingYet, checkOfDevices(device("a", "leaking")), answers, everybody);
  expect([...alarmed.learned.keys()]).toEqual(["wan0"]);
  const calm = memoryAfter(alarmed, checkOfDevices(device("a", "no-leak")), answers, everybody);
  expect([...calm.learned.keys()]).toEqual(["wan0", "t1"]);
  expect(memoryAfter(calm, checkOfDevices(device("a", "no-leak")), silence, everybody).learned).toEqual(calm.learned);
});

test("an attack waits until changes have settled, is not put off for ever, and rests in between", () => {
  const once = changed(undefined, 1000);
  expect(dueMs(once, 5, null)).toBe(6000);
  expect(dueMs(changed(once, 4000), 5, null)).toBe(9000);
  let turn = once;
  for (let ms = 2000; ms < 60_000; ms += 1000) turn = changed(turn, ms);
  expect(dueMs(turn, 5, null)).toBe(21_000);
  expect(dueMs(once, 5, 4000)).toBe(4000 + restMs);
  expect(dueMs(once, 0, null)).toBe(1000);
});
