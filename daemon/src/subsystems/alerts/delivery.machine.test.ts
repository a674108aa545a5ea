import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { alertAt } from "../../../../testing/earlier-state.ts";
import { announceSeed, randomFrom } from "../../../../testing/seed.ts";
import {
  afterAttempt,
  dueMs,
  excess,
  headOf,
  isQuietAt,
  limits,
  type Outcome,
  outdated,
  rebased,
  retried,
  type StoredDelivery,
} from "./delivery.machine.ts";

const reason = because("delivery_status", { status: 503 });
const startMs = Date.parse("2030-01-01T00:00:00Z");

function message(number: number, nowMs: number, severity: "critical" | "warning" = "warning"): StoredDelivery {
  return {
    delivery: `d${number}`,
    number,
    channelId: "c",
    event: "raised",
    alert: { ...alertAt(nowMs, number, reason), severity },
    createdMs: nowMs,
    sinceMs: nowMs,
    attempts: 0,
    lastMs: null,
    waitMs: 0,
    failure: null,
    finished: null,
  };
}
const failed: Outcome = { kind: "failed", reason };

/** Attempts at the earliest possible times, until there is no next one. */
function failing(it: StoredDelivery, most: number, outcome = failed): { it: StoredDelivery; nowMs: number } {
  let [current, nowMs] = [it, it.createdMs];
  for (let attempt = 0; attempt < most && !current.finished; attempt++) {
    nowMs = Math.max(nowMs, dueMs(current));
    current = afterAttempt(current, outcome, nowMs);
  }
  return { it: current, nowMs };
}

test("delivery: waits grow from seconds to ten minutes, and a receiver's own wait is bounded as well", () => {
  const waits = [1, 2, 3, 9, 10, 50].map((most) => failing(message(1, startMs), most).it.waitMs / 1000);
  expect(waits).toEqual([2, 4, 8, 512, 600, 600]);
  const after = (retryAfterMs: number) =>
    afterAttempt(message(1, startMs), { ...failed, retryAfterMs }, startMs).waitMs;
  expect([after(0), after(30_000), after(1e12)]).toEqual([2000, 30_000, 600_000]);
});

test("delivery: it is given up after three days of failures, and at once if it is refused", () => {
  const { it, nowMs } = failing(message(1, startMs), 10_000);
  expect(it.finished).toEqual({ ms: nowMs, how: "given_up" });
  expect(it.failure).toEqual(because("delivery_expired", { attempts: it.attempts, why: reason }));
  expect(nowMs - startMs).toBeGreaterThanOrEqual(limits.givenUpAfterMs);
  expect(nowMs - startMs).toBeLessThanOrEqual(limits.givenUpAfterMs + limits.longestWaitMs);
  expect(it.attempts).toBeGreaterThan(400);
  expect(afterAttempt(message(1, startMs), { kind: "refused", reason }, startMs)).toMatchObject({
    finished: { how: "given_up" },
    failure: reason,
    attempts: 1,
  });
  const again = retried(it, nowMs);
  expect([again.finished, dueMs(again) <= nowMs, again.attempts]).toEqual([null, true, 0]);
});

test("delivery: a clock that jumps forward gives up nothing before a hundred attempts", () => {
  const once = afterAttempt(message(1, startMs), failed, startMs);
  const later = afterAttempt(once, failed, startMs + 30 * limits.givenUpAfterMs);
  expect([later.finished, later.waitMs]).toEqual([null, 4000]);
  const tried = failing(message(1, startMs), 98).it;
  const [almost, last] = [99, 100].map(() => startMs + 30 * limits.givenUpAfterMs);
  const before = afterAttempt(tried, failed, almost!);
  expect([before.attempts, before.finished]).toEqual([99, null]);
  expect(afterAttempt(before, failed, last!).finished).not.toBeNull();
});

test("delivery: a clock that is set back by years delays nothing for longer than its wait", () => {
  const { it } = failing(message(1, startMs), 20);
  const nowMs = startMs - 20 * 365 * 86_400_000;
  expect(dueMs(it) - nowMs).toBeGreaterThan(limits.longestWaitMs);
  expect(dueMs(rebased(it, nowMs)) - nowMs).toBe(limits.longestWaitMs);
  expect(dueMs(rebased(message(1, startMs), nowMs))).toBe(nowMs);
});

test("delivery: in quiet hours critical messages pass the others", () => {
  const waiting = [message(1, startMs), message(2, startMs, "critical"), message(3, startMs, "critical")];
  expect([headOf(waiting, false)?.number, headOf(waiting, true)?.number]).toEqual([1, 2]);
  expect(headOf(waiting.slice(0, 1), true)).toBeUndefined();
  const at = (from: string, to: string, ...minutes: number[]) => minutes.map((it) => isQuietAt({ from, to }, it));
  expect(at("08:00", "09:30", 479, 480, 569, 570)).toEqual([false, true, true, false]);
  expect(at("22:00", "07:00", 1319, 1320, 0, 419, 420)).toEqual([false, true, true, true, false]);
  expect(isQuietAt(null, 0)).toBe(false);
});

test("delivery: the latest messages that are finished are kept, for thirty days", () => {
  const done = (number: number, ms: number) => ({
    ...message(number, startMs),
    finished: { ms, how: "delivered" as const },
  });
  const many = Array.from({ length: limits.finished + 2 }, (_, index) => done(index, startMs));
  expect(outdated(many, startMs).map(({ number }) => number)).toEqual([0, 1]);
  expect(outdated([done(1, startMs), done(2, startMs + 1)], startMs + limits.keptMs + 1)).toHaveLength(1);
});

/* A channel with a random receiver and a random clock. Each message ends in exactly one place, and the order is kept. */
test("delivery: whatever the receiver answers and the clock does, no message is lost, repeated after its end, or sent out of order", () => {
  const random = randomFrom(announceSeed("alert deliveries"));
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const seen = { accepted: 0, refused: 0, failed: 0, dropped: 0, jumps: 0 };
  const wrong: string[] = [];
  const check = (isRight: boolean, what: string) => void (isRight || wrong.push(what));
  for (let run = 0; run < 6; run++) {
    let [nowMs, next, waiting] = [startMs, 1, [] as readonly StoredDelivery[]];
    const ends = new Map<number, string>();
    const end = (number: number, how: string) => {
      check(!ends.has(number), `message ${number} ended twice`);
      ends.set(number, how);
    };
    for (let step = 0; step < 400; step++) {
      const burst = random() < 0.01 ? 1200 : random() < 0.4 ? 1 : 0;
      for (let left = burst; left > 0; left--)
        waiting = [...waiting, message(next++, nowMs, pick(["critical", "warning", "warning"]))];
      const dropped = excess(waiting, waiting[0]?.delivery);
      const isCriticalLost = dropped.some(({ alert }) => alert.severity === "critical");
      const kept = waiting.filter((it) => !dropped.includes(it));
      const isOthersLeft = kept.slice(1).some(({ alert }) => alert.severity !== "critical");
      check(!(isCriticalLost && isOthersLeft), "a critical message was dropped before another one");
      for (const { number } of dropped) end(number, "dropped");
      seen.dropped += dropped.length;
      waiting = kept.map((it) => rebased(it, nowMs));
      check(waiting.length <= limits.waiting, `${waiting.length} messages wait`);

      const isQuiet = random() < 0.3;
      const head = headOf(waiting, isQuiet);
      if (head) {
        check(dueMs(head) - nowMs <= limits.longestWaitMs, "a wait is longer than the longest");
        const passed = waiting.filter(({ number }) => number < head.number);
        const isPassable = passed.every(({ alert }) => isQuiet && alert.severity !== "critical");
        check(isPassable, "a message was sent before an earlier one");
        if (dueMs(head) <= nowMs) {
          const kind = pick(["accepted", "accepted", "refused", "failed"] as const);
          const after = afterAttempt(head, { kind, reason }, nowMs);
          seen[kind] += 1;
          const how = after.finished?.how;
          if (kind === "accepted") check(how === "delivered", "an accepted message is not delivered");
          if (kind === "refused") check(how === "given_up", "a refused message is not given up");
          if (kind === "failed")
            check(!how || after.attempts >= limits.attemptsAtLeast, `given up after ${after.attempts} attempts`);
          if (after.finished) end(head.number, after.finished.how);
          waiting = waiting.flatMap((it) => (it !== head ? [it] : after.finished ? [] : [after]));
        }
      }
      const jump = random() < 0.05 ? (random() - 0.5) * 1e12 : random() * 60_000;
      if (Math.abs(jump) > 1e9) seen.jumps += 1;
      nowMs += jump;
    }
    const waits = new Set(waiting.map(({ number }) => number));
    for (let number = 1; number < next; number++)
      check(ends.has(number) !== waits.has(number), `message ${number} is lost`);
  }
  expect(wrong).toEqual([]);
  for (const [what, count] of Object.entries(seen)) expect([what, count > 0]).toEqual([what, true]);
});
