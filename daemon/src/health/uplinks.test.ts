import { because, type Reason, sentence } from "@portcullis/contract/reason";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { announceSeed, randomFrom } from "../../../testing/seed.ts";
import { simulatedLink } from "../../../testing/simulated-link.ts";
import { isUsable, type Status } from "./link-state.machine.ts";
import {
  type UplinkSelection,
  noSelection,
  type ObservedUplink,
  type UplinkInputs,
  selectUplink,
  uplinkTiming,
} from "./uplinks.machine.ts";
import { openUplinks, reportOn } from "./uplinks.ts";

announceSeed("uplinks");

const reasons: Readonly<Record<Status, Reason>> = {
  down: because("link_not_wanted"),
  connecting: because("link_awaits_reply"),
  up: because("link_answers"),
  degraded: because("link_lossy", { lost: 9, probes: 40 }),
  failed: because("link_silent", { silence_ms: 1600 }),
};

const uplink = (name: string, priority: number, status: Status): ObservedUplink => ({
  name,
  interface: `${name}0`,
  priority,
  status,
  reason: reasons[status],
  loss: 0,
  isProbed: true,
});

/** Fibre is preferred to cable, cable to radio. */
function seen(atMs: number, fibre: Status, cable: Status, rest: Partial<UplinkInputs> = {}): UplinkInputs {
  return {
    atMs,
    clockMs: atMs,
    mode: "auto",
    uplinks: [uplink("cable", 20, cable), uplink("fibre", 10, fibre)],
    ...rest,
  };
}

const after = (...inputs: readonly UplinkInputs[]): UplinkSelection => inputs.reduce(selectUplink, noSelection);

describe("active uplink", () => {
  test("the first selection is the preferred uplink, unless it has failed already", () => {
    expect(after(seen(0, "up", "up"))).toMatchObject({ active: "fibre", switches: [] });
    expect(after(seen(0, "connecting", "up")).active).toBe("fibre");
    expect(after(seen(0, "failed", "up")).active).toBe("cable");
    expect(after(seen(0, "connecting", "failed")).active).toBe("fibre");
  });

  test("an uplink in use that nothing probes is reported as not probed, not as down", () => {
    const sight = seen(100, "down", "failed", { mode: "manual", chosen: "fibre" });
    const decision = sentence(after({ ...sight, atMs: 0 }, sight).decision);
    expect(decision).toContain("fibre is not probed");
    expect(decision).not.toContain("down");
    const failed = seen(100, "failed", "failed", { mode: "manual", chosen: "fibre" });
    expect(sentence(after({ ...failed, atMs: 0 }, failed).decision)).toContain("fibre is failed (");
  });

  test("another uplink takes over after the hold time of a failure, not earlier", () => {
    const waiting = after(seen(0, "up", "up"), seen(100, "failed", "up"), seen(1099, "failed", "up"));
    expect(waiting.active).toBe("fibre");
    expect(sentence(waiting.decision)).toBe(
      "fibre is failed (stopped responding: no reply for 1.6 s, then none to a burst of probes); cable takes over should that last 1.0 s",
    );
    expect(selectUplink(waiting, seen(1100, "failed", "up"))).toMatchObject({
      active: "cable",
      switches: [{ from: "fibre", to: "cable", clockMs: 1100 }],
    });
  });

  test("without an uplink that is up the failed one stays active, with the reason", () => {
    const alone = after(seen(0, "up", "failed"), seen(100, "failed", "degraded"), seen(9000, "failed", "degraded"));
    expect(alone.active).toBe("fibre");
    expect(sentence(alone.decision)).toMatch(/^fibre is failed \(.*\) and no other uplink is up, so it stays$/);
  });

  test("a degraded uplink stays active", () => {
    const selection = after(seen(0, "up", "up"), seen(100, "degraded", "up"), seen(60_000, "degraded", "up"));
    expect(selection.active).toBe("fibre");
    expect(sentence(selection.decision)).toBe("fibre loses packets but is usable and no uplink is preferred to it");
  });

  test("the preferred uplink takes over again after 30 seconds up without interruption", () => {
    const away = after(seen(0, "failed", "up"), seen(5000, "up", "up"), seen(30_000, "degraded", "up"));
    const back = after(seen(0, "failed", "up"), seen(5000, "up", "up"), seen(34_999, "up", "up"));
    expect(selectUplink(away, seen(36_000, "up", "up")).active).toBe("cable");
    expect(sentence(back.decision)).toBe("cable is up; fibre is preferred and takes over once it was up for 30 s");
    expect(selectUplink(back, seen(35_000, "up", "up"))).toMatchObject({ active: "fibre" });
  });

  test("five failures within ten minutes pin an uplink, and the report has the end of the pin", () => {
    let selection = after(seen(0, "up", "up"));
    let atMs = 0;
    for (let flap = 1; flap <= 5; flap += 1) {
      expect(selection.histories["fibre"]?.pinnedUntilMs).toBeUndefined();
      atMs += 20_000;
      selection = selectUplink(selection, seen(atMs, "failed", "up"));
      selection = selectUplink(selection, seen(atMs + 1500, "failed", "up"));
      selection = selectUplink(selection, seen(atMs + 2000, "up", "up"));
    }
    const pinnedAtMs = atMs;
    const late = seen(pinnedAtMs + uplinkTiming.pinMs - 1, "up", "up");
    selection = selectUplink(selectUplink(selection, seen(atMs + 60_000, "up", "up")), late);
    expect(selection.active).toBe("cable");
    expect(sentence(selection.decision)).toBe(
      "cable is up; fibre would be preferred but failed too often and has to wait",
    );
    expect(reportOn(selection, late).uplinks.find(({ name }) => name === "fibre")).toMatchObject({
      role: "standby",
      pinned_until: new Date(pinnedAtMs + uplinkTiming.pinMs).toISOString(),
    });
    expect(selectUplink(selection, seen(pinnedAtMs + uplinkTiming.pinMs, "up", "up")).active).toBe("fibre");
  });

  test("a pinned uplink is still better than none", () => {
    const pinned = { ...noSelection, active: "cable", histories: { fibre: { ...past, pinnedUntilMs: 99_999 } } };
    const selection = [seen(0, "up", "failed"), seen(1000, "up", "failed")].reduce(selectUplink, pinned);
    expect(selection.active).toBe("fibre");
  });

  test("manual mode uses the operator's choice and reports what automatic mode would do", () => {
    const manual = (atMs: number, chosen: string) => seen(atMs, "failed", "up", { mode: "manual", chosen });
    const selection = after(manual(0, "fibre"), manual(5000, "fibre"));
    expect(selection.active).toBe("fibre");
    expect(sentence(selection.decision)).toMatch(
      /^fibre is active because the mode is manual\. Automatic mode would switch to cable: fibre is failed/,
    );
    const other = selectUplink(selection, manual(5001, "cable"));
    expect(other).toMatchObject({ active: "cable", switches: [{ reason: because("uplink_chosen") }] });
    expect(selectUplink(other, manual(5002, "unknown")).active).toBe("fibre");
  });

  test("no second switch happens within the hold time", () => {
    const manual = seen(40_000, "up", "up", { mode: "manual", chosen: "cable" });
    const selection = after(seen(0, "up", "up"), manual, seen(40_500, "up", "up"));
    expect(selection).toMatchObject({ active: "cable", decision: because("uplink_just_switched") });
    expect(selectUplink(selection, seen(41_000, "up", "up")).active).toBe("fibre");
  });

  test("an uplink that is removed is replaced at once; without uplinks none is active", () => {
    const selection = after(seen(0, "up", "up"), { ...seen(10, "up", "up"), uplinks: [uplink("cable", 20, "up")] });
    expect(selection.active).toBe("cable");
    expect(selectUplink(selection, { ...seen(20, "up", "up"), uplinks: [] }).active).toBeUndefined();
  });
});

const past = { status: "up", upSinceMs: 0, failuresMs: [] } as const;

const statuses = fc.constantFrom<Status>("up", "up", "failed", "degraded", "connecting", "down");
const histories = fc.array(
  fc.record({
    waitMs: fc.integer({ min: 1, max: 20_000 }),
    statuses: fc.array(statuses, { minLength: 3, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 120 },
);
const names = ["fibre", "cable", "radio"];

test("uplinks: a switch never leads to an uplink that is not up, never happens without need, never twice within the hold time", () => {
  let switches = 0;
  fc.assert(
    fc.property(
      histories,
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 3, maxLength: 3 }),
      (history, ranks) => {
        let selection = noSelection;
        let atMs = 0;
        let switchedAtMs = Number.NEGATIVE_INFINITY;
        for (const step of history) {
          atMs += step.waitMs;
          const uplinks = names.map((name, index) => uplink(name, ranks[index]!, step.statuses[index]!));
          const before = selection.active;
          selection = selectUplink(selection, { atMs, clockMs: atMs, mode: "auto", uplinks });
          if (before === undefined || selection.active === before) continue;
          switches += 1;
          const [from, to] = [before, selection.active].map((name) => uplinks.find((it) => it.name === name)!);
          expect(to!.status).toBe("up");
          expect(isUsable(from!) && to!.priority >= from!.priority).toBe(false);
          expect(isUsable(from!) && selection.histories[to!.name]?.pinnedUntilMs !== undefined).toBe(false);
          expect(atMs - switchedAtMs).toBeGreaterThanOrEqual(uplinkTiming.holdMs);
          switchedAtMs = atMs;
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(switches).toBeGreaterThan(100);
});

test("uplinks: another uplink is active within five seconds of a failure", () => {
  const took: number[] = [];
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 4000, max: 7000 }),
      (seed, rtt, diesAtMs) => {
        const random = randomFrom(seed);
        const rttMs = () => rtt;
        const fibre = simulatedLink({ random, rttMs, inUse: true, passes: (atMs) => atMs < diesAtMs });
        const cable = simulatedLink({ random, rttMs, inUse: false, passes: () => true });
        let selection = noSelection;
        let atMs = random() * 250;
        for (; atMs < diesAtMs + 6000; atMs += 250) {
          fibre.runUntil(atMs);
          cable.runUntil(atMs);
          selection = selectUplink(selection, seen(atMs, fibre.state().status, cable.state().status));
        }
        expect(selection).toMatchObject({ active: "cable", switches: [{ from: "fibre" }] });
        took.push(selection.switches[0]!.clockMs - diesAtMs);
        expect(took.at(-1)).toBeLessThan(5000);
      },
    ),
    { numRuns: 200 },
  );
  process.stdout.write(`another uplink after a loss: at most ${Math.round(Math.max(...took))} ms\n`);
});

test("uplinks: the next daemon continues with the active uplink", () => {
  let parts: Readonly<Record<string, string>> = {};
  const open = (status: Status, onSwitch: (change: { readonly to: string }) => void) =>
    openUplinks({
      nowMs: () => 0,
      now: () => new Date(0),
      savedState: {
        read: (part) => (parts[part] === undefined ? undefined : (JSON.parse(parts[part]) as unknown)),
        write: (part, value) => void (parts = { ...parts, [part]: JSON.stringify(value) }),
      },
      condition: (key) => {
        const now = key === "fibre" ? status : "up";
        return { status: now, healthy: now === "up", reason: reasons[now], sinceMs: 0, loss: 0, changes: 0, flaps: 0 };
      },
      onSwitch: ({ to }) => onSwitch({ to }),
    });
  const plan = {
    mode: "auto",
    uplinks: names.slice(0, 2).map((name, priority) => ({ name, interface: name, priority, key: name })),
  } as const;
  const switches: string[] = [];
  const first = open("failed", ({ to }) => switches.push(to));
  first.setPlan(plan);
  first.close();
  const second = open("up", ({ to }) => switches.push(to));
  expect(second.active()).toBe("cable");
  second.decide(); // There is no plan yet.
  second.setPlan(plan);
  second.close();
  expect(second.active()).toBe("cable");
  expect(switches).toEqual(["cable"]);
});
