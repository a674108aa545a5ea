import {
  because,
  explained,
  type Explained,
  explainedAs,
  isReason,
  type Reason,
  reported,
} from "@portcullis/contract/reason";
import { isUsable, healthTiming, type Status } from "./link-state.machine.ts";
import type { Condition } from "./health.ts";
import type { SavedState } from "./saved-state.ts";
import {
  type UplinkSelection,
  noSelection,
  type ObservedUplink,
  type UplinkInputs,
  selectUplink,
  uplinkTiming,
} from "./uplinks.machine.ts";

export interface Uplink {
  readonly name: string;
  readonly interface: string;
  readonly priority: number;
  /** Its key in health. */
  readonly key: string;
}

export interface UplinkPlan {
  readonly mode: "manual" | "auto";
  readonly chosen?: string;
  readonly uplinks: readonly Uplink[];
}

/** The answer of `GET /system/wan-manager`. */
export interface WanReport {
  readonly mode: "manual" | "auto";
  readonly active: string | null;
  readonly since: string | null;
  readonly decision: string;
  readonly coded_decision: Reason;
  readonly uplinks: readonly (Explained<Reason> & {
    readonly name: string;
    readonly interface: string;
    readonly role: "active" | "standby" | "unusable";
    readonly status: Status | "unknown";
    readonly rtt_ms: number | null;
    readonly loss: number | null;
    readonly flaps: number;
    readonly pinned_until: string | null;
  })[];
  readonly switches: readonly (Explained<Reason> & {
    readonly at: string;
    readonly from: string;
    readonly to: string;
  })[];
  readonly timing: typeof timing;
}

export interface Uplinks {
  setPlan(plan: UplinkPlan): void;
  /** Decides again. It happens four times a second; a changed condition calls it at once. */
  readonly decide: () => void;
  readonly active: () => string | undefined;
  readonly report: () => WanReport;
  close(): void;
}

interface Needs {
  /** Monotonic, and continuous across restarts of the daemon: `sinceBootMs`. */
  readonly nowMs: () => number;
  readonly now: () => Date;
  readonly savedState: SavedState;
  readonly condition: (key: string) => Condition | undefined;
  /** Also called for the first selection without a saved state; `from` is absent then. */
  readonly onSwitch: (change: { readonly from?: string; readonly to: string; readonly reason: Reason }) => void;
}

const decideEveryMs = 250;

/** At most: probe interval, lateness, burst, and timer resolution. */
const failAfterMs = 2000;

const timing = {
  probe_interval_ms: healthTiming.inUseMs,
  fail_after_ms: failAfterMs,
  hold_ms: uplinkTiming.holdMs,
  return_after_sec: uplinkTiming.returnAfterMs / 1000,
  flap_limit: uplinkTiming.flapLimit,
  flap_window_sec: uplinkTiming.flapWindowMs / 1000,
  pin_sec: uplinkTiming.pinMs / 1000,
} as const;

export function openUplinks({ nowMs, now, savedState, condition, onSwitch }: Needs): Uplinks {
  let plan: UplinkPlan = { mode: "manual", uplinks: [] };
  /** Before the first plan the uplinks are unknown, which does not mean that there are none. */
  let hasPlan = false;
  let selection = savedSelection(savedState.read("uplinks"));

  function setPlan(next: UplinkPlan): void {
    plan = next;
    hasPlan = true;
    decide();
  }

  function decide(): void {
    if (!hasPlan || (plan.uplinks.length === 0 && selection.active === undefined)) return;
    const before = selection.active;
    selection = selectUplink(selection, inputs());
    const { decision: _, ...lasting } = selection;
    savedState.write("uplinks", lasting);
    const { active: to, decision: reason } = selection;
    if (to !== undefined && to !== before) onSwitch({ ...(before !== undefined && { from: before }), to, reason });
  }

  const inputs = (): UplinkInputs => ({
    atMs: nowMs(),
    clockMs: now().getTime(),
    mode: plan.mode,
    ...(plan.chosen !== undefined && { chosen: plan.chosen }),
    uplinks: plan.uplinks.map(observe),
  });

  function observe({ name, interface: device, priority, key }: Uplink): ObservedUplink {
    const it = { name, interface: device, priority };
    const found = condition(key);
    // Its state is unknown: it must not be switched to, nor be reported as down.
    if (!found) return { ...it, status: "down", reason: because("link_not_probed"), loss: null, isProbed: false };
    const { status, reason, rttMs, loss } = found;
    return { ...it, status, reason, ...(rttMs !== undefined && { rttMs }), loss, isProbed: true };
  }

  const ticking = setInterval(decide, decideEveryMs);
  return {
    setPlan,
    decide,
    active: () => selection.active,
    report: () => reportOn(selection, inputs()),
    close: () => clearInterval(ticking),
  };
}

export function reportOn(selection: UplinkSelection, { atMs, clockMs, mode, uplinks }: UplinkInputs): WanReport {
  const at = (ms: number): string => new Date(ms).toISOString();
  return {
    mode,
    active: selection.active ?? null,
    since: selection.active === undefined ? null : at(selection.sinceClockMs),
    ...explainedAs("decision", selection.decision),
    uplinks: uplinks.map(({ name, interface: device, status, reason, rttMs, loss, isProbed }) => {
      const { failuresMs = [], pinnedUntilMs } = selection.histories[name] ?? {};
      return {
        name,
        interface: device,
        role: name === selection.active ? "active" : isUsable({ status }) || !isProbed ? "standby" : "unusable",
        status: isProbed ? status : "unknown",
        ...explained(reason),
        rtt_ms: rttMs ?? null,
        loss,
        flaps: failuresMs.length,
        pinned_until: pinnedUntilMs === undefined ? null : at(clockMs + pinnedUntilMs - atMs),
      };
    }),
    switches: selection.switches.map(({ clockMs: switchedMs, from, to, reason }) => ({
      at: at(switchedMs),
      from,
      to,
      ...explained(reason),
    })),
    timing,
  };
}

/** Saved during this boot, perhaps by another version: invalid data are discarded. */
function savedSelection(value: unknown): UplinkSelection {
  if (typeof value !== "object" || value === null) return noSelection;
  const { active, sinceClockMs, histories, switches } = value as Partial<UplinkSelection>;
  const fits =
    typeof active === "string" &&
    typeof sinceClockMs === "number" &&
    Array.isArray(switches) &&
    typeof histories === "object" &&
    Object.values(histories ?? {}).every((past) =>
      Array.isArray((past as { failuresMs?: unknown } | null)?.failuresMs),
    );
  if (!fits) return noSelection;
  const saved = value as UplinkSelection;
  return {
    ...noSelection,
    ...saved,
    decision: because("uplink_unchanged"),
    switches: saved.switches.map((it) => ({ ...it, reason: asReason(it.reason) })),
  };
}

/** A version before wrote a sentence, a later one may have other codes. */
const asReason = (saved: unknown): Reason =>
  isReason(saved) ? saved : reported(typeof saved === "string" ? saved : "");
