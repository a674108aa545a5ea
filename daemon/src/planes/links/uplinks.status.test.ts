import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import type { Condition, Health } from "../../health/health.ts";
import { openUplinks } from "../../health/uplinks.ts";
import { uplinkStatus } from "./uplinks.status.ts";

const line = (name: string, over: object = {}) => ({
  name: `line ${name}`,
  interface: name,
  priority: 1,
  enabled: true,
  probe_targets: ["192.0.2.53"],
  ...over,
});
const settings = {
  wan_failover_mode: "auto" as const,
  active: null,
  uplinks: [line("wan0"), line("wan1", { priority: 2 }), line("wan2", { enabled: false })],
};
const alive: Condition = {
  status: "up",
  healthy: true,
  reason: because("link_answers"),
  sinceMs: 0,
  rttMs: 12,
  loss: 0.1,
  changes: 0,
  flaps: 0,
  probedAtMs: 1_000,
};

/** Readings of uplinks that are as the conditions say; nothing is known of who is not among them. */
function readings(conditions: Readonly<Record<string, Condition>>) {
  const condition = (key: string) => conditions[key];
  const uplinks = openUplinks({
    nowMs: () => 0,
    now: () => new Date(0),
    savedState: { read: () => undefined, write: () => {} },
    condition,
    onSwitch: () => {},
  });
  uplinks.setPlan({
    mode: "auto",
    uplinks: settings.uplinks
      .filter(({ enabled }) => enabled)
      .map((it) => ({ name: it.name, interface: it.interface, priority: it.priority, key: it.interface })),
  });
  const links = [{ name: "wan0", up: true, gateways: { v4: "192.0.2.1" } }];
  return {
    ...uplinkStatus({ uplinks, health: { condition } as Health, links: () => links }),
    [Symbol.dispose]: () => uplinks.close(),
  };
}

test("uplink status: every uplink is shown, also a disabled one", () => {
  using it = readings({ wan0: alive, wan1: { ...alive, status: "failed", healthy: false } });
  const { active, uplinks } = it.decisions(settings);
  expect(active).toBe("line wan0");
  expect(uplinks.map(({ name, role }) => `${name} ${role}`)).toEqual([
    "line wan0 active",
    "line wan1 unusable",
    "line wan2 unusable",
  ]);
});

test("uplink status: an uplink that is not probed is unknown in the decisions, not unusable", () => {
  using it = readings({ wan0: alive });
  expect(it.decisions(settings).uplinks).toMatchObject([
    { interface: "wan0", role: "active", status: "up", loss: 0.1 },
    { interface: "wan1", role: "standby", status: "unknown", loss: null, rtt_ms: null },
    { interface: "wan2", role: "unusable", status: "down" },
  ]);
});

test("uplink status: the mode is the configured one, also before the first decision", () => {
  using it = readings({ wan0: alive });
  expect(it.decisions(settings).mode).toBe("auto");
  expect(it.decisions({ ...settings, wan_failover_mode: "manual" }).mode).toBe("manual");
});

test("uplink status: health has the measurements and gateways; an uplink that was not probed is unknown", () => {
  using it = readings({ wan0: alive });
  const [first, second, third] = it.health(settings);
  expect(first).toMatchObject({
    reachable: true,
    status: "up",
    rtt_ms: 12,
    loss: 0.1,
    gateway_v4: "192.0.2.1",
    gateway_v6: null,
  });
  expect(first!.checked_at).toBe("1970-01-01T00:00:01.000Z"); // The time of the probe, not of the request.
  expect(second).toMatchObject({
    reachable: null,
    status: "unknown",
    loss: null,
    reason: "It is not probed",
    gateway_v4: null,
    checked_at: null,
  });
  expect(third).toMatchObject({ reachable: false, reason: "It is switched off" });
});

test("uplink status: the last switch comes first", () => {
  const switches = ["a", "b"].map((to) => ({ at: "", from: "", to, ...explained(because("uplink_chosen")) }));
  const uplinks = { report: () => ({ uplinks: [], switches, timing: {} }) } as never;
  const { decisions } = uplinkStatus({ uplinks, health: {} as Health, links: () => [] });
  expect(decisions(settings).switches.map(({ to }) => to)).toEqual(["b", "a"]);
});
