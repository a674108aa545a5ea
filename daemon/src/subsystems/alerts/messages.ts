import { because, clause, isReason, type Reason, sentence } from "@portcullis/contract/reason";
import type { Alert, AlertSeverity } from "@portcullis/contract/subsystems/alerts";
import { stateOf, type StoredAlert } from "./alerts.machine.ts";

/** A message about an alert, for every type of channel. */
export interface Message {
  /** The same in every copy. */
  readonly delivery: string;
  readonly event: "raised" | "resolved";
  readonly id: string;
  readonly rule: string;
  readonly severity: AlertSeverity;
  readonly state: Alert["state"];
  readonly title: string;
  readonly message: string;
  readonly resource_type: string | null;
  readonly resource_id: string | null;
  readonly resource_name: string;
  readonly raised_at: string;
  readonly node_id: string;
  readonly details: Readonly<Record<string, unknown>>;
}

interface About {
  readonly delivery: string;
  readonly event: "raised" | "resolved";
  readonly alert: StoredAlert;
}

export function messageOf({ delivery, event, alert }: About, nodeId: string): Message {
  const { rule, severity, resource, reason, raisedMs, count, resolved } = alert;
  const about = resource === null ? rule : `${rule} (${resource.name})`;
  return {
    delivery,
    event,
    id: alert.id,
    rule,
    severity,
    state: stateOf(alert),
    title: event === "raised" ? `${words[severity]}: ${about}` : `Resolved: ${about}`,
    message: described(reason, event) ?? rule,
    resource_type: resource?.type ?? null,
    resource_id: resource?.id ?? null,
    resource_name: resource?.name ?? "",
    raised_at: new Date(raisedMs).toISOString(),
    node_id: nodeId,
    details: {
      event,
      count,
      resolved_at: resolved && new Date(resolved.ms).toISOString(),
      resolved_by: resolved?.by ?? null,
      cause: reason,
    },
  };
}

/** A reason of another version has no text here. */
function described(reason: Reason, event: "raised" | "resolved"): string | undefined {
  if (!isReason(reason)) return undefined;
  return event === "raised" ? sentence(reason) : `It is over: ${clause(reason)}`;
}

/** A synthetic alert. */
export function testMessage(delivery: string, channel: string, nodeId: string, nowMs: number): Message {
  const reason: Reason = because("alert_test", { name: channel });
  return {
    delivery,
    event: "raised",
    id: delivery,
    rule: "test",
    severity: "info",
    state: "active",
    title: "Test: alert channel",
    message: sentence(reason),
    resource_type: "alert_channel",
    resource_id: null,
    resource_name: channel,
    raised_at: new Date(nowMs).toISOString(),
    node_id: nodeId,
    details: { event: "raised", count: 1, cause: reason },
  };
}

/** As text of several lines. */
export const plainText = ({ message, severity, rule, resource_name, raised_at, node_id }: Message): string =>
  [
    message,
    "",
    `Severity: ${severity}`,
    `Rule: ${rule}`,
    ...(resource_name === "" ? [] : [`About: ${resource_name}`]),
    `Raised: ${raised_at}`,
    `Gateway: ${node_id}`,
  ].join("\n");

const words: Readonly<Record<AlertSeverity, string>> = { critical: "Critical", warning: "Warning", info: "Info" };
