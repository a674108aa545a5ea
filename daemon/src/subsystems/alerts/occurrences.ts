import type { EventName, EventPayload } from "@portcullis/contract/events";
import { because, type Reason } from "@portcullis/contract/reason";
import type { AlertRuleName } from "@portcullis/contract/subsystems/alerts";

/** What a rule is about. Two occurrences with the same key have one cause. */
interface Cause {
  readonly rule: AlertRuleName;
  readonly key: string;
}

export interface Occurrence extends Cause {
  readonly kind: "occurred";
  readonly resource: { readonly type: string; readonly id: string | null; readonly name: string } | null;
  readonly reason: Reason;
  readonly count: number;
}

/** The cause is over. */
export interface Ending extends Cause {
  readonly kind: "over";
}

type Observed = Occurrence | Ending;
type Mapping = { readonly [N in EventName]?: (payload: EventPayload<N>) => readonly Observed[] };

/** What an event means for the alert rules. */
export const observedIn = <N extends EventName>(name: N, payload: EventPayload<N>): readonly Observed[] =>
  (mapping[name] as ((payload: EventPayload<N>) => readonly Observed[]) | undefined)?.(payload) ?? [];

const occurred = (
  rule: AlertRuleName,
  resource: Occurrence["resource"],
  reason: Reason,
  more: { readonly key?: string; readonly count?: number } = {},
): Occurrence => ({
  kind: "occurred",
  rule,
  key: more.key ?? resource?.id ?? resource?.name ?? "",
  resource,
  reason,
  count: more.count ?? 1,
});
const over = (rule: AlertRuleName, key: string): Ending => ({ kind: "over", rule, key });

const device = (it: { readonly device_id: string | null; readonly name: string }) => ({
  type: "device",
  id: it.device_id,
  name: it.name,
});
const policy = (it: { readonly policy_id: string; readonly name: string }) => ({
  type: "routing_policy",
  id: it.policy_id,
  name: it.name,
});
const tunnel = (it: { readonly id: string; readonly name: string }) => ({ type: "tunnel", id: it.id, name: it.name });
const leakKey = (it: { readonly device_id: string | null; readonly name: string }) => it.device_id ?? it.name;
const resource = (it: { readonly id: string }) => ({ type: "resource", id: it.id, name: it.id });
const certificate = (it: { readonly id: string; readonly name: string }) => ({
  type: "certificate",
  id: it.id,
  name: it.name,
});
/** States of a tunnel in which it is not broken: it works, or is switched off. */
const intact = new Set(["up", "degraded", "down"]);

const mapping: Mapping = {
  "leak.detected": (it) => [
    occurred("leak-detected", device(it), because("alert_leak", { name: it.name, finding: it.coded_message })),
  ],
  "leak.cleared": (it) => [over("leak-detected", leakKey(it))],
  "policy.blocked": (it) => [
    over("direct-fallback", it.policy_id),
    occurred("killswitch-engaged", policy(it), because("alert_policy_blocked", { name: it.name })),
  ],
  "policy.direct_fallback": (it) => [
    over("killswitch-engaged", it.policy_id),
    occurred("direct-fallback", policy(it), because("alert_policy_direct", { name: it.name })),
  ],
  "policy.restored": (it) => [over("killswitch-engaged", it.policy_id), over("direct-fallback", it.policy_id)],
  "tunnel.down": (it) => [occurred("tunnel-down", tunnel(it), because("alert_tunnel_down", { name: it.name }))],
  "tunnel.state": (it) => (intact.has(it.to) ? [over("tunnel-down", it.id)] : []),
  "tunnel.flap": (it) => [
    occurred("tunnel-flap", tunnel(it), because("alert_tunnel_flap", { name: it.name, changes: it.changes })),
  ],
  "dns.plane_down": (it) => [occurred("dns-plane-down", null, because("alert_dns_down", { why: it.coded_reason }))],
  "dns.plane_up": () => [over("dns-plane-down", "")],
  "dns.bypass": (it) => [
    occurred("dns-bypass", device(it), because("alert_dns_bypass", { name: it.name, packets: it.packets })),
  ],
  "device.port_scan": (it) => {
    const { name, targets, examples } = it;
    const reason =
      examples.length > 0
        ? because("alert_port_scan_examples", { name, targets, examples })
        : because("alert_port_scan", { name, targets });
    return [occurred("port-scan", device(it), reason)];
  },
  "port_scan.incomplete": ({ packets }) => [
    occurred("port-scan", null, because("alert_port_scan_incomplete", { packets })),
  ],
  "drift.detected": (it) => [
    occurred("drift-detected", null, because("alert_drift", { first: it.first, items: it.items })),
  ],
  "device.discovered": ({ devices, omitted }) => {
    const [first] = devices;
    if (!first) return [];
    const count = devices.length + omitted;
    // Many at once are one alert: each of them is in the list of devices.
    if (count > 1)
      return [occurred("new-device", null, because("alert_new_devices", { count }), { key: "several", count })];
    const resource = { type: "device", id: first.mac, name: first.name ?? first.vendor ?? first.mac };
    return [
      occurred(
        "new-device",
        resource,
        because("alert_new_device", { name: resource.name, interface: first.interface }),
      ),
    ];
  },
  "resource.exhausted": (it) => [occurred("resource-exhaustion", resource(it), it.coded_reason)],
  "resource.recovered": (it) => [over("resource-exhaustion", it.id)],
  "certificate.expiring": (it) => [
    over("cert-expired", it.id),
    occurred("cert-expiry-critical", certificate(it), it.coded_reason),
  ],
  "certificate.expired": (it) => [
    over("cert-expiry-critical", it.id),
    occurred("cert-expired", certificate(it), it.coded_reason),
  ],
  "certificate.not_yet_valid": (it) => [
    over("cert-expiry-critical", it.id),
    occurred("cert-expired", certificate(it), it.coded_reason),
  ],
  "certificate.renewed": (it) => [over("cert-expiry-critical", it.id), over("cert-expired", it.id)],
};
