import { anomalyKinds } from "./subsystems/anomalies.ts";
import { pauseTypes } from "./subsystems/pauses.ts";
import { tunnelStatuses } from "./subsystems/tunnels.ts";

/** A metric of `GET /metrics`. Its name in the catalogue has no suffix of its type: counters are shown with `_total`, information with `_info`. */
export interface Metric {
  readonly type: "counter" | "gauge" | "info";
  readonly help: string;
  /** A base unit of Prometheus; the name ends with it. */
  readonly unit?: "bytes" | "seconds" | "ratio";
  /** Label → what its value is. */
  readonly labels: Readonly<Record<string, string>>;
  /** The most series it has. Further ones are omitted, and counted by portcullis_metrics_omitted_series. */
  readonly series: number;
}

/** How many tunnels, policies, resolvers and uplinks have series of their own, in the order of the API. */
export const seriesLimits = { tunnels: 256, policies: 256, resolvers: 256, uplinks: 32 } as const;

/** What a policy does now, as in `GET /tunnels/egress`. */
export const policyOutcomes = ["egress", "split", "direct", "block", "next"] as const;
export const componentStatuses = ["ok", "degraded", "failed", "off"] as const;
export const resolverStatuses = ["running", "degraded", "failed", "off"] as const;
export const uplinkStatuses = ["unknown", "down", "connecting", "up", "degraded", "failed"] as const;
export const deviceStates = ["known", "new", "quarantined"] as const;
export const postures = ["protected", "blocked", "exposed"] as const;
export const alertSeverities = ["critical", "warning", "info"] as const;
export const alertStates = ["active", "acknowledged", "resolved"] as const;
export const statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

const { tunnels, policies, resolvers, uplinks } = seriesLimits;
const tunnel = { tunnel: "Name of the tunnel", id: "Its id" } as const;
const policy = { policy: "Name of the policy", id: "Its id" } as const;
const uplink = { uplink: "Name of the uplink", interface: "Its interface" } as const;
const resolver = { egress: "Name of the egress whose devices it serves", number: "Number of the egress" } as const;
const status = { status: "1 for the current status, 0 for the others" } as const;
const single = { labels: {}, series: 1 } as const;
const sinceStart = "since the daemon started";

/** Every metric of the gateway. None has a label for a device. */
export const metricCatalogue = {
  portcullis_build: {
    type: "info",
    help: "Version of the daemon",
    labels: { version: "Version", build: "Commit and date of the sources if known, runtime and platform" },
    series: 1,
  },
  process_start_time_seconds: {
    type: "gauge",
    unit: "seconds",
    help: "When the daemon started, in seconds since 1970",
    ...single,
  },
  process_cpu_seconds: { type: "counter", unit: "seconds", help: "Processor time of the daemon", ...single },
  process_resident_memory_bytes: { type: "gauge", unit: "bytes", help: "Memory of the daemon", ...single },
  process_open_fds: { type: "gauge", help: "Open file descriptors of the daemon", ...single },
  portcullis_ready: { type: "gauge", help: "1: the engines have applied the published revision", ...single },
  portcullis_enforcing: {
    type: "gauge",
    help: "1: policies are enforced; 0: the dataplane is off, or nothing is enforced yet",
    ...single,
  },
  portcullis_published_revision: { type: "gauge", help: "The published revision", ...single },
  portcullis_applied_revision: { type: "gauge", help: "The revision in force", ...single },
  portcullis_change_pending: { type: "gauge", help: "1: a change is reverted unless it is confirmed", ...single },
  portcullis_component_status: {
    type: "gauge",
    help: "Status of each component of the gateway",
    labels: { component: "Name of the component", ...status },
    series: 64 * componentStatuses.length,
  },
  portcullis_http_requests: {
    type: "counter",
    help: `Answered requests to the API and the web interface ${sinceStart}`,
    labels: { class: "Class of the HTTP status, such as 2xx" },
    series: statusClasses.length,
  },
  portcullis_event_streams: { type: "gauge", help: "Open event streams", ...single },
  portcullis_events: {
    type: "counter",
    help: `Events ${sinceStart}`,
    labels: { event: "Name of the event" },
    series: 64,
  },
  portcullis_drift_repairs: {
    type: "counter",
    help: `Differences that another program made in the kernel, and that were repaired ${sinceStart}`,
    ...single,
  },
  portcullis_alerts: {
    type: "gauge",
    help: "Alerts; resolved ones are kept for 90 days",
    labels: { severity: "critical, warning or info", state: "active, acknowledged or resolved" },
    series: alertSeverities.length * alertStates.length,
  },
  portcullis_open_anomalies: {
    type: "gauge",
    help: "Anomalies that are open; absent: the detector measures nothing",
    labels: { kind: anomalyKinds.join(", ") },
    series: anomalyKinds.length,
  },
  portcullis_active_pauses: {
    type: "gauge",
    help: "Pauses that are active, of protection, of filtering, or of a domain",
    labels: { type: pauseTypes.join(", ") },
    series: pauseTypes.length,
  },
  portcullis_devices: {
    type: "gauge",
    help: "Devices of the inventory",
    labels: { state: "known, new or quarantined" },
    series: deviceStates.length,
  },
  portcullis_observed_devices: {
    type: "gauge",
    help: "Devices that were observed on the LANs",
    labels: { known: "true: a device of the inventory", online: "true: it answers" },
    series: 4,
  },
  portcullis_device_postures: {
    type: "gauge",
    help: "Devices of the inventory by what their packets do now",
    labels: {
      posture: "protected: leaves through hops; blocked: does not leave; exposed: leaves by the uplink in the clear",
    },
    series: postures.length,
  },
  portcullis_leaking_devices: { type: "gauge", help: "Devices that leak according to the last leak check", ...single },
  portcullis_leak_check_timestamp_seconds: {
    type: "gauge",
    unit: "seconds",
    help: "End of the last leak check, in seconds since 1970",
    ...single,
  },
  portcullis_forwarded_sent_bytes: {
    type: "counter",
    unit: "bytes",
    help: `Bytes that devices sent through the gateway ${sinceStart}`,
    ...single,
  },
  portcullis_forwarded_received_bytes: {
    type: "counter",
    unit: "bytes",
    help: `Bytes that devices received through the gateway ${sinceStart}`,
    ...single,
  },
  portcullis_policies: {
    type: "gauge",
    help: "Policies in force by what they do now",
    labels: {
      outcome:
        "egress: through hops; split: over several; direct: by the uplink; block: not forwarded; next: the next policy decides",
    },
    series: policyOutcomes.length,
  },
  portcullis_policy_blocked: {
    type: "gauge",
    help: "1: the policy blocks what it matches now",
    labels: policy,
    series: policies,
  },
  portcullis_policy_direct: {
    type: "gauge",
    help: "1: what the policy matches leaves by the uplink in the clear now",
    labels: policy,
    series: policies,
  },
  portcullis_policy_sent_bytes: {
    type: "counter",
    unit: "bytes",
    help: `Bytes that devices sent by decision of the policy ${sinceStart}`,
    labels: policy,
    series: policies,
  },
  portcullis_policy_received_bytes: {
    type: "counter",
    unit: "bytes",
    help: `Bytes that devices received by decision of the policy ${sinceStart}`,
    labels: policy,
    series: policies,
  },
  portcullis_policy_connections: {
    type: "counter",
    help: `Connections with traffic that began by decision of the policy ${sinceStart}`,
    labels: policy,
    series: policies,
  },
  portcullis_tunnel_status: {
    type: "gauge",
    help: "Status of each tunnel; only up and degraded forward packets",
    labels: { ...tunnel, ...status },
    series: tunnels * tunnelStatuses.length,
  },
  portcullis_tunnel_last_handshake_timestamp_seconds: {
    type: "gauge",
    unit: "seconds",
    help: "Last handshake of the tunnel, in seconds since 1970; absent: none",
    labels: tunnel,
    series: tunnels,
  },
  portcullis_tunnel_rtt_seconds: {
    type: "gauge",
    unit: "seconds",
    help: "Round trip of the probe through the tunnel; absent: none was answered",
    labels: tunnel,
    series: tunnels,
  },
  portcullis_tunnel_loss_ratio: {
    type: "gauge",
    unit: "ratio",
    help: "Share of lost probes, from 0 to 1; absent: not probed",
    labels: tunnel,
    series: tunnels,
  },
  portcullis_tunnel_sent_bytes: {
    type: "counter",
    unit: "bytes",
    help: `Bytes that left by the tunnel's interface ${sinceStart}`,
    labels: tunnel,
    series: tunnels,
  },
  portcullis_tunnel_received_bytes: {
    type: "counter",
    unit: "bytes",
    help: `Bytes that arrived by the tunnel's interface ${sinceStart}`,
    labels: tunnel,
    series: tunnels,
  },
  portcullis_uplink_status: {
    type: "gauge",
    help: "Status of each uplink; only up and degraded forward packets",
    labels: { ...uplink, ...status },
    series: uplinks * uplinkStatuses.length,
  },
  portcullis_uplink_active: { type: "gauge", help: "1: the uplink is in use", labels: uplink, series: uplinks },
  portcullis_uplink_rtt_seconds: {
    type: "gauge",
    unit: "seconds",
    help: "Round trip of the probe by the uplink; absent: none was answered",
    labels: uplink,
    series: uplinks,
  },
  portcullis_uplink_loss_ratio: {
    type: "gauge",
    unit: "ratio",
    help: "Share of lost probes, from 0 to 1; absent: not probed",
    labels: uplink,
    series: uplinks,
  },
  portcullis_uplink_sent_bytes: {
    type: "counter",
    unit: "bytes",
    help: `Bytes that left by the uplink's interface ${sinceStart}, with the gateway's own`,
    labels: uplink,
    series: uplinks,
  },
  portcullis_uplink_received_bytes: {
    type: "counter",
    unit: "bytes",
    help: `Bytes that arrived by the uplink's interface ${sinceStart}, with the gateway's own`,
    labels: uplink,
    series: uplinks,
  },
  portcullis_dns_queries: {
    type: "counter",
    help: `DNS queries ${sinceStart}, of devices whose class allows to count them`,
    ...single,
  },
  portcullis_dns_blocked_queries: { type: "counter", help: `DNS queries of these that were blocked`, ...single },
  portcullis_dns_cached_answers: {
    type: "counter",
    help: `DNS queries of these that were answered from the cache`,
    ...single,
  },
  portcullis_dns_log_rows: { type: "gauge", help: "Entries in the DNS log", ...single },
  portcullis_dns_log_lost: { type: "counter", help: `DNS answers that could not be logged ${sinceStart}`, ...single },
  portcullis_dns_resolver_status: {
    type: "gauge",
    help: "Status of each resolver",
    labels: { ...resolver, ...status },
    series: resolvers * resolverStatuses.length,
  },
  portcullis_dns_cache_entries: {
    type: "gauge",
    help: "Answers in the cache of each resolver",
    labels: resolver,
    series: resolvers,
  },
  portcullis_dns_cache_hits: {
    type: "counter",
    help: "Queries that the cache of the resolver answered since the resolver started",
    labels: resolver,
    series: resolvers,
  },
  portcullis_dns_cache_misses: {
    type: "counter",
    help: "Queries that the resolver sent to an upstream since it started",
    labels: resolver,
    series: resolvers,
  },
  portcullis_dns_upstream_up: {
    type: "gauge",
    help: "1: the upstream answers",
    labels: { ...resolver, upstream: "Name of the upstream", address: "Its address" },
    series: resolvers * 4,
  },
  portcullis_metrics_omitted_series: {
    type: "gauge",
    help: "Series that are omitted because a metric has its maximum; more than 0: the answer is not complete",
    ...single,
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metricCatalogue;
type LabelOf<N extends MetricName> = keyof (typeof metricCatalogue)[N]["labels"] & string;

/** What is known about a metric now: a number, or one for each set of labels; null: nothing. */
export type Reading<N extends MetricName> = [LabelOf<N>] extends [never]
  ? number | null
  : readonly { readonly labels: Readonly<Record<LabelOf<N>, string>>; readonly value: number | null }[];
/** A reading for every metric: a forgotten one is a type error. */
export type Readings = { readonly [N in MetricName]: Reading<N> };

/** The name of the samples of a metric. */
export const sampleName = (name: string, { type }: Pick<Metric, "type">): string =>
  type === "counter" ? `${name}_total` : type === "info" ? `${name}_info` : name;
