import type { Alert } from "@portcullis/contract/subsystems/alerts";
import { type AnomalyKind, anomalyKinds } from "@portcullis/contract/subsystems/anomalies";
import type { Device } from "@portcullis/contract/subsystems/devices";
import type { DnsStatus } from "@portcullis/contract/subsystems/dns";
import { type PauseType, pauseTypes } from "@portcullis/contract/subsystems/pauses";
import type { Component, Status } from "@portcullis/contract/subsystems/status";
import { type Tunnel, tunnelStatuses } from "@portcullis/contract/subsystems/tunnels";
import type { UplinkDecisions } from "@portcullis/contract/subsystems/uplinks";
import {
  alertSeverities,
  alertStates,
  componentStatuses,
  deviceStates,
  policyOutcomes,
  postures,
  type Readings,
  resolverStatuses,
  statusClasses,
  uplinkStatuses,
} from "@portcullis/contract/metric-catalogue";
import { noUsage, type Usage } from "../../ledger/traffic-rollup.ts";
import type { Subject } from "../../ledger/traffic-store.ts";

/** The state of the gateway, in the types of the API. */
export interface Facts {
  readonly status: Omit<Status, "health">;
  readonly components: readonly Component[];
  readonly isChangePending: boolean;
  readonly process: { readonly cpuSec: number; readonly memoryBytes: number; readonly openFiles: number };
  /** Class of the HTTP status → answered requests. */
  readonly answered: ReadonlyMap<string, number>;
  readonly eventStreams: number;
  readonly events: ReadonlyMap<string, number>;
  readonly driftRepairs: number;
  readonly alerts: readonly Pick<Alert, "severity" | "state">[];
  readonly anomalies: readonly { readonly kind: AnomalyKind; readonly open: number; readonly available: boolean }[];
  /** Of each active pause. */
  readonly pauses: readonly PauseType[];
  readonly devices: readonly Pick<Device, "state">[];
  readonly observed: readonly { readonly known: boolean; readonly online: boolean }[];
  /** undefined: not known yet. */
  readonly postures: Readonly<Record<(typeof postures)[number], number>> | undefined;
  readonly leaks: { readonly checkedAt: string; readonly leaking: number } | null;
  /** undefined: not known. */
  readonly policies:
    | readonly { readonly id: string; readonly name: string; readonly outcome: (typeof policyOutcomes)[number] }[]
    | undefined;
  readonly tunnels: readonly Pick<Tunnel, "id" | "name" | "status" | "last_handshake" | "rtt_ms" | "loss">[];
  readonly uplinks: Pick<UplinkDecisions, "active" | "uplinks">;
  /** What was counted since the daemon started; undefined: the dataplane is off. */
  readonly traffic: ReadonlyMap<string, Usage> | undefined;
  readonly queries: { readonly queries: number; readonly blocked: number; readonly cached: number };
  readonly dns: Pick<DnsStatus, "egresses" | "log">;
}

/** Facts → the readings of every metric. */
export function readingsOf(facts: Facts): Omit<Readings, "portcullis_metrics_omitted_series"> {
  const { status, process: own, tunnels, policies = [], uplinks, dns, queries } = facts;
  const policyLabels = ({ id, name }: Named) => ({ policy: name, id });
  const tunnelLabels = ({ id, name }: Named) => ({ tunnel: name, id });
  const usage = (subject: Subject): Usage | undefined =>
    facts.traffic && (facts.traffic.get(`${subject.kind} ${subject.id}`) ?? noUsage);
  const ofPolicy = ({ id }: Named) => usage({ kind: "policy", id });
  const ofTunnel = ({ id }: Named) => usage({ kind: "tunnel", id });
  const ofUplink = (it: Uplink) => usage({ kind: "uplink", id: it.interface });
  const total = usage({ kind: "total", id: "" });
  const devices = tally(facts.devices, ({ state }) => state);
  const observed = tally(facts.observed, ({ known, online }) => `${known} ${online}`);
  const alerts = tally(facts.alerts, ({ severity, state }) => `${severity} ${state}`);
  const outcomes = tally(policies, ({ outcome }) => outcome);
  const anomalies = new Map(facts.anomalies.map((it) => [it.kind, it]));
  const pauses = tally(facts.pauses, (it) => it);
  return {
    portcullis_build: [{ labels: { version: status.version, build: status.build }, value: 1 }],
    process_start_time_seconds: secondsOf(status.started_at),
    process_cpu_seconds: own.cpuSec,
    process_resident_memory_bytes: own.memoryBytes,
    process_open_fds: own.openFiles,
    portcullis_ready: flag(status.ready),
    portcullis_enforcing: flag(status.dataplane_enabled && status.not_enforced === null),
    portcullis_published_revision: status.revision,
    portcullis_applied_revision: status.applied_revision,
    portcullis_change_pending: flag(facts.isChangePending),
    portcullis_component_status: facts.components.flatMap(({ name, status: current }) =>
      oneOf(componentStatuses, current, { component: name }),
    ),
    portcullis_http_requests: statusClasses.map((it) => ({
      labels: { class: it },
      value: facts.answered.get(it) ?? 0,
    })),
    portcullis_event_streams: facts.eventStreams,
    portcullis_events: [...facts.events].map(([event, value]) => ({ labels: { event }, value })),
    portcullis_drift_repairs: facts.driftRepairs,
    portcullis_alerts: alertSeverities.flatMap((severity) =>
      alertStates.map((state) => ({
        labels: { severity, state },
        value: alerts(`${severity} ${state}`),
      })),
    ),
    portcullis_open_anomalies: each(
      anomalyKinds,
      (kind) => ({ kind }),
      (kind) => openOf(anomalies.get(kind)),
    ),
    portcullis_active_pauses: pauseTypes.map((type) => ({ labels: { type }, value: pauses(type) })),
    portcullis_devices: deviceStates.map((state) => ({
      labels: { state },
      value: devices(state),
    })),
    portcullis_observed_devices: [true, false].flatMap((known) =>
      [true, false].map((online) => ({
        labels: { known: String(known), online: String(online) },
        value: observed(`${known} ${online}`),
      })),
    ),
    portcullis_device_postures: postures.map((posture) => ({
      labels: { posture },
      value: facts.postures?.[posture] ?? null,
    })),
    portcullis_leaking_devices: facts.leaks?.leaking ?? null,
    portcullis_leak_check_timestamp_seconds: secondsOf(facts.leaks?.checkedAt),
    portcullis_forwarded_sent_bytes: total?.sentBytes ?? null,
    portcullis_forwarded_received_bytes: total?.receivedBytes ?? null,
    portcullis_policies: policyOutcomes.map((outcome) => ({
      labels: { outcome },
      value: facts.policies ? outcomes(outcome) : null,
    })),
    portcullis_policy_blocked: each(policies, policyLabels, (it) => flag(it.outcome === "block")),
    portcullis_policy_direct: each(policies, policyLabels, (it) => flag(it.outcome === "direct")),
    portcullis_policy_sent_bytes: each(policies, policyLabels, (it) => ofPolicy(it)?.sentBytes),
    portcullis_policy_received_bytes: each(policies, policyLabels, (it) => ofPolicy(it)?.receivedBytes),
    portcullis_policy_connections: each(policies, policyLabels, (it) => ofPolicy(it)?.connections),
    portcullis_tunnel_status: tunnels.flatMap((it) => oneOf(tunnelStatuses, it.status, tunnelLabels(it))),
    portcullis_tunnel_last_handshake_timestamp_seconds: each(tunnels, tunnelLabels, (it) =>
      secondsOf(it.last_handshake),
    ),
    portcullis_tunnel_rtt_seconds: each(tunnels, tunnelLabels, (it) => milliseconds(it.rtt_ms)),
    portcullis_tunnel_loss_ratio: each(tunnels, tunnelLabels, (it) => it.loss),
    portcullis_tunnel_sent_bytes: each(tunnels, tunnelLabels, (it) => ofTunnel(it)?.sentBytes),
    portcullis_tunnel_received_bytes: each(tunnels, tunnelLabels, (it) => ofTunnel(it)?.receivedBytes),
    portcullis_uplink_status: uplinks.uplinks.flatMap((it) => oneOf(uplinkStatuses, it.status, uplinkLabels(it))),
    portcullis_uplink_active: each(uplinks.uplinks, uplinkLabels, (it) => flag(it.name === uplinks.active)),
    portcullis_uplink_rtt_seconds: each(uplinks.uplinks, uplinkLabels, (it) => milliseconds(it.rtt_ms)),
    portcullis_uplink_loss_ratio: each(uplinks.uplinks, uplinkLabels, (it) => it.loss),
    portcullis_uplink_sent_bytes: each(uplinks.uplinks, uplinkLabels, (it) => ofUplink(it)?.sentBytes),
    portcullis_uplink_received_bytes: each(uplinks.uplinks, uplinkLabels, (it) => ofUplink(it)?.receivedBytes),
    portcullis_dns_queries: queries.queries,
    portcullis_dns_blocked_queries: queries.blocked,
    portcullis_dns_cached_answers: queries.cached,
    portcullis_dns_log_rows: dns.log.rows,
    portcullis_dns_log_lost: dns.log.dropped,
    portcullis_dns_resolver_status: dns.egresses.flatMap((it) =>
      oneOf(resolverStatuses, it.status, resolverLabels(it)),
    ),
    portcullis_dns_cache_entries: each(dns.egresses, resolverLabels, (it) => it.cache.entries),
    portcullis_dns_cache_hits: each(dns.egresses, resolverLabels, (it) => it.cache.hits),
    portcullis_dns_cache_misses: each(dns.egresses, resolverLabels, (it) => it.cache.misses),
    portcullis_dns_upstream_up: dns.egresses.flatMap((resolver) =>
      each(
        resolver.upstreams,
        ({ name, address }) => ({ ...resolverLabels(resolver), upstream: name, address }),
        (it) => flag(it.status === "up"),
      ),
    ),
  };
}

interface Named {
  readonly id: string;
  readonly name: string;
}
type Uplink = UplinkDecisions["uplinks"][number];

const uplinkLabels = ({ name, interface: link }: Uplink) => ({ uplink: name, interface: link });
const resolverLabels = ({ egress, number }: DnsStatus["egresses"][number]) => ({ egress, number: String(number) });

const each = <T, L>(
  all: readonly T[],
  labels: (it: T) => L,
  value: (it: T) => number | null | undefined,
): { readonly labels: L; readonly value: number | null }[] =>
  all.map((it) => ({ labels: labels(it), value: value(it) ?? null }));

/** None, if there is no detector that could have opened one. */
const openOf = (it: Facts["anomalies"][number] | undefined): number | null =>
  it && (it.available || it.open > 0) ? it.open : null;

/** 1 for the current status and 0 for the others, so that no series ends when it changes. */
const oneOf = <L>(statuses: readonly string[], current: string, labels: L) =>
  statuses.map((status) => ({ labels: { ...labels, status }, value: flag(status === current) }));

/** How many have each key, in one pass. */
function tally<T>(all: readonly T[], keyOf: (it: T) => string): (key: string) => number {
  const counts = new Map<string, number>();
  for (const it of all) counts.set(keyOf(it), (counts.get(keyOf(it)) ?? 0) + 1);
  return (key) => counts.get(key) ?? 0;
}
const flag = (is: boolean): number => (is ? 1 : 0);
const secondsOf = (timestamp: string | null | undefined): number | null =>
  timestamp ? Date.parse(timestamp) / 1000 : null;
const milliseconds = (value: number | null): number | null => (value === null ? null : value / 1000);
