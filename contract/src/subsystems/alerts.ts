import Type, { type Static } from "typebox";
import { closed, optionals, pageOf } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, named, Nullable, OneOf, reasonFields, Timestamp } from "../values.ts";

export const alertRuleNames = [
  "leak-detected",
  "killswitch-engaged",
  "direct-fallback",
  "tunnel-down",
  "tunnel-flap",
  "dns-plane-down",
  "dns-bypass",
  "drift-detected",
  "port-scan",
  "new-device",
  "resource-exhaustion",
  "cert-expiry-critical",
  "cert-expired",
] as const;
export type AlertRuleName = (typeof alertRuleNames)[number];

export const AlertRuleWord = OneOf(alertRuleNames, { description: "Name of an alert rule" });
export const AlertSeverity = OneOf(["critical", "warning", "info"]);
export type AlertSeverity = Static<typeof AlertSeverity>;
const AlertState = OneOf(["active", "acknowledged", "resolved"]);

export const Alert = named(
  "Alert",
  Type.Object({
    id: Id,
    rule: AlertRuleWord,
    severity: AlertSeverity,
    state: AlertState,
    resource_type: Nullable(Type.String({ description: "Type of the resource that it is about" })),
    resource_id: Nullable(Type.String({ description: "Its id; of an unknown device, the MAC address" })),
    resource_name: Type.String({ description: "Its name when the alert was raised; empty: the gateway" }),
    ...reasonFields("What happened last, as a sentence"),
    count: Type.Integer({ description: "How often it happened. One cause is one alert" }),
    raised_at: Timestamp,
    last_at: { ...Timestamp, description: "When it happened last" },
    acknowledged_at: Nullable(Timestamp),
    acknowledged_by: Nullable(Type.String({ description: "Actor" })),
    resolved_at: Nullable(Timestamp),
    resolved_by: Nullable(
      Type.String({
        description:
          "Actor; system: the cause is over, or did not happen again; restart: the daemon started, and observes it anew",
      }),
    ),
  }),
);
export type Alert = Readonly<Static<typeof Alert>>;

const settings = {
  enabled: Type.Boolean({
    description: "false: the rule raises no alert. Its active alerts stay until they are resolved",
  }),
  severity: AlertSeverity,
  threshold: Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: "Occurrences of a cause within the window that raise an alert",
  }),
  window_sec: Type.Integer({
    minimum: 10,
    maximum: 604_800,
    description:
      "Window of the threshold. An alert without an end of its own is resolved when its cause did not occur for this long",
  }),
  cooldown_sec: Type.Integer({
    minimum: 0,
    maximum: 604_800,
    description:
      "A cause that returns within this time after its alert was resolved makes that alert active again, instead of raising another",
  }),
  muted_until: Nullable({ ...Timestamp, description: "Until then nothing is raised; null: not muted" }),
  muted_resources: Type.Array(Type.String({ minLength: 1, maxLength: 120 }), {
    maxItems: 256,
    uniqueItems: true,
    description:
      "The mute applies to these ids and names only; empty: to all. With muted_until null they are muted without an end",
  }),
};

export const AlertRule = named(
  "AlertRule",
  Type.Object({
    id: AlertRuleWord,
    ...settings,
    ends: OneOf(["event", "window"], {
      description:
        "When its alerts are resolved: event: when the cause is over; window: when it did not occur for window_sec",
    }),
  }),
);
export type AlertRule = Readonly<Static<typeof AlertRule>>;

const params = Type.Object({ id: Id });
const columns = ["id", "rule", "severity", "state", "resource_name", "count", "raised_at", "reason"];

export const alerts = {
  list: endpoint({
    method: "GET",
    path: "/alerts",
    role: "viewer",
    summary: "Alerts, newest first: active, acknowledged and resolved",
    description: "Resolved ones are kept for 90 days, 5,000 at most.",
    query: pageOf({ state: AlertState, severity: AlertSeverity, rule: AlertRuleWord }),
    result: Type.Array(Alert),
    paged: true,
    errors: [],
    cli: { words: ["alerts", "list"], columns },
  }),
  active: endpoint({
    method: "GET",
    path: "/alerts/active",
    role: "viewer",
    summary: "Alerts that are not resolved, newest first",
    result: Type.Array(Alert),
    errors: [],
    cli: { words: ["alerts", "active"], columns },
  }),
  acknowledge: endpoint({
    method: "POST",
    path: "/alerts/{id}/acknowledge",
    role: "operator",
    summary: "Acknowledge an alert: it is known, and stays until its cause is over",
    params,
    result: Alert,
    errors: ["not_found", "conflict"],
    audit: { verb: "acknowledge", noun: "alert" },
    cli: { words: ["alerts", "acknowledge"], args: ["id"] },
  }),
  resolve: endpoint({
    method: "POST",
    path: "/alerts/{id}/resolve",
    role: "operator",
    summary: "Resolve an alert. If its cause occurs again, it is raised again",
    params,
    result: Alert,
    errors: ["not_found", "conflict"],
    audit: { verb: "resolve", noun: "alert" },
    cli: { words: ["alerts", "resolve"], args: ["id"] },
  }),
  rules: endpoint({
    method: "GET",
    path: "/alerts/rules",
    role: "viewer",
    summary: "The alert rules",
    result: Type.Array(AlertRule),
    errors: [],
    cli: {
      words: ["alerts", "rules"],
      columns: ["id", "enabled", "severity", "threshold", "window_sec", "cooldown_sec", "muted_until"],
    },
  }),
  updateRule: endpoint({
    method: "PUT",
    path: "/alerts/rules/{id}",
    role: "operator",
    summary: "Change an alert rule",
    description: "Fields that are not given keep their value. Alerts that were raised already keep their severity.",
    params: Type.Object({ id: AlertRuleWord }),
    body: named("AlertRuleUpdate", closed(optionals(settings))),
    result: AlertRule,
    errors: ["change_pending"],
    audit: { verb: "update", noun: "alert_rule" },
    cli: { words: ["alerts", "rule"], args: ["id"] },
  }),
};
