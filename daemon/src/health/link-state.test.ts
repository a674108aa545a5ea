import { because } from "@portcullis/contract/reason";
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

announceSeed("link states");

/** An event without its time. */
type Untimed = LinkEvent extends infer H ? (H extends LinkEvent ? Omit<H, "atMs"> : never) : never;

const after = (state: LinkState, ...events: readonly (readonly [number, Untimed])[]): LinkState =>
  events.reduce((it, [atMs, event]) => reduce(it, { atMs, ...event } as LinkEvent), state);

const configured = { kind: "configured", wanted: true, present: true, inUse: true } as const;
const reply = (sequence: number) => ({ kind: "reply", sequence, rttMs: 20 }) as const;
const missed = (sequence: number) => ({ kind: "missed", sequence }) as const;
const time = { kind: "time" } as const;

const upAt = (atMs: number): LinkState => after(initialState(atMs), [atMs, configured], [atMs, reply(1)]);

describe("link state", () => {
  test("a link connects when it is enabled, is up with the first reply and down when it is disabled", () => {
    const connecting = after(initialState(0), [0, configured]);
    expect(connecting).toMatchObject({ status: "connecting", reason: because("link_awaits_reply") });
    const up = after(connecting, [80, reply(1)]);
    expect(up).toMatchObject({ status: "up", sinceMs: 80, reason: because("link_answers") });
    const down = after(up, [90, { ...configured, wanted: false }]);
    expect(down).toMatchObject({ status: "down", changes: 3 });
    expect(after(down, [99, reply(2)]).status).toBe("down");
  });

  test("a late reply starts one burst and does not fail the link", () => {
    const late = after(upAt(0), [500, time], [900, time]);
    expect(late).toMatchObject({ status: "up", burst: { startedAtMs: 900 } });
    expect(after(late, [1025, time]).burst).toEqual({ startedAtMs: 900 });
  });

  test("one reply that is a second late hardly raises the burst limit; the third in a row raises it", () => {
    const slow = (sequence: number) => ({ ...reply(sequence), rttMs: 1020 });
    const steady = after(upAt(0), ...[2, 3, 4, 5].map((it) => [500 * it, reply(it)] as const));
    const once = after(steady, [4000, slow(6)]);
    expect(burstLimitMs(once)).toBeLessThan(healthTiming.burstMs + 400);
    // As many as bring a failed link back up.
    const thrice = after(once, [4500, slow(7)], [5000, slow(8)]);
    expect(burstLimitMs(thrice)).toBeGreaterThan(1020);
  });

  test("a burst without a reply fails the link, one with a reply keeps it up", () => {
    const late = after(upAt(0), [900, time]);
    const result = { kind: "burst", startedAtMs: 900 } as const;
    const failed = after(late, [1600, { ...result, answered: false }]);
    expect(failed.status).toBe("failed");
    expect(failed.reason).toEqual(because("link_silent", { silence_ms: 1600 }));
    const saved = after(late, [950, { ...result, answered: true }]);
    expect(saved).toMatchObject({ status: "up", lastReplyAtMs: 950 });
    expect(saved.burst).toBeUndefined();
  });

  test("a reply to a regular probe outweighs a burst without a reply", () => {
    const late = after(upAt(0), [900, time], [1000, reply(3)]);
    expect(after(late, [1600, { kind: "burst", startedAtMs: 900, answered: false }]).status).toBe("up");
  });

  test("the result of an earlier burst is ignored", () => {
    const late = after(upAt(0), [900, time]);
    expect(after(late, [1600, { kind: "burst", startedAtMs: 1, answered: false }])).toEqual(late);
  });

  test("a link fails at once when its interface is gone, and replies through another interface do not count", () => {
    const gone = after(upAt(0), [100, { ...configured, present: false }], [150, reply(2)]);
    expect(gone).toMatchObject({ status: "failed", reason: because("link_interface_gone") });
  });

  test("a failed link is up again after three replies in a row, not after three of five", () => {
    const failed = after(upAt(0), [100, { ...configured, present: false }], [200, configured]);
    expect(failed.status).toBe("failed");
    expect(after(failed, [500, reply(5)], [800, reply(6)], [1400, reply(8)]).status).toBe("failed");
    const back = after(failed, [500, reply(5)], [800, reply(6)], [1100, reply(7)]);
    expect(back).toMatchObject({ status: "up", reason: because("link_answers_again", { after_ms: 1000 }) });
  });

  test("a connecting link without any reply fails after the time limit", () => {
    const waiting = after(initialState(0), [0, configured], [healthTiming.connectMs - 1, time]);
    expect(waiting.status).toBe("connecting");
    expect(after(waiting, [healthTiming.connectMs, time])).toMatchObject({
      status: "failed",
      reason: because("link_never_answered", { limit_ms: 10_000 }),
    });
  });

  test("a long round trip is no loss: a reply after the next probe corrects the missed one", () => {
    let state = upAt(0);
    for (let number = 2; number < 200; number += 1)
      state = after(state, [number * 500 - 600, missed(number)], [number * 500 - 500, reply(number)]);
    expect(state).toMatchObject({ status: "up", changes: 2 });
    expect(state.burst).toBeUndefined();
  });

  test("eight losses degrade a link; a full window that stays good brings it up again", () => {
    let state = upAt(0);
    let atMs = 0;
    let number = 1;
    const step = (what: "reply" | "missed") => {
      [atMs, number] = [atMs + 500, number + 1];
      state = after(state, [atMs, what === "reply" ? reply(number) : missed(number)]);
      return state.status;
    };
    for (let lost = 0; lost < 7; lost += 1) step("missed");
    expect(state.status).toBe("up");
    expect(step("missed")).toBe("degraded");
    expect(state.reason).toEqual(because("link_lossy", { lost: 8, probes: 8 }));
    const degradedAtMs = atMs;
    while (state.status === "degraded") step("reply");
    expect(atMs - degradedAtMs).toBeGreaterThanOrEqual(healthTiming.degradedMs);
    expect(atMs - degradedAtMs).toBeLessThan(40_000);
  });

  test("a single good window does not end degraded", () => {
    let state = upAt(0);
    let atMs = 0;
    for (let number = 2; number < 242; number += 1) {
      atMs += 500;
      state = after(state, [atMs, number > 200 || number % 2 === 0 ? reply(number) : missed(number)]);
    }
    expect(state).toMatchObject({ status: "degraded" });
    expect(state.outcomes.every(({ answered }) => answered)).toBe(true);
    const goodSinceMs = atMs;
    for (let number = 242; state.status === "degraded"; number += 1)
      state = after(state, [(atMs += 500), reply(number)]);
    expect(atMs - goodSinceMs).toBeGreaterThanOrEqual(10_000);
  });

  test("packets sent while none is received start a burst, and a reply to it prevents another for five seconds", () => {
    const traffic = (sent: number, received: number) => ({ kind: "traffic", sent, received }) as const;
    const busy = after(upAt(0), [0, traffic(0, 0)], [250, traffic(30, 1)], [500, traffic(60, 1)]);
    expect(busy.burst).toBeUndefined();
    const suspect = after(busy, [650, traffic(90, 1)]);
    expect(suspect.burst).toEqual({ startedAtMs: 650 });
    let state = after(suspect, [700, { kind: "burst", startedAtMs: 650, answered: true }]);
    for (let atMs = 750; atMs < 5700; atMs += 250) state = after(state, [atMs, reply(atMs)], [atMs, traffic(atMs, 1)]);
    expect(state.burst).toBeUndefined();
    expect(after(state, [5750, traffic(9999, 1)]).burst).toEqual({ startedAtMs: 5750 });
  });

  test("the first packets after an idle time start no burst", () => {
    const traffic = (sent: number) => ({ kind: "traffic", sent, received: 7 }) as const;
    const rested = after(upAt(0), [0, traffic(1)], [250, traffic(1)], [500, traffic(1)], [600, reply(2)]);
    expect(after(rested, [750, traffic(40)]).burst).toBeUndefined();
  });

  test("five failures or recoveries within five minutes are a flap, and the next flap takes five more", () => {
    let state = upAt(0);
    for (let turn = 1; turn <= 10; turn += 1) {
      const atMs = turn * 10_000;
      const gone = { ...configured, present: false };
      state =
        state.status === "up"
          ? after(state, [atMs, gone])
          : after(state, [atMs - 900, configured], ...threeReplies(atMs - 600, turn * 100));
      expect(state.flaps).toBe(Math.floor(turn / 5));
    }
  });

  test("failures and recoveries that are far apart are no flap", () => {
    let state = upAt(0);
    for (let turn = 1; turn <= 20; turn += 1) {
      const atMs = turn * 80_000;
      state =
        state.status === "up"
          ? after(state, [atMs, { ...configured, present: false }])
          : after(state, [atMs - 900, configured], ...threeReplies(atMs - 600, turn * 100));
    }
    expect(state).toMatchObject({ flaps: 0, changes: 22 });
  });

  test("the state of the previous daemon counts until probes have a result", () => {
    const reason = because("link_answers");
    const saved = { status: "up", reason, changes: 4, flaps: 1, failTransitionsMs: [] } as const;
    const state = after(resumedState(50, saved, 5000), [50, configured]);
    expect(state).toMatchObject({ status: "up", changes: 4, flaps: 1 });
    expect(after(state, [1000, time]).burst).toEqual({ startedAtMs: 1000 });
  });

  test("after a restart the duration of a failure is that from its beginning, also if the clock was set back", () => {
    const failed = { reason: because("link_silent", { silence_ms: 1500 }), changes: 2, flaps: 0 } as const;
    const saved = { ...failed, status: "failed", failTransitionsMs: [], sinceMs: Date.now() } as const;
    const replies = threeReplies(1000, 1);
    const backAfter = (forMs: number) => after(resumedState(50, saved, forMs), [50, configured], ...replies);
    expect(backAfter(5000)).toMatchObject({
      status: "up",
      reason: because("link_answers_again", { after_ms: 1600 - 50 + 5000 }),
    });
    expect(backAfter(-5000)).toMatchObject({ reason: because("link_answers_again", { after_ms: 1600 - 50 }) });
  });
});

const threeReplies = (atMs: number, from: number) =>
  [0, 1, 2].map((number) => [atMs + number * 300, reply(from + number)] as const);

/** Round-trip times of one simulated network: constant, or random for each packet. */
const roundTrips = fc.oneof(
  fc.integer({ min: 1, max: 200 }).map((ms) => () => ms),
  fc.integer({ min: 0, max: 2 ** 31 }).map((seed) => {
    const random = randomFrom(seed);
    return () => 1 + random() * 199;
  }),
);
const networks = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
  rttMs: roundTrips,
  loss: fc.constantFrom(0, 0, 0.1, 0.3, 0.5),
});

describe("simulated link", () => {
  test("a dead peer fails within two seconds of its last reply, and its return is detected as fast", () => {
    const dead: number[] = [];
    const back: number[] = [];
    fc.assert(
      fc.property(networks, fc.integer({ min: 3000, max: 6000 }), ({ seed, rttMs, loss }, diesAtMs) => {
        const random = randomFrom(seed);
        const livesAgainAtMs = diesAtMs + 8000;
        // It answers once before it dies. No loss after the return, which would delay the detection.
        const isLost = () => random() < loss;
        const passes = (atMs: number) => atMs < 1000 || (atMs < diesAtMs ? !isLost() : atMs >= livesAgainAtMs);
        const link = simulatedLink({ random, rttMs, passes, inUse: true });
        link.runUntil(livesAgainAtMs);
        const failed = link.transitions.findLast(({ status }) => status === "failed");
        const silentMs = failed!.atMs - link.repliedAtMs();
        link.runUntil(livesAgainAtMs + 2000);
        const up = link.transitions.at(-1)!;
        dead.push(silentMs);
        back.push(up.atMs - livesAgainAtMs);
        expect(silentMs).toBeLessThanOrEqual(2000);
        expect(up.status).toBe("up");
      }),
      { numRuns: 400 },
    );
    report("dead peer noticed after", dead);
    report("return noticed after", back);
  });

  test.each([0.3, 0.5])("loss of %d for three minutes changes the status once at most", (loss) => {
    const bursts: number[] = [];
    fc.assert(
      fc.property(networks, ({ seed, rttMs }) => {
        const link = lossyLink(seed, rttMs, loss);
        link.runUntil(5000);
        const before = link.state().changes;
        link.runUntil(185_000);
        bursts.push(link.bursts());
        expect(link.state().changes - before).toBeLessThanOrEqual(1);
      }),
      { numRuns: 150 },
    );
    report(`bursts in three minutes of ${loss} loss`, bursts, "");
  });

  test("a standby link is detected as failed within 3.5 seconds", () => {
    fc.assert(
      fc.property(networks, ({ seed, rttMs }) => {
        const link = simulatedLink({ random: randomFrom(seed), rttMs, passes: (atMs) => atMs < 9000, inUse: false });
        link.runUntil(15_000);
        const { status, atMs } = link.transitions.at(-1)!;
        expect(status).toBe("failed");
        expect(atMs - link.repliedAtMs()).toBeLessThan(3500);
      }),
    );
  });
});

function lossyLink(seed: number, rttMs: () => number, loss: number): SimulatedLink {
  const random = randomFrom(seed);
  const passes = (atMs: number) => atMs < 5000 || random() >= loss;
  return simulatedLink({ random, rttMs, passes, inUse: true });
}

function report(what: string, values: readonly number[], unit = " ms"): void {
  const sorted = values.toSorted((a, b) => a - b).map(Math.round);
  const [median, max] = [sorted[sorted.length >> 1], sorted.at(-1)];
  process.stdout.write(`${what}: median ${median}${unit}, max ${max}${unit} (${values.length} runs)\n`);
}
