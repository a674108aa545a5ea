import { carries, pace, type Status } from "./link-state.machine.ts";
import type { Condition } from "./health.ts";
import type { Kept } from "./saved-state.ts";
import { type Course, newCourse, type SeenUplink, type Sight, steered, uplinkPace } from "./uplinks.machine.ts";

export interface Uplink {
  readonly name: string;
  readonly interface: string;
  readonly priority: number;
  /** Under which health knows it. */
  readonly key: string;
}

export interface UplinkPlan {
  readonly mode: "manual" | "auto";
  readonly chosen?: string;
  readonly uplinks: readonly Uplink[];
}

/** What the endpoint for the uplinks' decisions answers. */
export interface WanReport {
  readonly mode: "manual" | "auto";
  readonly active: string | null;
  readonly since: string | null;
  readonly decision: string;
  readonly uplinks: readonly {
    readonly name: string;
    readonly interface: string;
    readonly role: "active" | "standby" | "unusable";
    readonly status: Status | "unknown";
    readonly reason: string;
    readonly rtt_ms: number | null;
    readonly loss: number | null;
    readonly flaps: number;
    readonly pinned_until: string | null;
  }[];
  readonly switches: readonly {
    readonly at: string;
    readonly from: string;
    readonly to: string;
    readonly reason: string;
  }[];
  readonly timing: typeof timing;
}

export interface Uplinks {
  attend(plan: UplinkPlan): void;
  /** Decides again. It happens by itself four times a second; a changed condition is a reason not to wait for that. */
  readonly look: () => void;
  readonly active: () => string | undefined;
  readonly report: () => WanReport;
  close(): void;
}

interface Needs {
  /** Monotonic, and the same for the next daemon: `sinceBootMs`. */
  readonly nowMs: () => number;
  readonly now: () => Date;
  readonly kept: Kept;
  readonly condition: (key: string) => Condition | undefined;
  /** Also called for the first choice after a start without memory; then there is nothing it came from. */
  readonly onSwitch: (news: { readonly from?: string; readonly to: string; readonly reason: string }) => void;
}

const lookEveryMs = 250;

/** At most: regular probe, lateness, burst, and the coarseness of timers. */
const failAfterMs = 2000;

const timing = {
  probe_interval_ms: pace.inUseMs,
  fail_after_ms: failAfterMs,
  hold_ms: uplinkPace.holdMs,
  return_after_sec: uplinkPace.returnAfterMs / 1000,
  flap_limit: uplinkPace.flapLimit,
  flap_window_sec: uplinkPace.flapWindowMs / 1000,
  pin_sec: uplinkPace.pinMs / 1000,
} as const;

export function openUplinks({ nowMs, now, kept, condition, onSwitch }: Needs): Uplinks {
  let plan: UplinkPlan = { mode: "manual", uplinks: [] };
  /** Before that nobody has said which uplinks there are, which does not mean that there are none. */
  let isAttended = false;
  let course = keptCourse(kept.read("uplinks"));

  function attend(next: UplinkPlan): void {
    plan = next;
    isAttended = true;
    look();
  }

  function look(): void {
    if (!isAttended || (plan.uplinks.length === 0 && course.active === undefined)) return;
    const before = course.active;
    course = steered(course, sight());
    const { decision: _, ...lasting } = course;
    kept.write("uplinks", lasting);
    const { active: to, decision: reason } = course;
    if (to !== undefined && to !== before) onSwitch({ ...(before !== undefined && { from: before }), to, reason });
  }

  const sight = (): Sight => ({
    atMs: nowMs(),
    clockMs: now().getTime(),
    mode: plan.mode,
    ...(plan.chosen !== undefined && { chosen: plan.chosen }),
    uplinks: plan.uplinks.map(seen),
  });

  function seen({ name, interface: device, priority, key }: Uplink): SeenUplink {
    const it = { name, interface: device, priority };
    const found = condition(key);
    // Whether it works is not known; it must not be switched to for that, nor be called down.
    if (!found) return { ...it, status: "down", reason: "Not probed", loss: null, isProbed: false };
    const { status, reason, rttMs, loss } = found;
    return { ...it, status, reason, ...(rttMs !== undefined && { rttMs }), loss, isProbed: true };
  }

  const ticking = setInterval(look, lookEveryMs);
  return {
    attend,
    look,
    active: () => course.active,
    report: () => reportOn(course, sight()),
    close: () => clearInterval(ticking),
  };
}

export function reportOn(course: Course, { atMs, clockMs, mode, uplinks }: Sight): WanReport {
  const at = (ms: number): string => new Date(ms).toISOString();
  return {
    mode,
    active: course.active ?? null,
    since: course.active === undefined ? null : at(course.sinceClockMs),
    decision: course.decision,
    uplinks: uplinks.map(({ name, interface: device, status, reason, rttMs, loss, isProbed }) => {
      const { failuresMs = [], pinnedUntilMs } = course.pasts[name] ?? {};
      return {
        name,
        interface: device,
        role: name === course.active ? "active" : carries({ status }) || !isProbed ? "standby" : "unusable",
        status: isProbed ? status : "unknown",
        reason,
        rtt_ms: rttMs ?? null,
        loss,
        flaps: failuresMs.length,
        pinned_until: pinnedUntilMs === undefined ? null : at(clockMs + pinnedUntilMs - atMs),
      };
    }),
    switches: course.switches.map(({ clockMs: switchedMs, ...rest }) => ({ at: at(switchedMs), ...rest })),
    timing,
  };
}

/** Written by a daemon of this boot, though perhaps of another version: what does not fit is forgotten. */
function keptCourse(value: unknown): Course {
  if (typeof value !== "object" || value === null) return newCourse;
  const { active, sinceClockMs, pasts, switches } = value as Partial<Course>;
  const fits =
    typeof active === "string" &&
    typeof sinceClockMs === "number" &&
    Array.isArray(switches) &&
    typeof pasts === "object" &&
    Object.values(pasts ?? {}).every((past) => Array.isArray((past as { failuresMs?: unknown } | null)?.failuresMs));
  return fits ? { ...newCourse, ...(value as Course), decision: "Goes on as before the restart" } : newCourse;
}
