import type { Alert, AlertRule, AlertRuleName, AlertSeverity } from "@portcullis/contract/subsystems/alerts";
import type { Reason } from "@portcullis/contract/reason";
import type { Ending, Occurrence } from "./occurrences.ts";

/** An alert, as it is stored. */
export interface StoredAlert {
  readonly number: number;
  readonly id: string;
  readonly rule: AlertRuleName;
  readonly key: string;
  readonly severity: AlertSeverity;
  readonly resource: Occurrence["resource"];
  readonly reason: Reason;
  readonly count: number;
  readonly raisedMs: number;
  readonly lastMs: number;
  readonly acknowledged: Mark | null;
  readonly resolved: Mark | null;
}
interface Mark {
  readonly ms: number;
  readonly by: string;
}

/** The daemon has started: it observes again what holds. */
export const restart = "restart";

export interface Step {
  /** The alert after it; undefined: there is none. */
  readonly alert: StoredAlert | undefined;
  readonly event: "raised" | "resolved" | undefined;
}

interface Occurred {
  /** The latest alert of this cause. */
  readonly latest: StoredAlert | undefined;
  readonly occurrence: Occurrence;
  readonly rule: AlertRule;
  /** Occurrences of this cause within the window, with this one. */
  readonly recent: number;
  readonly nowMs: number;
  readonly created: () => Pick<StoredAlert, "id" | "number">;
}

/** One cause is one alert: it counts while it is not resolved, and becomes active again during the cooldown. */
export function onOccurrence({ latest, occurrence, rule, recent, nowMs, created }: Occurred): Step {
  const { key, resource, reason, count } = occurrence;
  const counted = latest && { ...latest, reason, count: latest.count + count, lastMs: nowMs };
  if (counted && latest.resolved === null) return { alert: counted, event: undefined };
  const isReturning = latest?.resolved && nowMs - latest.resolved.ms <= rule.cooldown_sec * 1000;
  if (!rule.enabled || isMuted(rule, occurrence, nowMs) || recent < rule.threshold)
    return { alert: latest, event: undefined };
  if (counted && isReturning) {
    // What was acknowledged before a restart still is.
    const acknowledged = latest.resolved?.by === restart ? latest.acknowledged : null;
    return { alert: { ...counted, acknowledged, resolved: null }, event: acknowledged ? undefined : "raised" };
  }
  const { severity } = rule;
  const alert: StoredAlert = {
    ...created(),
    rule: occurrence.rule,
    key,
    severity,
    resource,
    reason,
    count: Math.max(count, recent),
    raisedMs: nowMs,
    lastMs: nowMs,
    acknowledged: null,
    resolved: null,
  };
  return { alert, event: "raised" };
}

export function onEnding(latest: StoredAlert | undefined, _ending: Ending, nowMs: number): Step {
  if (!latest || latest.resolved !== null) return { alert: latest, event: undefined };
  return { alert: { ...latest, resolved: { ms: nowMs, by: "system" } }, event: "resolved" };
}

/** Without an end of its own an alert is over when its cause did not occur for the window. */
export const isQuiet = ({ resolved, lastMs }: StoredAlert, rule: AlertRule, nowMs: number): boolean =>
  resolved === null && rule.ends === "window" && nowMs - lastMs >= rule.window_sec * 1000;

export function stateOf({ acknowledged, resolved }: StoredAlert): Alert["state"] {
  if (resolved) return "resolved";
  return acknowledged ? "acknowledged" : "active";
}

function isMuted({ muted_until, muted_resources }: AlertRule, { resource }: Occurrence, nowMs: number): boolean {
  const isTime = muted_until === null ? muted_resources.length > 0 : nowMs < Date.parse(muted_until);
  if (!isTime || muted_resources.length === 0) return isTime;
  return resource !== null && [resource.id, resource.name].some((it) => it !== null && muted_resources.includes(it));
}
