import { expect, test } from "vitest";
import { conflicts } from "./conflicts.ts";
import type { Facts } from "../input/facts.ts";
import { type Intent, type IntentDevice, type IntentPolicy, noLinks } from "../input/intent.ts";

const nl = [{ type: "vpn" as const, target: "nl" }];
const uplink = [{ type: "interface" as const, target: "wan0" }];
const hops: Facts["hops"] = [
  { type: "vpn", target: "nl", interface: "wg0", up: true },
  { type: "interface", target: "wan0", interface: "wan0", up: true },
];
const both = ["10.77.0.0/24", "fd77::/64"];

const policy = (over: Partial<IntentPolicy>): IntentPolicy => ({
  id: "p",
  priority: 10,
  sourceType: "subnet",
  sourceValue: "10.77.0.0/24",
  hops: [],
  failPolicy: "fail-closed",
  splitting: false,
  ...over,
});
const device = (over: Partial<IntentDevice>): IntentDevice => ({
  id: "d",
  mac: "02:00:00:00:00:01",
  ips: [],
  groupIds: ["g"],
  requiresTunnel: false,
  ...over,
});

function exposed(
  policies: readonly IntentPolicy[],
  { devices = [], networks = both, defaultEgress = "direct" }: Partial<Setting> = {},
): string[] {
  const intent: Intent = {
    network: { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress },
    groups: ["g"],
    devices,
    policies,
    exceptions: [],
    ...noLinks,
  };
  return conflicts(intent, { links: [{ name: "lan0", up: true, networks }], hops })
    .filter(({ kind }) => kind === "exposed")
    .map(({ policy_id, message }) => `${policy_id}: ${message}`);
}
interface Setting {
  readonly devices: readonly IntentDevice[];
  readonly networks: readonly string[];
  readonly defaultEgress: "direct" | "block";
}

const halfCovered = "p: It covers IPv4 only: IPv6 from lan0 leaves in the clear";

test("exposures: a policy for an IPv4 network is reported while IPv6 of the same LAN leaves in the clear", () => {
  expect(exposed([policy({})])).toEqual([halfCovered]);
  expect(exposed([policy({ hops: nl })])).toEqual([halfCovered]);
  expect(exposed([policy({ sourceValue: "fd77::/64" })])).toEqual([
    "p: It covers IPv6 only: IPv4 from lan0 leaves in the clear",
  ]);
});

test("exposures: it is not reported where the other family is covered, blocked by default, or absent", () => {
  expect(exposed([policy({}), policy({ id: "q", priority: 20, sourceValue: "fd77::/64" })])).toEqual([]);
  expect(
    exposed([policy({}), policy({ id: "q", priority: 20, sourceType: "all", sourceValue: "", hops: nl })]),
  ).toEqual([]);
  expect(exposed([policy({})], { defaultEgress: "block" })).toEqual([]);
  expect(exposed([policy({})], { networks: ["10.77.0.0/24"] })).toEqual([]);
  expect(exposed([policy({ sourceValue: "10.99.0.0/24" })])).toEqual([]);
  expect(exposed([policy({ hops: uplink })])).toEqual([]);
});

test("exposures: a device that is matched by an IPv4 address only is reported, one with a MAC is not", () => {
  const named = policy({ sourceType: "device", sourceValue: "d" });
  expect(exposed([named], { devices: [device({ mac: null, ips: ["10.77.0.5"] })] })).toEqual([halfCovered]);
  expect(exposed([named], { devices: [device({ mac: null, ips: ["10.77.0.5", "fd77::5"] })] })).toEqual([]);
  expect(exposed([named], { devices: [device({ ips: ["10.77.0.5"] })] })).toEqual([]);
});

test("exposures: a device whose class requires a tunnel is reported under a policy that fails open or uses the uplink", () => {
  const requiring = [device({ requiresTunnel: true })];
  const open = policy({ sourceType: "device", sourceValue: "d", hops: nl, failPolicy: "fail-open" });
  const tail = "although the privacy class requires a tunnel";
  expect(exposed([open], { devices: requiring })).toEqual([
    `p: Device 02:00:00:00:00:01 leaves in the clear while its hops are down, ${tail}`,
  ]);
  expect(exposed([{ ...open, hops: uplink }], { devices: requiring })).toEqual([
    `p: Device 02:00:00:00:00:01 leaves in the clear by it, ${tail}`,
  ]);
  const group = { ...open, sourceType: "device_group" as const, sourceValue: "g" };
  const two = [...requiring, device({ id: "e", mac: "02:00:00:00:00:02", requiresTunnel: true })];
  expect(exposed([group], { devices: two })).toEqual([
    `p: Device 02:00:00:00:00:01 and 1 more leave in the clear while its hops are down, ${tail}`,
  ]);
});

test("exposures: it is not reported where the policy fails closed, another one decides, or no tunnel is required", () => {
  const requiring = [device({ requiresTunnel: true })];
  const open = policy({ sourceType: "device", sourceValue: "d", hops: nl, failPolicy: "fail-open" });
  expect(exposed([{ ...open, failPolicy: "fail-closed" }], { devices: requiring })).toEqual([]);
  expect(exposed([open], { devices: [device({})] })).toEqual([]);
  const before = policy({ id: "q", priority: 1, sourceType: "device", sourceValue: "d" });
  expect(exposed([before, open], { devices: requiring })).toEqual([]);
  expect(exposed([], { devices: requiring })).toEqual([]);
});

test("exposures: a policy that protects for some time only does not hide what leaves in the clear at other times", () => {
  const devices = [device({ requiresTunnel: true })];
  const open = policy({ id: "open", priority: 20, sourceType: "all", sourceValue: "", failPolicy: "fail-open" });
  const closed = policy({ sourceType: "device", sourceValue: "d", hops: nl });
  expect(exposed([closed, open], { devices })).toEqual([]);
  expect(exposed([{ ...closed, scheduleId: "nights" }, open], { devices })).toEqual([expect.stringContaining("open")]);
});
