import { because, type Reason } from "@portcullis/contract/reason";
import { isUsable, type Status } from "./link-state.machine.ts";

/** The observed state of an uplink at one moment. */
export interface ObservedUplink {
  readonly name: string;
  readonly interface: string;
  /** Lower is better. Equal numbers have no preference. */
  readonly priority: number;
  readonly status: Status;
  readonly reason: Reason;
  readonly rttMs?: number;
  readonly loss: number | null;
  /** false: its status is unknown and reported as `down`. */
  readonly isProbed: boolean;
}

/** All inputs of the decision besides the previous selection. */
export interface UplinkInputs {
  /** Monotonic. */
  readonly atMs: number;
  /** Milliseconds since 1970, for people. */
  readonly clockMs: number;
  readonly mode: "manual" | "auto";
  /** The operator's choice in manual mode. */
  readonly chosen?: string;
  readonly uplinks: readonly ObservedUplink[];
}

/** The history of one uplink. */
interface UplinkHistory {
  readonly status: Status;
  /** Since when it is up without interruption. */
  readonly upSinceMs?: number;
  /** Since when it is unusable. */
  readonly unusableSinceMs?: number;
  readonly failuresMs: readonly number[];
  readonly pinnedUntilMs?: number;
}

export interface Switch {
  readonly clockMs: number;
  readonly from: string;
  readonly to: string;
  readonly reason: Reason;
}

/** Plain data: it is saved in a file for the next daemon. */
export interface UplinkSelection {
  readonly active?: string;
  readonly sinceClockMs: number;
  readonly switchedAtMs?: number;
  readonly decision: Reason;
  readonly histories: Readonly<Record<string, UplinkHistory>>;
  readonly switches: readonly Switch[];
}

export const uplinkTiming = {
  /** An uplink must be failed for this long before another takes over. */
  holdMs: 1000,
  /** Longer for an uplink that never answered, because links come up slowly after a boot. */
  connectingHoldMs: 4000,
  returnAfterMs: 30_000,
  flapLimit: 5,
  flapWindowMs: 600_000,
  pinMs: 600_000,
  keptSwitches: 50,
} as const;

export const noSelection: UplinkSelection = {
  sinceClockMs: 0,
  decision: because("uplink_none"),
  histories: {},
  switches: [],
};

/** The active uplink after new inputs, with the reason. */
export function selectUplink(selection: UplinkSelection, inputs: UplinkInputs): UplinkSelection {
  if (inputs.uplinks.length === 0) return { ...noSelection, switches: selection.switches };
  const histories = Object.fromEntries(
    inputs.uplinks.map((uplink) => [uplink.name, updateHistory(selection.histories[uplink.name], uplink, inputs.atMs)]),
  );
  const known = { ...selection, histories };
  const verdict = inputs.mode === "auto" ? automaticDecision(known, inputs) : manualDecision(known, inputs);
  if (verdict.to === undefined) return { ...known, decision: verdict.reason };
  return switchTo(known, inputs, verdict.to, verdict.reason);
}

/** The uplink to switch to, if any, and the reason. */
interface Decision {
  readonly to?: string;
  readonly reason: Reason;
}

function updateHistory(history: UplinkHistory | undefined, { status }: ObservedUplink, atMs: number): UplinkHistory {
  const failed = status === "failed" && history !== undefined && isUsable(history);
  const recent = (history?.failuresMs ?? []).filter((at) => atMs - at < uplinkTiming.flapWindowMs);
  const failuresMs = failed ? [...recent, atMs] : recent;
  const pinnedUntilMs =
    failed && failuresMs.length >= uplinkTiming.flapLimit ? atMs + uplinkTiming.pinMs : history?.pinnedUntilMs;
  return {
    status,
    ...(status === "up" && { upSinceMs: history?.upSinceMs ?? atMs }),
    ...(!isUsable({ status }) && { unusableSinceMs: history?.unusableSinceMs ?? atMs }),
    failuresMs,
    ...(pinnedUntilMs !== undefined && pinnedUntilMs > atMs && { pinnedUntilMs }),
  };
}

function manualDecision(selection: UplinkSelection, inputs: UplinkInputs): Decision {
  const wanted = inputs.uplinks.find(({ name }) => name === inputs.chosen) ?? byPreference(inputs.uplinks)[0]!;
  if (selection.active !== wanted.name) {
    const isChoice = wanted.name === inputs.chosen;
    return { to: wanted.name, reason: because(isChoice ? "uplink_chosen" : "uplink_first") };
  }
  const { to: other, reason: why } = automaticDecision(selection, inputs);
  const uplink = wanted.name;
  return {
    reason:
      other === undefined
        ? because("uplink_manual_as_automatic", { uplink, why })
        : because("uplink_manual_instead", { uplink, other, why }),
  };
}

function automaticDecision(selection: UplinkSelection, inputs: UplinkInputs): Decision {
  const active = inputs.uplinks.find(({ name }) => name === selection.active);
  if (!active) return initialDecision(selection, inputs);
  const verdict = isUsable(active)
    ? failBackDecision(selection, inputs, active)
    : failOverDecision(selection, inputs, active);
  const isTooSoon = selection.switchedAtMs !== undefined && inputs.atMs - selection.switchedAtMs < uplinkTiming.holdMs;
  return verdict.to !== undefined && isTooSoon ? { reason: because("uplink_just_switched") } : verdict;
}

/** At the start no uplink has answered yet: the preferred one may be connecting. Later one that is up comes first. */
function initialDecision(selection: UplinkSelection, { uplinks }: UplinkInputs): Decision {
  const ordered = byPreference(uplinks);
  const connecting = ordered.find(({ status }) => isUsable({ status }) || status === "connecting");
  const best = candidates(selection, uplinks)[0];
  const to = (selection.active === undefined ? connecting : (best ?? connecting)) ?? ordered[0]!;
  return { to: to.name, reason: because("uplink_none_active") };
}

/** Only to an uplink that is up: without one the failed uplink stays active, because it may be the first to recover. */
function failOverDecision(
  selection: UplinkSelection,
  { atMs, uplinks }: UplinkInputs,
  active: ObservedUplink,
): Decision {
  const to = candidates(selection, uplinks)[0];
  const problem =
    active.status === "down"
      ? because("uplink_unprobed", { uplink: active.name })
      : because("uplink_unusable", {
          uplink: active.name,
          status: because(`status_${active.status}`),
          why: active.reason,
        });
  if (!to) return { reason: because("uplink_alone", { problem }) };
  const holdMs = active.status === "connecting" ? uplinkTiming.connectingHoldMs : uplinkTiming.holdMs;
  const unusableSinceMs = selection.histories[active.name]?.unusableSinceMs ?? atMs;
  if (atMs - unusableSinceMs < holdMs)
    return { reason: because("uplink_held", { problem, other: to.name, hold_ms: holdMs }) };
  return { to: to.name, reason: because("uplink_replaced", { problem, other: to.name }) };
}

function failBackDecision(
  selection: UplinkSelection,
  { atMs, uplinks }: UplinkInputs,
  active: ObservedUplink,
): Decision {
  const preferred = byPreference(uplinks).filter(({ priority }) => priority < active.priority);
  const ready = preferred.find(
    ({ name }) =>
      atMs - (selection.histories[name]?.upSinceMs ?? atMs) >= uplinkTiming.returnAfterMs &&
      selection.histories[name]?.pinnedUntilMs === undefined,
  );
  const after_ms = uplinkTiming.returnAfterMs;
  if (ready) return { to: ready.name, reason: because("uplink_returned", { uplink: ready.name, after_ms }) };
  const state = because(active.status === "up" ? "uplink_up" : "uplink_lossy", { uplink: active.name });
  const [first] = preferred;
  if (!first) return { reason: because("uplink_best", { state }) };
  const other = first.name;
  if (selection.histories[other]?.pinnedUntilMs !== undefined)
    return { reason: because("uplink_other_pinned", { state, other }) };
  if (first.status === "up") return { reason: because("uplink_other_returns", { state, other, after_ms }) };
  return { reason: because("uplink_other_unusable", { state, other, status: because(`status_${first.status}`) }) };
}

/** Uplinks that are up, the preferred first. Pinned ones come last, but are better than none. */
function candidates(selection: UplinkSelection, uplinks: readonly ObservedUplink[]): readonly ObservedUplink[] {
  const isPinned = ({ name }: ObservedUplink): boolean => selection.histories[name]?.pinnedUntilMs !== undefined;
  const up = byPreference(uplinks).filter(({ name, status }) => status === "up" && name !== selection.active);
  return [...up.filter((it) => !isPinned(it)), ...up.filter(isPinned)];
}

const byPreference = (uplinks: readonly ObservedUplink[]): readonly ObservedUplink[] =>
  uplinks.toSorted((a, b) => a.priority - b.priority);

function switchTo(
  selection: UplinkSelection,
  { atMs, clockMs }: UplinkInputs,
  to: string,
  reason: Reason,
): UplinkSelection {
  const from = selection.active;
  const decision = because("uplink_active", { uplink: to, why: reason });
  const next = { ...selection, active: to, sinceClockMs: clockMs, decision };
  if (from === undefined) return next;
  const entry = { clockMs, from, to, reason };
  const switches = [...selection.switches, entry].slice(-uplinkTiming.keptSwitches);
  return { ...next, switchedAtMs: atMs, switches };
}
