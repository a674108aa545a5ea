import { because, explained } from "@portcullis/contract/reason";
import { component } from "@portcullis/contract/subsystems/status";
import { noUsage } from "../daemon/src/ledger/traffic-rollup.ts";
import type { Facts } from "../daemon/src/subsystems/metrics/readings.ts";

const why = explained(because("dns_answers"));

/** The state of a small gateway, with something of each kind. */
export const facts = (changed: Partial<Facts>): Facts => ({
  status: {
    name: "portcullisd",
    version: "0.1.0",
    build: "unknown",
    ready: true,
    started_at: "2026-10-01T12:00:00.500Z",
    uptime_sec: 60,
    node_id: "00000000-0000-4000-8000-000000000001",
    mode: "router",
    dataplane_enabled: true,
    revision: 8,
    applied_revision: 7,
    tls_pin: null,
    not_enforced: null,
    coded_not_enforced: null,
  },
  components: [component("ledger", "ok", because("dns_answers")), component("dns", "failed", because("dns_answers"))],
  isChangePending: true,
  process: { cpuSec: 1.5, memoryBytes: 90_000_000, openFiles: 40 },
  answered: new Map([
    ["2xx", 9],
    ["4xx", 2],
  ]),
  eventStreams: 3,
  events: new Map([["tunnel.down", 4]]),
  driftRepairs: 5,
  alerts: [
    { severity: "critical", state: "active" },
    { severity: "critical", state: "active" },
    { severity: "info", state: "resolved" },
  ],
  anomalies: [
    { kind: "exfiltration", open: 2, available: true },
    { kind: "beaconing", open: 0, available: true },
    { kind: "new_country", open: 0, available: false },
    { kind: "dns_tunnelling", open: 1, available: false },
  ],
  pauses: ["filtering", "filtering", "block-domain"],
  devices: [{ state: "known" }, { state: "known" }, { state: "quarantined" }],
  observed: [
    { known: true, online: true },
    { known: false, online: true },
    { known: false, online: true },
  ],
  postures: { protected: 2, blocked: 1, exposed: 0 },
  leaks: { checkedAt: "2026-10-01T12:30:00Z", leaking: 1 },
  policies: [
    { id: "p1", name: "All by Oslo", outcome: "egress" },
    { id: "p2", name: "Guests", outcome: "block" },
    { id: "p3", name: "Television", outcome: "direct" },
  ],
  tunnels: [{ id: "t1", name: "Oslo", status: "up", last_handshake: "2026-10-01T12:45:00Z", rtt_ms: 20.5, loss: 0.25 }],
  uplinks: {
    active: "fibre",
    uplinks: [
      {
        name: "fibre",
        interface: "wan0",
        role: "active",
        status: "degraded",
        ...why,
        rtt_ms: 8,
        loss: 0.5,
        flaps: 0,
        pinned_until: null,
      },
    ],
  },
  traffic: new Map([
    ["total ", { ...noUsage, sentBytes: 1000, receivedBytes: 2000 }],
    ["policy p1", { ...noUsage, sentBytes: 900, receivedBytes: 1900, connections: 12 }],
    ["tunnel t1", { ...noUsage, sentBytes: 950, receivedBytes: 1950 }],
    ["uplink wan0", { ...noUsage, sentBytes: 1100, receivedBytes: 2100 }],
  ]),
  queries: { queries: 30, blocked: 10, cached: 5 },
  dns: {
    egresses: [
      {
        egress: "Oslo",
        number: 16,
        status: "running",
        ...why,
        upstreams: [
          {
            name: "u1",
            address: "9.9.9.9:853",
            protocol: "dot",
            status: "up",
            rtt_ms: 12,
            queries: 20,
            drops: 1,
            ...explained(null),
          },
        ],
        cache: { entries: 6, hits: 5, misses: 25 },
      },
    ],
    log: { rows: 30, dropped: 2 },
  },
  ...changed,
});
