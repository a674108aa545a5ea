import { expect, test } from "vitest";
import { entitiesOf, type Measured } from "./entities.ts";

const nothing: Measured = {
  status: "ok",
  tunnels: [],
  leakCheck: null,
  activeAlerts: 0,
  queries: undefined,
  filteringPaused: undefined,
  devices: { known: 0, online: undefined },
};
const check = { verdict: "no-leak", finished_at: "2026-01-31T12:00:00.000Z", unchecked: 0, discarded: false } as const;
const valueOf = (key: string, measured: Partial<Measured>) =>
  entitiesOf({ ...nothing, ...measured }).find((it) => it.key === key)?.value;

test("entities: what was not measured has no value, and a measured zero is a value", () => {
  expect(["leaks", "leak_check", "dns_queries", "dns_blocked", "devices_online"].map((it) => valueOf(it, {}))).toEqual(
    Array.from({ length: 5 }, () => null),
  );
  expect(valueOf("alerts", {})).toBe("0");
  expect(valueOf("devices_online", { devices: { known: 3, online: 0 } })).toBe("0");
  expect(valueOf("dns_queries", { queries: { queries: 0, blocked: 0 } })).toBe("0");
});

test("entities: the share of blocked queries is known from the first query on", () => {
  expect(valueOf("dns_blocked", { queries: { queries: 0, blocked: 0 } })).toBeNull();
  expect(valueOf("dns_blocked", { queries: { queries: 3, blocked: 1 } })).toBe("33.3");
});

test("entities: a leak is certain once one device leaks, its absence only when every device was checked, and a void check is none", () => {
  expect(valueOf("leaks", { leakCheck: check })).toBe("OFF");
  expect(valueOf("leaks", { leakCheck: { ...check, unchecked: 1 } })).toBeNull();
  expect(valueOf("leaks", { leakCheck: { ...check, verdict: "leaking", unchecked: 1 } })).toBe("ON");
  expect(valueOf("leaks", { leakCheck: { ...check, verdict: "leaking", discarded: true } })).toBeNull();
  expect(valueOf("leak_check", { leakCheck: check })).toBe(check.finished_at);
});

test.each([
  ["up", "ON"],
  ["degraded", "ON"],
  ["connecting", "OFF"],
  ["down", "OFF"],
  ["failed", "OFF"],
  [undefined, null],
] as const)("entities: a tunnel with the status %s is %s", (status, value) => {
  expect(valueOf("tunnel_1", { tunnels: [{ id: "1", name: "Oslo", status }] })).toBe(value);
});
