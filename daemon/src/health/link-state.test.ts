import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { announceSeed, randomFrom } from "../../../testing/seed.ts";
import { simulatedLink, type SimulatedLink } from "../../../testing/simulated-link.ts";
import {
  burstLimitMs,
  type LinkEvent,
  type LinkState,
  reduce,
  initialState,
  healthTiming,
  resumedState,
} from "./link-state.machine.ts";

announceSeed("conditions of ways");

/** The rest of a happening; its time is given beside it. */
type What = LinkEvent extends infer H ? (H extends LinkEvent ? Omit<H, "atMs"> : never) : never;

const after = (life: LinkState, ...happenings: readonly (readonly [number, What])[]): LinkState =>
  happenings.reduce((it, [atMs, what]) => reduce(it, { atMs, ...what } as LinkEvent), life);

const attended = { kind: "configured", wanted: true, present: true, inUse: true } as const;
const reply = (sequence: number) => ({ kind: "reply", sequence, rttMs: 20 }) as const;
const missed = (sequence: number) => ({ kind: "missed", sequence }) as const;
const time = { kind: "time" } as const;

const upAt = (atMs: number): LinkState => after(initialState(atMs), [atMs, attended], [atMs, reply(1)]);

describe("the life of a way", () => {
  test("begins when it is wanted, is up with the first answer and ends when nobody wants it", () => {
    const connecting = after(initialState(0), [0, attended]);
    expect(connecting).toMatchObject({ status: "connecting", reason: "Waits for the first answer" });
    const up = after(connecting, [80, reply(1)]);
    expect(up).toMatchObject({ status: "up", sinceMs: 80, reason: "Answers" });
    const down = after(up, [90, { ...attended, wanted: false }]);
    expect(down).toMatchObject({ status: "down", changes: 3 });
    expect(after(down, [99, reply(2)]).status).toBe("down");
  });

  test("a late answer fails nothing; it starts one burst", () => {
    const late = after(upAt(0), [500, time], [900, time]);
    expect(late).toMatchObject({ status: "up", burst: { startedAtMs: 900 } });
    expect(after(late, [1025, time]).burst).toEqual({ startedAtMs: 900 });
  });

  test("one answer that is a second late makes nobody wait much longer; with the third in a row the way is given its time", () => {
    const slow = (sequence: number) => ({ ...reply(sequence), rttMs: 1020 });
    const steady = after(upAt(0), ...[2, 3, 4, 5].map((it) => [500 * it, reply(it)] as const));
    const once = after(steady, [4000, slow(6)]);
    expect(burstLimitMs(once)).toBeLessThan(healthTiming.burstMs + 400);
    // It has its time as soon as a way that had failed would be up again by these answers.
    const thrice = after(once, [4500, slow(7)], [5000, slow(8)]);
    expect(burstLimitMs(thrice)).toBeGreaterThan(1020);
  });

  test("a burst without an answer fails it, one with an answer ends the suspicion", () => {
    const late = after(upAt(0), [900, time]);
    const verdict = { kind: "burst", startedAtMs: 900 } as const;
    const failed = after(late, [1600, { ...verdict, answered: false }]);
    expect(failed.status).toBe("failed");
    expect(failed.reason).toBe("It stopped answering: silent for 1.6 s, then no answer to a burst of probes");
    const saved = after(late, [950, { ...verdict, answered: true }]);
    expect(saved).toMatchObject({ status: "up", lastReplyAtMs: 950 });
    expect(saved.burst).toBeUndefined();
  });

  test("an answer to a regular probe outweighs a burst that heard nothing", () => {
    const late = after(upAt(0), [900, time], [1000, reply(3)]);
    expect(after(late, [1600, { kind: "burst", startedAtMs: 900, answered: false }]).status).toBe("up");
  });

  test("a verdict on an earlier burst says nothing about this one", () => {
    const late = after(upAt(0), [900, time]);
    expect(after(late, [1600, { kind: "burst", startedAtMs: 1, answered: false }])).toEqual(late);
  });

  test("is failed at once when its interface goes, and answers through another are not its own", () => {
    const gone = after(upAt(0), [100, { ...attended, present: false }], [150, reply(2)]);
    expect(gone).toMatchObject({ status: "failed", reason: "Its interface is gone" });
  });

  test("comes back from failed with three answers in a row, not with three of five", () => {
    const failed = after(upAt(0), [100, { ...attended, present: false }], [200, attended]);
    expect(failed.status).toBe("failed");
    expect(after(failed, [500, reply(5)], [800, reply(6)], [1400, reply(8)]).status).toBe("failed");
    const back = after(failed, [500, reply(5)], [800, reply(6)], [1100, reply(7)]);
    expect(back).toMatchObject({ status: "up", reason: "Answers again after 1.0 s" });
  });

  test("nobody waits for ever: without any answer it is failed", () => {
    const waiting = after(initialState(0), [0, attended], [healthTiming.connectMs - 1, time]);
    expect(waiting.status).toBe("connecting");
    expect(after(waiting, [healthTiming.connectMs, time])).toMatchObject({
      status: "failed",
      reason: "No probe was answered within 10 s",
    });
  });

  test("a long trip is no loss: answers that come after the next probe was sent correct what was thought", () => {
    let life = upAt(0);
    for (let number = 2; number < 200; number += 1)
      life = after(life, [number * 500 - 600, missed(number)], [number * 500 - 500, reply(number)]);
    expect(life).toMatchObject({ status: "up", changes: 2 });
    expect(life.burst).toBeUndefined();
  });

  test("eight losses make it degraded; a full window that stays good makes it up again", () => {
    let life = upAt(0);
    let atMs = 0;
    let number = 1;
    const step = (what: "reply" | "missed") => {
      [atMs, number] = [atMs + 500, number + 1];
      life = after(life, [atMs, what === "reply" ? reply(number) : missed(number)]);
      return life.status;
    };
    for (let lost = 0; lost < 7; lost += 1) step("missed");
    expect(life.status).toBe("up");
    expect(step("missed")).toBe("degraded");
    expect(life.reason).toBe("Loses packets: 8 of the last 8 probes went unanswered");
    const degradedAtMs = atMs;
    while (life.status === "degraded") step("reply");
    expect(atMs - degradedAtMs).toBeGreaterThanOrEqual(healthTiming.degradedMs);
    expect(atMs - degradedAtMs).toBeLessThan(40_000);
  });

  test("a window that happens to be good is not believed at once", () => {
    let life = upAt(0);
    let atMs = 0;
    for (let number = 2; number < 242; number += 1) {
      atMs += 500;
      life = after(life, [atMs, number > 200 || number % 2 === 0 ? reply(number) : missed(number)]);
    }
    expect(life).toMatchObject({ status: "degraded" });
    expect(life.outcomes.every(({ answered }) => answered)).toBe(true);
    const goodSinceMs = atMs;
    for (let number = 242; life.status === "degraded"; number += 1) life = after(life, [(atMs += 500), reply(number)]);
    expect(atMs - goodSinceMs).toBeGreaterThanOrEqual(10_000);
  });

  test("packets that leave while none comes back start a burst, and an answered one is believed for five seconds", () => {
    const traffic = (sent: number, received: number) => ({ kind: "traffic", sent, received }) as const;
    const busy = after(upAt(0), [0, traffic(0, 0)], [250, traffic(30, 1)], [500, traffic(60, 1)]);
    expect(busy.burst).toBeUndefined();
    const odd = after(busy, [650, traffic(90, 1)]);
    expect(odd.burst).toEqual({ startedAtMs: 650 });
    let life = after(odd, [700, { kind: "burst", startedAtMs: 650, answered: true }]);
    for (let atMs = 750; atMs < 5700; atMs += 250) life = after(life, [atMs, reply(atMs)], [atMs, traffic(atMs, 1)]);
    expect(life.burst).toBeUndefined();
    expect(after(life, [5750, traffic(9999, 1)]).burst).toEqual({ startedAtMs: 5750 });
  });

  test("the first packets after a rest are not suspicious", () => {
    const traffic = (sent: number) => ({ kind: "traffic", sent, received: 7 }) as const;
    const rested = after(upAt(0), [0, traffic(1)], [250, traffic(1)], [500, traffic(1)], [600, reply(2)]);
    expect(after(rested, [750, traffic(40)]).burst).toBeUndefined();
  });

  test("five turns within five minutes are a flap, and the next flap takes five more", () => {
    let life = upAt(0);
    for (let turn = 1; turn <= 10; turn += 1) {
      const atMs = turn * 10_000;
      const gone = { ...attended, present: false };
      life =
        life.status === "up"
          ? after(life, [atMs, gone])
          : after(life, [atMs - 900, attended], ...threeReplies(atMs - 600, turn * 100));
      expect(life.flaps).toBe(Math.floor(turn / 5));
    }
  });

  test("turns that are far apart are no flap", () => {
    let life = upAt(0);
    for (let turn = 1; turn <= 20; turn += 1) {
      const atMs = turn * 80_000;
      life =
        life.status === "up"
          ? after(life, [atMs, { ...attended, present: false }])
          : after(life, [atMs - 900, attended], ...threeReplies(atMs - 600, turn * 100));
    }
    expect(life).toMatchObject({ flaps: 0, changes: 22 });
  });

  test("what an earlier daemon knew holds until the probes decide", () => {
    const kept = { status: "up", reason: "Answers", changes: 4, flaps: 1, failTransitionsMs: [] } as const;
    const life = after(resumedState(50, kept), [50, attended]);
    expect(life).toMatchObject({ status: "up", changes: 4, flaps: 1 });
    expect(after(life, [1000, time]).burst).toEqual({ startedAtMs: 1000 });
  });
});

const threeReplies = (atMs: number, from: number) =>
  [0, 1, 2].map((number) => [atMs + number * 300, reply(from + number)] as const);

/** Round trips of one simulated world: steady at some length, or each of another. */
const trips = fc.oneof(
  fc.integer({ min: 1, max: 200 }).map((ms) => () => ms),
  fc.integer({ min: 0, max: 2 ** 31 }).map((seed) => {
    const random = randomFrom(seed);
    return () => 1 + random() * 199;
  }),
);
const worlds = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
  rttMs: trips,
  loss: fc.constantFrom(0, 0, 0.1, 0.3, 0.5),
});

describe("in virtual time", () => {
  test("a dead peer is failed within two seconds of its last sign of life, and a return is noticed as quickly", () => {
    const dead: number[] = [];
    const back: number[] = [];
    fc.assert(
      fc.property(worlds, fc.integer({ min: 3000, max: 6000 }), ({ seed, rttMs, loss }, diesAtMs) => {
        const random = randomFrom(seed);
        const livesAgainAtMs = diesAtMs + 8000;
        // It answers once before it dies. What is lost after the return would lengthen the search; that law is about
        // ways that work.
        const isLost = () => random() < loss;
        const passes = (atMs: number) => atMs < 1000 || (atMs < diesAtMs ? !isLost() : atMs >= livesAgainAtMs);
        const way = simulatedLink({ random, rttMs, passes, inUse: true });
        way.runUntil(livesAgainAtMs);
        const failed = way.transitions.findLast(({ status }) => status === "failed");
        const silentMs = failed!.atMs - way.repliedAtMs();
        way.runUntil(livesAgainAtMs + 2000);
        const up = way.transitions.at(-1)!;
        dead.push(silentMs);
        back.push(up.atMs - livesAgainAtMs);
        expect(silentMs).toBeLessThanOrEqual(2000);
        expect(up.status).toBe("up");
      }),
      { numRuns: 400 },
    );
    say("dead peer noticed after", dead);
    say("return noticed after", back);
  });

  test.each([0.3, 0.5])("loss of %d for three minutes changes the status once at most", (loss) => {
    const bursts: number[] = [];
    fc.assert(
      fc.property(worlds, ({ seed, rttMs }) => {
        const way = lossyWay(seed, rttMs, loss);
        way.runUntil(5000);
        const before = way.life().changes;
        way.runUntil(185_000);
        bursts.push(way.bursts());
        expect(way.life().changes - before).toBeLessThanOrEqual(1);
      }),
      { numRuns: 150 },
    );
    say(`bursts in three minutes of ${loss} loss`, bursts, "");
  });

  test("a way that only stands by may take a little longer", () => {
    fc.assert(
      fc.property(worlds, ({ seed, rttMs }) => {
        const way = simulatedLink({ random: randomFrom(seed), rttMs, passes: (atMs) => atMs < 9000, inUse: false });
        way.runUntil(15_000);
        const { status, atMs } = way.transitions.at(-1)!;
        expect(status).toBe("failed");
        expect(atMs - way.repliedAtMs()).toBeLessThan(3500);
      }),
    );
  });
});

function lossyWay(seed: number, rttMs: () => number, loss: number): SimulatedLink {
  const random = randomFrom(seed);
  const passes = (atMs: number) => atMs < 5000 || random() >= loss;
  return simulatedLink({ random, rttMs, passes, inUse: true });
}

function say(what: string, values: readonly number[], unit = " ms"): void {
  const sorted = values.toSorted((a, b) => a - b).map(Math.round);
  const [median, most] = [sorted[sorted.length >> 1], sorted.at(-1)];
  process.stdout.write(`${what}: median ${median}${unit}, most ${most}${unit} (${values.length} runs)\n`);
}
