import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { because } from "@portcullis/contract/reason";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../../../testing/deadline.ts";
import { alertAt, folderWith, observedAt } from "../../../../testing/earlier-state.ts";
import { openEventStream } from "../../../../testing/event-stream.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { promtool, samplesIn } from "../../../../testing/metrics.ts";
import { wireguardConfig } from "../../../../testing/tunnels.ts";

const adminKey = "the-key-of-an-admin-0001";
const metricsKey = "the-key-of-prometheus-01";
const admin = { authorization: `Bearer ${adminKey}` };
const reader = { authorization: `Bearer ${metricsKey}` };
const strange = 'O"slo\\ №1 }';

/* A gateway with tunnels, policies and devices, and with what an earlier daemon left. */
let gateway: TestGateway;
beforeAll(async () => {
  const nowMs = Date.now();
  const reason = because("alert_drift", { first: "table", items: 2 });
  const alerts = [
    alertAt(nowMs, 1, reason),
    { ...alertAt(nowMs, 2, reason), rule: "new-device", severity: "info" } as const,
  ];
  const observed = [observedAt(nowMs, 7, "02:00:00:00:00:07"), observedAt(nowMs, 8, "02:00:00:00:00:08")];
  const api_keys = [
    { key: adminKey, role: "admin", name: "admin" },
    { key: metricsKey, role: "metrics", name: "prometheus" },
  ];
  gateway = await startGateway({
    folder: folderWith({ alerts, observed }),
    config: { auth: { enabled: true, local_net: "", api_keys } },
  });
  const make = async (path: string, body: object) => {
    const answer = await gateway.request("POST", path, { body, headers: admin });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
    return answer.json();
  };
  const { id } = await make("/tunnels", { name: strange, type: "wireguard", config: wireguardConfig() });
  await make("/tunnels", { name: "Lima", type: "wireguard", config: wireguardConfig() });
  const { id: device } = await make("/devices", { name: "Television", mac: "02:00:00:00:00:07" });
  await make("/devices", { name: "Radio", mac: "02:00:00:00:00:09", state: "quarantined" });
  await make("/routing/policies", {
    name: "By Oslo",
    source_type: "device",
    source_value: device,
    hops: [{ type: "vpn", target: id }],
  });
  await make("/routing/policies", { name: "In the clear", source_type: "all", source_value: "", hops: [] });
  const applied = await gateway.request("POST", "/routing/policies/apply", { headers: admin });
  if (applied.status !== 200) throw new Error(applied.text);
});
afterAll(() => gateway[Symbol.asyncDispose]());

const get = async (path: string) => (await gateway.request("GET", path, { headers: admin })).json();
const scrape = (headers: Record<string, string> = {}) =>
  gateway.request("GET", "/metrics", { headers: { ...reader, ...headers } });
const samples = async () => samplesIn((await scrape()).text);
/** The value of a series, by its name and some of its labels. */
async function value(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  const fits = (await samples()).filter(
    (it) => it.name === name && Object.entries(labels).every(([label, text]) => it.labels[label] === text),
  );
  expect(fits.length).toBeLessThanOrEqual(1);
  return fits[0]?.value;
}

test("metrics: both forms have their content type, and Prometheus accepts the text", async () => {
  const plain = await scrape();
  expect([plain.status, plain.headers.get("content-type"), plain.headers.get("vary")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
    "Accept",
  ]);
  expect(promtool(["check", "metrics"], plain.text)).toEqual({ status: 0, output: "" });
  const open = await scrape({ accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5" });
  expect([open.headers.get("content-type"), open.text.endsWith("\n# EOF\n")]).toEqual([
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
    true,
  ]);
});

test("metrics: the state of the daemon is that of /status, /observer, /changes and /platform", async () => {
  const status = await get("/status");
  expect(await value("portcullis_build_info", { version: status.version, build: status.build })).toBe(1);
  expect(await value("process_start_time_seconds")).toBe(Date.parse(status.started_at) / 1000);
  expect(await value("portcullis_published_revision")).toBe(status.revision);
  expect(await value("portcullis_applied_revision")).toBe(status.applied_revision);
  expect(await value("portcullis_ready")).toBe(status.ready ? 1 : 0);
  expect([status.dataplane_enabled, await value("portcullis_enforcing")]).toEqual([false, 0]);
  expect([(await get("/changes")).pending, await value("portcullis_change_pending")]).toEqual([null, 0]);
  const { components } = await get("/observer");
  const statuses = (await samples()).filter((it) => it.name === "portcullis_component_status" && it.value === 1);
  expect(statuses.map(({ labels }) => [labels["component"], labels["status"]])).toEqual(
    components.map((it: { name: string; status: string }) => [it.name, it.status]),
  );
  const { memory } = await get("/platform");
  expect((await value("process_resident_memory_bytes"))! / memory.daemon_bytes).toBeCloseTo(1, 0);
  const cpuBefore = (await value("process_cpu_seconds_total"))!;
  expect(cpuBefore).toBeLessThanOrEqual(process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6);
  expect(await value("process_cpu_seconds_total")).toBeGreaterThanOrEqual(cpuBefore);
  expect(await value("process_open_fds")).toBeGreaterThan(3);
});

test("metrics: devices, observed devices and alerts are counted as in their lists", async () => {
  const totals = async (path: string) =>
    Number(
      (await gateway.request("GET", path, { headers: admin })).headers.get("x-total-count") ?? (await get(path)).length,
    );
  for (const state of ["known", "new", "quarantined"])
    expect([state, await value("portcullis_devices", { state })]).toEqual([
      state,
      (await get(`/devices?state=${state}`)).length,
    ]);
  expect(await value("portcullis_devices", { state: "quarantined" })).toBe(1);
  for (const known of ["true", "false"])
    for (const online of ["true", "false"])
      expect([known, online, await value("portcullis_observed_devices", { known, online })]).toEqual([
        known,
        online,
        await totals(`/devices/discovered?known=${known}&online=${online}`),
      ]);
  for (const known of ["true", "false"])
    expect(await value("portcullis_observed_devices", { known, online: "false" })).toBe(1);
  const body = { name: "Speaker", mac: "02:00:00:00:00:08" };
  const { id } = (await gateway.request("POST", "/devices", { body, headers: admin })).json();
  expect(await value("portcullis_observed_devices", { known: "true", online: "false" })).toBe(2);
  await gateway.request("DELETE", `/devices/${id}`, { headers: admin });
  expect(await value("portcullis_observed_devices", { known: "true", online: "false" })).toBe(1);
  for (const severity of ["critical", "warning", "info"])
    for (const state of ["active", "acknowledged", "resolved"])
      expect([severity, state, await value("portcullis_alerts", { severity, state })]).toEqual([
        severity,
        state,
        await totals(`/alerts?severity=${severity}&state=${state}`),
      ]);
  expect(await value("portcullis_alerts", { severity: "warning", state: "active" })).toBe(1);
});

test("metrics: a pause is counted by its type from its start to its end", async () => {
  const active = async () => {
    const all = (await samples()).filter(({ name }) => name === "portcullis_active_pauses");
    return Object.fromEntries(all.map(({ labels, value: count }) => [labels["type"], count]));
  };
  const none = { filtering: 0, protection: 0, "allow-domain": 0, "block-domain": 0 };
  expect(await active()).toEqual(none);
  const bodies = [
    { type: "protection", source_type: "device", source_value: "Television", duration_min: 5 },
    { type: "filtering", source_type: "everyone", duration_min: 5 },
    { type: "block-domain", source_type: "everyone", domain: "a.example", duration_min: 5 },
    { type: "block-domain", source_type: "everyone", domain: "b.example", duration_min: 5 },
  ];
  const ids: string[] = [];
  for (const body of bodies) {
    const answer = await gateway.request("POST", "/pauses", { body, headers: admin });
    expect([answer.status, answer.status === 201 ? "" : answer.text]).toEqual([201, ""]);
    ids.push(answer.json().id);
  }
  expect(await active()).toEqual({ ...none, filtering: 1, protection: 1, "block-domain": 2 });
  for (const id of ids.slice(1)) await gateway.request("DELETE", `/pauses/${id}`, { headers: admin });
  expect(await active()).toEqual({ ...none, protection: 1 });
  await gateway.request("DELETE", `/pauses/${ids[0]}`, { headers: admin });
  expect(await active()).toEqual(none);
});

test("metrics: tunnels, uplinks and policies are those of the API, whatever their names are", async () => {
  const tunnels = await get("/tunnels");
  expect(tunnels).toHaveLength(2);
  for (const { id, name, status } of tunnels)
    expect([name, await value("portcullis_tunnel_status", { id, status, tunnel: name })]).toEqual([name, 1]);
  const uplinks = await get("/system/wan-manager");
  for (const { name, interface: link, status } of uplinks.uplinks) {
    expect(await value("portcullis_uplink_status", { uplink: name, interface: link, status })).toBe(1);
    expect(await value("portcullis_uplink_active", { uplink: name })).toBe(uplinks.active === name ? 1 : 0);
  }
  const egress = await get("/tunnels/egress");
  expect(egress).toHaveLength(2);
  for (const outcome of ["egress", "split", "direct", "block", "next"])
    expect([outcome, await value("portcullis_policies", { outcome })]).toEqual([
      outcome,
      egress.filter((it: { outcome: string }) => it.outcome === outcome).length,
    ]);
  for (const { policy_id: id, policy, outcome } of egress) {
    expect(await value("portcullis_policy_blocked", { id, policy })).toBe(outcome === "block" ? 1 : 0);
    expect(await value("portcullis_policy_direct", { id, policy })).toBe(outcome === "direct" ? 1 : 0);
  }
});

test("metrics: postures of devices are those of /privacy/status", async () => {
  const status = await get("/privacy/status");
  for (const posture of ["protected", "blocked", "exposed"])
    expect([posture, await value("portcullis_device_postures", { posture })]).toEqual([posture, status[posture]]);
  expect(status.protected + status.blocked + status.exposed).toBeGreaterThan(1);
});

test("metrics: requests are counted by the class of their status", async () => {
  const counted = (statusClass: string) => value("portcullis_http_requests_total", { class: statusClass });
  const [good, bad] = [(await counted("2xx"))!, (await counted("4xx"))!];
  for (const path of ["/no-such-thing", "/devices/no-such-thing"])
    await gateway.request("GET", path, { headers: admin });
  await get("/status");
  expect(await counted("4xx")).toBe(bad + 2);
  expect(await counted("2xx")).toBe(good + 4); // With the four readings of the metrics until then, without this one.
});

test("metrics: events and open streams are those that a listener gets", async () => {
  const events = (event: string) => value("portcullis_events_total", { event });
  const before = (await events("audit.recorded")) ?? 0;
  const streams = (await value("portcullis_event_streams"))!;
  await using _stream = await openEventStream(gateway.origin, admin);
  expect(await value("portcullis_event_streams")).toBe(streams + 1);
  for (const name of ["a", "b"]) await gateway.request("POST", "/devices", { body: { name }, headers: admin });
  expect(await events("audit.recorded")).toBe(before + 2);
});

test("metrics: a key of the role is made, used and revoked by the command line's endpoints", async () => {
  const body = { name: "wall", role: "metrics" };
  const { id, key } = (await gateway.request("POST", "/auth/keys", { body, headers: admin })).json();
  const status = async (path: string) =>
    (await gateway.request("GET", path, { headers: { authorization: `Bearer ${key}` } })).status;
  expect([
    await status("/metrics"),
    await status("/status"),
    await status("/devices"),
    await status("/auth/status"),
  ]).toEqual([200, 403, 403, 200]);
  await gateway.request("DELETE", `/auth/keys/${id}`, { headers: admin });
  expect(await status("/metrics")).toBe(401);
});

const guide = readFileSync(fileURLToPath(new URL("../../../../docs/guide/metrics.md", import.meta.url)), "utf8");
const [scrapeConfig = "", rules = ""] = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!);

test("metrics: the scrape configuration and the rules of the guide are valid", () => {
  using folder = temporaryFolder();
  const check = (kind: "config" | "rules", text: string) => {
    const file = join(folder.path, `${kind}.yml`);
    writeFileSync(file, text);
    return promtool(["check", kind, ...(kind === "config" ? ["--syntax-only"] : []), file]).status;
  };
  expect(scrapeConfig).toContain("credentials_file");
  expect([check("config", scrapeConfig), check("rules", rules)]).toEqual([0, 0]);
  expect(check("config", scrapeConfig.replace("credentials_file", "credential_file"))).not.toBe(0);
});

test("metrics: a Prometheus with the guide's configuration reads the gateway with a key of the role", async () => {
  using folder = temporaryFolder();
  const keyFile = join(folder.path, "key");
  writeFileSync(keyFile, metricsKey, { mode: 0o600 });
  const { host } = new URL(gateway.origin);
  const config = scrapeConfig
    .replace("scheme: https", "scheme: http")
    .replace(/ {4}tls_config:\n(?: {6}.*\n)+/, "")
    .replace("scrape_interval: 30s", "scrape_interval: 1s\n    scrape_timeout: 1s")
    .replace("/etc/prometheus/portcullis.key", keyFile)
    .replace("192.168.1.1:8080", host);
  const file = join(folder.path, "prometheus.yml");
  writeFileSync(file, config);
  const port = await freePort();
  const server = spawn(
    "prometheus",
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder.path, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ],
    { stdio: "ignore" },
  );
  try {
    const query = async (
      expression: string,
    ): Promise<{ metric: Record<string, string>; value: [number, string] }[]> => {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
      const answer = await fetch(url).catch(() => undefined);
      if (!answer?.ok) return [];
      return ((await answer.json()) as { data: { result: [] } }).data.result;
    };
    await until(
      "Prometheus has read the gateway",
      async () => (await query('up{job="portcullis"} == 1')).length === 1,
      60,
    );
    const found = await query('portcullis_tunnel_status{status="down"}');
    const names = (await get("/tunnels")).map((it: { name: string }) => it.name);
    expect(new Set(found.map(({ metric }) => metric["tunnel"]))).toEqual(new Set(names));
    const { revision } = await get("/status");
    expect((await query("portcullis_published_revision"))[0]!.value[1]).toBe(String(revision));
    expect(await query("portcullis_no_such_metric")).toEqual([]);
  } finally {
    await ended(server);
  }
}, 180_000);

/** Nothing else of the machine listens on it now. */
async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as { port: number };
  listener.close();
  await once(listener, "close");
  return port;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
