import { type Metric, metricCatalogue, sampleName } from "@portcullis/contract/metric-catalogue";
import { expect, test } from "vitest";
import { facts } from "../../../../testing/metric-facts.ts";
import { samplesIn } from "../../../../testing/metrics.ts";
import { exposition } from "./exposition.ts";
import { type Facts, readingsOf } from "./readings.ts";

const shown = (changed: Partial<Facts> = {}) =>
  new Map(
    samplesIn(exposition(readingsOf(facts(changed)), "prometheus")).map(({ name, labels, value }) => [
      [name, ...Object.values(labels)].join(" "),
      value,
    ]),
  );

test("metrics: a gateway with something of each kind has every metric, and no other", () => {
  const names = [...shown().keys()].map((key) => key.split(" ", 1)[0]!);
  expect(new Set(names)).toEqual(
    new Set((Object.entries(metricCatalogue) as [string, Metric][]).map(([name, it]) => sampleName(name, it))),
  );
});

test.each([
  ["process_start_time_seconds", 1_790_856_000.5],
  ["process_cpu_seconds_total", 1.5],
  ["process_resident_memory_bytes", 90_000_000],
  ["process_open_fds", 40],
  ["portcullis_ready", 1],
  ["portcullis_enforcing", 1],
  ["portcullis_published_revision", 8],
  ["portcullis_applied_revision", 7],
  ["portcullis_change_pending", 1],
  ["portcullis_component_status ledger ok", 1],
  ["portcullis_component_status ledger failed", 0],
  ["portcullis_component_status dns failed", 1],
  ["portcullis_http_requests_total 2xx", 9],
  ["portcullis_http_requests_total 5xx", 0],
  ["portcullis_event_streams", 3],
  ["portcullis_events_total tunnel.down", 4],
  ["portcullis_drift_repairs_total", 5],
  ["portcullis_alerts critical active", 2],
  ["portcullis_alerts info resolved", 1],
  ["portcullis_alerts warning active", 0],
  ["portcullis_open_anomalies exfiltration", 2],
  ["portcullis_open_anomalies beaconing", 0],
  ["portcullis_open_anomalies new_country", undefined],
  ["portcullis_open_anomalies dns_tunnelling", 1],
  ["portcullis_active_pauses filtering", 2],
  ["portcullis_active_pauses protection", 0],
  ["portcullis_active_pauses block-domain", 1],
  ["portcullis_devices known", 2],
  ["portcullis_devices new", 0],
  ["portcullis_observed_devices false true", 2],
  ["portcullis_observed_devices true false", 0],
  ["portcullis_device_postures protected", 2],
  ["portcullis_leaking_devices", 1],
  ["portcullis_leak_check_timestamp_seconds", 1_790_857_800],
  ["portcullis_forwarded_sent_bytes_total", 1000],
  ["portcullis_forwarded_received_bytes_total", 2000],
  ["portcullis_policies egress", 1],
  ["portcullis_policies next", 0],
  ["portcullis_policy_blocked Guests p2", 1],
  ["portcullis_policy_blocked Television p3", 0],
  ["portcullis_policy_direct Television p3", 1],
  ["portcullis_tunnel_status Oslo t1 up", 1],
  ["portcullis_tunnel_status Oslo t1 failed", 0],
  ["portcullis_tunnel_last_handshake_timestamp_seconds Oslo t1", 1_790_858_700],
  ["portcullis_tunnel_rtt_seconds Oslo t1", 0.0205],
  ["portcullis_tunnel_loss_ratio Oslo t1", 0.25],
  ["portcullis_tunnel_sent_bytes_total Oslo t1", 950],
  ["portcullis_tunnel_received_bytes_total Oslo t1", 1950],
  ["portcullis_uplink_status fibre wan0 degraded", 1],
  ["portcullis_uplink_active fibre wan0", 1],
  ["portcullis_uplink_rtt_seconds fibre wan0", 0.008],
  ["portcullis_uplink_loss_ratio fibre wan0", 0.5],
  ["portcullis_uplink_sent_bytes_total fibre wan0", 1100],
  ["portcullis_uplink_received_bytes_total fibre wan0", 2100],
  ["portcullis_dns_queries_total", 30],
  ["portcullis_dns_blocked_queries_total", 10],
  ["portcullis_dns_cached_answers_total", 5],
  ["portcullis_dns_log_rows", 30],
  ["portcullis_dns_log_lost_total", 2],
  ["portcullis_dns_resolver_status Oslo 16 running", 1],
  ["portcullis_dns_cache_entries Oslo 16", 6],
  ["portcullis_dns_cache_hits_total Oslo 16", 5],
  ["portcullis_dns_cache_misses_total Oslo 16", 25],
  ["portcullis_dns_upstream_up Oslo 16 u1 9.9.9.9:853", 1],
] as const)("metrics: %s is %s", (key, value) => expect(shown().get(key)).toBe(value));

test("metrics: policies have what devices transferred by their decision", () => {
  const of = (name: string) => shown().get(`portcullis_policy_${name} All by Oslo p1`);
  expect(["sent_bytes_total", "received_bytes_total", "connections_total"].map(of)).toEqual([900, 1900, 12]);
  expect(shown().get("portcullis_policy_connections_total Guests p2")).toBe(0);
});

test("metrics: a gateway that does not enforce does not report that it does", () => {
  const { status } = facts({});
  const enforcing = (changed: Partial<Facts["status"]>) =>
    shown({ status: { ...status, ...changed } }).get("portcullis_enforcing");
  expect([enforcing({}), enforcing({ dataplane_enabled: false }), enforcing({ not_enforced: "Not yet" })]).toEqual([
    1, 0, 0,
  ]);
});
