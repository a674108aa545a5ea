import type { EventName } from "@portcullis/contract/events";
import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { kinds } from "../../app/resource-kinds.ts";
import type { StoredAlert } from "./alerts.machine.ts";
import { alertsService } from "./alerts.service.ts";

const cause = { actor: "ada", action: "update_alert_rule", resourceType: "alert_rule" };
const why = explained(because("status_failed"));

const kindsOfCauses = ["tunnel", "policy", "resource", "certificate"] as const;

function machine(stored = new Map<string, StoredAlert>(), startMs = 1_000_000, isObserved = true) {
  let now = startMs;
  let working: readonly string[] = [];
  const ledger = ledgerInMemory(kinds, { now: () => new Date(now) });
  const announced: string[] = [];
  const service = alertsService({
    ledger,
    nowMs: () => now,
    isWorking: isObserved
      ? Object.fromEntries(kindsOfCauses.map((kind) => [kind, (id: string) => working.includes(`${kind} ${id}`)]))
      : {},
    announce: (name: EventName, payload: object) =>
      void announced.push(`${name} ${(payload as { rule: string }).rule} ${(payload as { name: string }).name}`.trim()),
    store: {
      load: () => [...stored.values()],
      write: (changed, removed) => {
        for (const it of changed) stored.set(it.id, it);
        for (const id of removed) stored.delete(id);
      },
    },
  });
  const states = () => service.list({}).items.map((it) => `${it.rule} ${it.resource_name} ${it.state} ${it.count}`);
  return {
    ledger,
    service,
    announced,
    stored,
    states,
    pass: (sec: number) => void (now += sec * 1000),
    setWorking: (...all: string[]) => void (working = all),
  };
}
const id = "00000000-0000-4000-8000-000000000001";
const tunnel = { id, name: "Oslo" };
const certificate = { id: "ab12", name: "API", subject: "gw", expires_at: "2030-01-01T00:00:00.000Z", ...why };
const policy = { policy_id: id, name: "TV abroad", ...why };

test("alerts: one cause is one alert with a count, and it is resolved when its cause is over", () => {
  const { service, announced, states } = machine();
  service.onEvent("tunnel.down", { ...tunnel, ...why });
  service.onEvent("tunnel.down", { ...tunnel, ...why });
  service.onEvent("tunnel.down", { ...tunnel, id: `${id}2`, name: "Zurich", ...why });
  expect(states()).toEqual(["tunnel-down Zurich active 1", "tunnel-down Oslo active 2"]);
  expect(service.active()[1]).toMatchObject({
    severity: "warning",
    resource_type: "tunnel",
    resource_id: id,
    reason: "Tunnel Oslo is down",
    coded_reason: { code: "alert_tunnel_down", params: { name: "Oslo" } },
  });
  service.onEvent("tunnel.state", { ...tunnel, from: "failed", to: "connecting", ...why });
  expect(service.active()).toHaveLength(2);
  service.onEvent("tunnel.state", { ...tunnel, from: "connecting", to: "up", ...why });
  expect(states()).toEqual(["tunnel-down Zurich active 1", "tunnel-down Oslo resolved 2"]);
  expect(service.list({ state: "resolved" }).items[0]).toMatchObject({ resolved_by: "system" });
  expect(announced).toEqual([
    "alert.raised tunnel-down Oslo",
    "alert.raised tunnel-down Zurich",
    "alert.resolved tunnel-down Oslo",
  ]);
});

test.each([
  [
    "leak-detected",
    "critical",
    "leak.detected",
    { device_id: id, name: "TV", cause: "wrong-route", message: why.reason, coded_message: why.coded_reason },
    "leak.cleared",
    { device_id: id, name: "TV" },
  ],
  ["killswitch-engaged", "critical", "policy.blocked", policy, "policy.restored", { ...policy, from: "blocked" }],
  ["direct-fallback", "critical", "policy.direct_fallback", policy, "policy.restored", { ...policy, from: "direct" }],
  [
    "tunnel-down",
    "warning",
    "tunnel.down",
    { ...tunnel, ...why },
    "tunnel.state",
    { ...tunnel, from: "failed", to: "up", ...why },
  ],
  ["dns-plane-down", "critical", "dns.plane_down", why, "dns.plane_up", why],
  [
    "resource-exhaustion",
    "warning",
    "resource.exhausted",
    { id: "memory", ...why },
    "resource.recovered",
    { id: "memory" },
  ],
  ["cert-expiry-critical", "warning", "certificate.expiring", certificate, "certificate.renewed", certificate],
  ["cert-expired", "critical", "certificate.expired", certificate, "certificate.renewed", certificate],
  ["cert-expired", "critical", "certificate.not_yet_valid", certificate, "certificate.renewed", certificate],
] as const)("alerts: %s is %s, and ends with its event", (rule, severity, name, payload, end, last) => {
  const { service } = machine();
  service.onEvent(name, payload as never);
  expect(service.active()).toMatchObject([{ rule, severity, count: 1 }]);
  service.onEvent(end, last as never);
  expect(service.active()).toEqual([]);
});

test.each([
  ["tunnel-flap", "warning", 3600, "tunnel.flap", { ...tunnel, changes: 6, window_sec: 600 }],
  ["dns-bypass", "warning", 3600, "dns.bypass", { device_id: id, name: "TV", packets: 3 }],
  ["port-scan", "warning", 3600, "device.port_scan", { device_id: id, name: "TV", targets: 200, examples: [] }],
  ["port-scan", "warning", 3600, "port_scan.incomplete", { packets: 9 }],
  ["drift-detected", "warning", 3600, "drift.detected", { items: 2, first: "inet portcullis" }],
  [
    "new-device",
    "info",
    86_400,
    "device.discovered",
    { devices: [{ mac: "02:00:00:00:00:07", name: null, vendor: null, addresses: [], interface: "lan0" }], omitted: 0 },
  ],
] as const)(
  "alerts: %s is %s, and is resolved after %i seconds without an occurrence",
  (rule, severity, sec, name, payload) => {
    const { service, pass } = machine();
    service.onEvent(name, payload as never);
    expect(service.active()).toMatchObject([{ rule, severity }]);
    pass(sec - 1);
    service.onEvent(name, payload as never);
    pass(sec - 1);
    service.round();
    expect(service.active()).toMatchObject([{ count: 2 }]);
    pass(1);
    service.round();
    expect(service.active()).toEqual([]);
  },
);

test("alerts: many new devices are one alert with their number", () => {
  const { service, states } = machine();
  const found = (number: number) => ({
    mac: `02:00:00:00:00:0${number}`,
    name: null,
    vendor: null,
    addresses: [],
    interface: "lan0",
  });
  service.onEvent("device.discovered", { devices: [found(1), found(2)], omitted: 980 });
  service.onEvent("device.discovered", { devices: [found(3)], omitted: 0 });
  expect(states()).toEqual(["new-device 02:00:00:00:00:03 active 1", "new-device  active 982"]);
});

test("alerts: during the cooldown a cause makes its alert active again, after it it raises another", () => {
  const { service, announced, states, pass } = machine();
  const isDown = () => service.onEvent("dns.plane_down", why);
  const isUp = () => service.onEvent("dns.plane_up", why);
  isDown();
  isUp();
  pass(300);
  isDown();
  expect(states()).toEqual(["dns-plane-down  active 2"]);
  isUp();
  pass(301);
  isDown();
  expect(states()).toEqual(["dns-plane-down  active 1", "dns-plane-down  resolved 2"]);
  expect(announced.filter((it) => it.startsWith("alert.raised"))).toHaveLength(3);
});

test("alerts: the threshold counts occurrences of one cause within the window", () => {
  const { service, ledger, pass } = machine();
  service.rules.update(cause, "tunnel-down", { threshold: 3, window_sec: 60, severity: "critical" });
  const isDown = (name = "Oslo") => service.onEvent("tunnel.down", { id: name, name, ...why });
  isDown();
  isDown("Zurich");
  pass(61);
  isDown();
  isDown();
  expect(service.active()).toEqual([]);
  isDown();
  expect(service.active()).toMatchObject([{ resource_name: "Oslo", count: 3, severity: "critical" }]);
  ledger.close();
});

test("alerts: a disabled rule and a muted one raise nothing; a mute ends, and may apply to some resources only", () => {
  const { service, pass } = machine();
  const isDown = (name: string) => service.onEvent("tunnel.down", { id: `id-${name}`, name, ...why });
  service.rules.update(cause, "tunnel-down", { enabled: false });
  isDown("a");
  service.rules.update(cause, "tunnel-down", { enabled: true, muted_until: new Date(1_060_000).toISOString() });
  isDown("a");
  expect(service.active()).toEqual([]);
  pass(60);
  isDown("a");
  expect(service.active()).toHaveLength(1);
  service.rules.update(cause, "tunnel-down", { muted_until: null, muted_resources: ["id-b", "c"] });
  for (const name of ["b", "c", "d"]) isDown(name);
  expect(service.active().map((it) => it.resource_name)).toEqual(["d", "a"]);
});

test("alerts: one is acknowledged or resolved by hand, with an audit entry; what is resolved is final", () => {
  const { service, states } = machine();
  service.onEvent("drift.detected", { items: 1, first: "table" });
  const [alert] = service.active();
  expect(service.acknowledge(cause, alert!.id)).toMatchObject({ state: "acknowledged", acknowledged_by: "ada" });
  service.onEvent("drift.detected", { items: 1, first: "table" });
  expect(states()).toEqual(["drift-detected  acknowledged 2"]);
  expect(service.resolve(cause, alert!.id)).toMatchObject({ state: "resolved", resolved_by: "ada" });
  expect(() => service.acknowledge(cause, alert!.id)).toThrow("resolved already");
  expect(() => service.resolve(cause, id)).toThrow("No alert");
});

test("alerts: after a restart what still holds is the same alert, and still acknowledged; what is over is resolved", () => {
  const first = machine();
  first.service.onEvent("tunnel.down", { ...tunnel, ...why });
  first.service.onEvent("dns.plane_down", why);
  first.service.onEvent("drift.detected", { items: 1, first: "table" });
  first.service.acknowledge(cause, first.service.list({ rule: "tunnel-down" }).items[0]!.id);
  const next = machine(new Map(first.stored), 1_010_000);
  const resolvedDns = "dns-plane-down  resolved 1";
  expect(next.states()).toEqual(["drift-detected  active 1", resolvedDns, "tunnel-down Oslo acknowledged 1"]);
  next.service.onEvent("dns.plane_down", why);
  expect(next.states()[1]).toBe("dns-plane-down  active 2");
  next.service.round();
  expect(next.states().at(-1)).toBe("tunnel-down Oslo acknowledged 1");
  next.setWorking(`tunnel ${id}`);
  next.service.round();
  expect(next.states().at(-1)).toBe("tunnel-down Oslo resolved 1");
  const unobserved = machine(new Map(first.stored), 1_010_000, false);
  expect(unobserved.states().at(-1)).toBe("tunnel-down Oslo resolved 1");
});

test("alerts: a policy or tunnel that works again, or was removed, ends its alert without an event", () => {
  const { service, setWorking } = machine();
  service.onEvent("policy.blocked", policy);
  service.onEvent("tunnel.down", { ...tunnel, ...why });
  service.round();
  expect(service.active()).toHaveLength(2);
  setWorking(`tunnel ${id}`);
  service.round();
  expect(service.active().map(({ rule }) => rule)).toEqual(["killswitch-engaged"]);
  setWorking(`policy ${id}`);
  service.round();
  expect(service.active()).toEqual([]);
});

test("alerts: a certificate has one alert at a time: that it expires soon, or that it expired", () => {
  const { service, states } = machine();
  service.onEvent("certificate.expiring", certificate);
  service.onEvent("certificate.expiring", { ...certificate, id: "cd34", name: "Oslo (ca)" });
  expect(service.active()[1]).toMatchObject({ resource_type: "certificate", resource_id: "ab12" });
  service.onEvent("certificate.expired", certificate);
  expect(states()).toEqual([
    "cert-expired API active 1",
    "cert-expiry-critical Oslo (ca) active 1",
    "cert-expiry-critical API resolved 1",
  ]);
  service.onEvent("certificate.expiring", certificate);
  expect(states()[0]).toBe("cert-expired API resolved 1");
  expect(states()[2]).toBe("cert-expiry-critical API active 2");
  expect([service.isOpen("cert-expiry-critical", "ab12"), service.isOpen("cert-expired", "ab12")]).toEqual([
    true,
    false,
  ]);
});

test("alerts: of a resource and a certificate they are the same after a restart, also without the dataplane", () => {
  const first = machine();
  first.service.onEvent("resource.exhausted", { id: "disk:/state", ...why });
  first.service.onEvent("certificate.expired", certificate);
  const next = machine(new Map(first.stored), 1_010_000);
  expect(next.states()).toEqual(["cert-expired API active 1", "resource-exhaustion disk:/state active 1"]);
  next.service.round();
  expect(next.service.active()).toHaveLength(2);
  next.setWorking("resource disk:/state");
  next.service.round();
  expect(next.states()).toEqual(["cert-expired API active 1", "resource-exhaustion disk:/state resolved 1"]);
  next.setWorking("certificate ab12");
  next.service.round();
  expect(next.service.active()).toEqual([]);
});

test("alerts: resolved ones are removed after 90 days", () => {
  const { service, pass, stored } = machine();
  service.onEvent("dns.plane_down", why);
  service.onEvent("dns.plane_up", why);
  service.onEvent("drift.detected", { items: 1, first: "table" });
  pass(90 * 86_400);
  service.round();
  expect(stored.size).toBe(2);
  pass(1);
  service.round();
  expect([...stored.values()].map(({ rule }) => rule)).toEqual(["drift-detected"]);
});
