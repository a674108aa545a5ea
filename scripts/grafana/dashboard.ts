import { type Metric, type MetricName, metricCatalogue, sampleName } from "@portcullis/contract/metric-catalogue";

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
  readonly refId: string;
  readonly datasource: typeof datasource;
}
export interface Panel {
  readonly id: number;
  readonly type: "stat" | "timeseries" | "row";
  readonly title: string;
  readonly description?: string;
  readonly datasource?: typeof datasource;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly fieldConfig?: {
    readonly defaults: { readonly unit: string } & Record<string, unknown>;
    readonly overrides: [];
  };
  readonly options?: Record<string, unknown>;
  readonly targets?: readonly Target[];
}

const datasource = { type: "prometheus", uid: "${datasource}" } as const;

/** The dashboard for Grafana, as the package contains it. */
export const dashboard = () => ({
  uid: "portcullis",
  title: "Portcullis",
  description: "State of a Portcullis gateway, from GET /api/v1/metrics",
  tags: ["portcullis"],
  schemaVersion: 41,
  version: 1,
  editable: true,
  graphTooltip: 1,
  refresh: "30s",
  time: { from: "now-6h", to: "now" },
  timezone: "browser",
  annotations: { list: [] },
  links: [],
  templating: {
    list: [
      { name: "datasource", label: "Data source", type: "datasource", query: "prometheus", current: {}, hide: 0 },
      {
        name: "instance",
        label: "Gateway",
        type: "query",
        datasource,
        query: { query: `label_values(${named("portcullis_build")}, instance)`, refId: "instances" },
        refresh: 2,
        includeAll: true,
        multi: true,
        current: { text: "All", value: "$__all" },
      },
    ],
  },
  panels: panels(),
});

type Line = readonly [expression: string, legend: string];
type Described = Pick<Panel, "title"> & {
  readonly unit: string;
  readonly lines: readonly Line[];
  readonly about?: string;
  /** 0 and 1 as words, and their colours. */
  readonly words?: readonly [no: string, yes: string];
};

/** The sample of a metric, of the chosen gateways. */
const of = (name: MetricName, selector = ""): string =>
  `${named(name)}{instance=~"$instance"${selector === "" ? "" : `,${selector}`}}`;
const named = (name: MetricName): string => sampleName(name, metricCatalogue[name] as Metric);
const rate = (name: MetricName): string => `rate(${of(name)}[$__rate_interval])`;
const bits = (name: MetricName): string => `${rate(name)} * 8`;

const sections: readonly {
  readonly title: string;
  readonly stats?: readonly Described[];
  readonly graphs: readonly Described[];
}[] = [
  {
    title: "Gateway",
    stats: [
      {
        title: "Policies",
        unit: "none",
        lines: [[of("portcullis_enforcing"), "{{instance}}"]],
        words: ["Not enforced", "Enforced"],
      },
      {
        title: "Published revision",
        unit: "none",
        lines: [[of("portcullis_ready"), "{{instance}}"]],
        words: ["Not in force", "In force"],
      },
      {
        title: "Leaking devices",
        unit: "none",
        lines: [[of("portcullis_leaking_devices"), "{{instance}}"]],
        about: "According to the last leak check",
      },
      {
        title: "Time since the last leak check",
        unit: "s",
        lines: [[`time() - ${of("portcullis_leak_check_timestamp_seconds")}`, "{{instance}}"]],
      },
      {
        title: "Active critical alerts",
        unit: "none",
        lines: [[of("portcullis_alerts", 'severity="critical",state="active"'), "{{instance}}"]],
      },
      { title: "Running for", unit: "s", lines: [[`time() - ${of("process_start_time_seconds")}`, "{{instance}}"]] },
    ],
    graphs: [
      {
        title: "Components that do not work",
        unit: "none",
        lines: [
          [`${of("portcullis_component_status", 'status=~"degraded|failed"')} == 1`, "{{component}}: {{status}}"],
        ],
        about: "1 while a component is degraded or failed",
      },
      { title: "Active alerts", unit: "none", lines: [[of("portcullis_alerts", 'state="active"'), "{{severity}}"]] },
      {
        title: "Open anomalies",
        unit: "none",
        lines: [[of("portcullis_open_anomalies"), "{{kind}}"]],
        about: "By detector",
      },
      { title: "Active pauses", unit: "none", lines: [[of("portcullis_active_pauses"), "{{type}}"]] },
      { title: "Events", unit: "cps", lines: [[rate("portcullis_events"), "{{event}}"]] },
      {
        title: "Repaired differences in the kernel",
        unit: "none",
        lines: [[`increase(${of("portcullis_drift_repairs")}[$__rate_interval])`, "{{instance}}"]],
      },
    ],
  },
  {
    title: "Devices and policies",
    graphs: [
      { title: "Devices by posture", unit: "none", lines: [[of("portcullis_device_postures"), "{{posture}}"]] },
      {
        title: "Observed devices that are online",
        unit: "none",
        lines: [[of("portcullis_observed_devices", 'online="true"'), "known: {{known}}"]],
      },
      { title: "Policies by outcome", unit: "none", lines: [[of("portcullis_policies"), "{{outcome}}"]] },
      {
        title: "Policies that are blocked or direct",
        unit: "none",
        lines: [
          [`${of("portcullis_policy_blocked")} == 1`, "blocked: {{policy}}"],
          [`${of("portcullis_policy_direct")} == 1`, "direct: {{policy}}"],
        ],
      },
      {
        title: "Traffic of all devices",
        unit: "bps",
        lines: [
          [bits("portcullis_forwarded_received_bytes"), "received"],
          [bits("portcullis_forwarded_sent_bytes"), "sent"],
        ],
      },
      {
        title: "Received by policy",
        unit: "bps",
        lines: [[`topk(10, ${bits("portcullis_policy_received_bytes")})`, "{{policy}}"]],
        about: "The ten policies with the most traffic",
      },
    ],
  },
  {
    title: "Tunnels and uplinks",
    graphs: [
      {
        title: "Tunnels that forward packets",
        unit: "none",
        lines: [[`sum by (tunnel) (${of("portcullis_tunnel_status", 'status=~"up|degraded"')})`, "{{tunnel}}"]],
        about: "1: up or degraded",
      },
      {
        title: "Time since the last handshake",
        unit: "s",
        lines: [[`time() - ${of("portcullis_tunnel_last_handshake_timestamp_seconds")}`, "{{tunnel}}"]],
      },
      { title: "Round trip through tunnels", unit: "s", lines: [[of("portcullis_tunnel_rtt_seconds"), "{{tunnel}}"]] },
      {
        title: "Lost probes",
        unit: "percentunit",
        lines: [
          [of("portcullis_tunnel_loss_ratio"), "{{tunnel}}"],
          [of("portcullis_uplink_loss_ratio"), "uplink {{uplink}}"],
        ],
      },
      { title: "Received by tunnels", unit: "bps", lines: [[bits("portcullis_tunnel_received_bytes"), "{{tunnel}}"]] },
      { title: "Sent by tunnels", unit: "bps", lines: [[bits("portcullis_tunnel_sent_bytes"), "{{tunnel}}"]] },
      { title: "Uplink in use", unit: "none", lines: [[of("portcullis_uplink_active"), "{{uplink}}"]] },
      {
        title: "Traffic of uplinks",
        unit: "bps",
        lines: [
          [bits("portcullis_uplink_received_bytes"), "received by {{uplink}}"],
          [bits("portcullis_uplink_sent_bytes"), "sent by {{uplink}}"],
        ],
      },
    ],
  },
  {
    title: "DNS",
    graphs: [
      {
        title: "DNS queries",
        unit: "reqps",
        lines: [
          [rate("portcullis_dns_queries"), "all"],
          [rate("portcullis_dns_blocked_queries"), "blocked"],
          [rate("portcullis_dns_cached_answers"), "from the cache"],
        ],
      },
      {
        title: "Resolvers that do not work",
        unit: "none",
        lines: [
          [`${of("portcullis_dns_resolver_status", 'status=~"degraded|failed"')} == 1`, "{{egress}}: {{status}}"],
        ],
      },
      {
        title: "Upstreams that do not answer",
        unit: "none",
        lines: [[`1 - ${of("portcullis_dns_upstream_up")} == 1`, "{{egress}}: {{address}}"]],
      },
      {
        title: "Answers that could not be logged",
        unit: "cps",
        lines: [[rate("portcullis_dns_log_lost"), "{{instance}}"]],
      },
    ],
  },
  {
    title: "Daemon",
    graphs: [
      { title: "Memory", unit: "bytes", lines: [[of("process_resident_memory_bytes"), "{{instance}}"]] },
      {
        title: "Processor time",
        unit: "percentunit",
        lines: [[rate("process_cpu_seconds"), "{{instance}}"]],
        about: "Share of one processor",
      },
      { title: "Open file descriptors", unit: "none", lines: [[of("process_open_fds"), "{{instance}}"]] },
      { title: "Answered requests", unit: "reqps", lines: [[rate("portcullis_http_requests"), "{{class}}"]] },
    ],
  },
];

function panels(): Panel[] {
  const placed: Panel[] = [];
  let y = 0;
  const put = (panel: Omit<Panel, "id" | "gridPos">, gridPos: Panel["gridPos"]) =>
    placed.push({ id: placed.length + 1, gridPos, ...panel });
  for (const { title, stats = [], graphs } of sections) {
    put({ type: "row", title }, { h: 1, w: 24, x: 0, y });
    y += 1;
    stats.forEach((it, at) => put(panelOf("stat", it), { h: 4, w: 24 / stats.length, x: (at * 24) / stats.length, y }));
    if (stats.length > 0) y += 4;
    graphs.forEach((it, at) =>
      put(panelOf("timeseries", it), { h: 8, w: 12, x: (at % 2) * 12, y: y + Math.floor(at / 2) * 8 }),
    );
    y += Math.ceil(graphs.length / 2) * 8;
  }
  return placed;
}

const panelOf = (
  type: "stat" | "timeseries",
  { title, unit, lines, about, words }: Described,
): Omit<Panel, "id" | "gridPos"> => ({
  type,
  title,
  ...(about !== undefined && { description: about }),
  datasource,
  fieldConfig: {
    defaults: {
      unit,
      min: 0,
      ...(words && {
        mappings: [
          {
            type: "value",
            options: {
              "0": { text: words[0], color: "red", index: 0 },
              "1": { text: words[1], color: "green", index: 1 },
            },
          },
        ],
      }),
    },
    overrides: [],
  },
  options:
    type === "stat"
      ? { colorMode: "value", graphMode: "none", reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false } }
      : { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
  targets: lines.map(([expr, legendFormat], at) => ({ expr, legendFormat, refId: "ABCDEFGH"[at]!, datasource })),
});
