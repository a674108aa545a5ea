import fc from "fast-check";
import { isActiveAt, weekdays } from "@portcullis/contract/schedule-times";
import type { Policy } from "@portcullis/contract/subsystems/routing";
import { expect, test } from "vitest";
import { compiledFrom } from "../../../../testing/compiled.ts";
import { intentWith, network, policy } from "../../../../testing/intent.ts";
import { announceSeed } from "../../../../testing/seed.ts";
import { intentOf, type Resources } from "../input/read-document.ts";
import { noLinkResources } from "../input/read-links.ts";
import { periodsAt } from "../input/scheduled.ts";
import { windowsOf } from "./windows.ts";

announceSeed("windows");

const device = (id: string, over: { mac?: string; ips?: string[]; groupIds?: string[] }) => ({
  id,
  mac: null,
  ips: [],
  groupIds: [],
  requiresTunnel: false,
  ...over,
});
const devices = [
  device("tv", { mac: "02:00:00:00:00:01", groupIds: ["family"] }),
  device("printer", { ips: ["10.0.0.9", "fd00::9"], groupIds: ["family"] }),
  device("other", { mac: "02:00:00:00:00:02" }),
];
const facts = {
  links: [
    { name: "lan0", up: true },
    { name: "lan0.10", up: true, vlan: 10 },
  ],
  hops: [],
};
const lan = ["lan0", "lan0.10"];
const window = { scheduleId: "s", fromMs: 60_000, untilMs: 120_000, untilUptimeSec: 100 };
const nothing = { macs: [], interfaces: [], from: { v4: [], v6: [] }, to: { v4: [], v6: [] } };

test.each([
  ["device", "tv", { macs: ["02:00:00:00:00:01"] }],
  ["device", "printer", { from: { v4: ["10.0.0.9"], v6: ["fd00::9"] } }],
  ["device", "gone", {}],
  ["device_group", "family", { macs: ["02:00:00:00:00:01"], from: { v4: ["10.0.0.9"], v6: ["fd00::9"] } }],
  ["subnet", "10.0.0.0/24", { from: { v4: ["10.0.0.0/24"], v6: [] } }],
  ["destination", "2001:db8::/32", { to: { v4: [], v6: ["2001:db8::/32"] } }],
  ["interface", "lan0", { interfaces: ["lan0"] }],
  ["interface", "wan0", {}],
  ["vlan", "10", { interfaces: ["lan0.10"] }],
  ["all", "", { interfaces: lan }],
] as const)("window: of a policy by %s %s it has what the policy matches", (sourceType, sourceValue, expected) => {
  const intent = intentWith({
    network: { ...network, lan },
    devices,
    windows: [{ ...window, policies: [policy("p", { sourceType, sourceValue, scheduleId: "s" })] }],
  });
  expect(windowsOf(intent, facts)).toEqual([
    { cause: "schedule s", fromSec: 60, untilSec: 120, untilUptimeSec: 100, ...nothing, ...expected },
  ]);
});

test("window: what several policies match is in it once", () => {
  const by = (sourceType: "subnet" | "device" | "device_group", sourceValue: string) =>
    policy(sourceValue, { sourceType, sourceValue, scheduleId: "s" });
  const policies = [
    by("device", "tv"),
    by("device_group", "family"),
    by("subnet", "10.0.0.0/25"),
    by("subnet", "10.0.0.0/24"),
  ];
  expect(windowsOf(intentWith({ devices, windows: [{ ...window, policies }] }), facts)).toMatchObject([
    { macs: ["02:00:00:00:00:01"], from: { v4: ["10.0.0.0/24"], v6: ["fd00::9"] } },
  ]);
});

const schedules = [
  { id: "nights", name: "Nights", days: ["monday", "friday"], from: "21:00", to: "07:00", note: "" },
  { id: "noon", name: "Noon", days: [...weekdays], from: "12:00", to: "13:00", note: "" },
  { id: "whole", name: "Whole", days: [...weekdays], from: "00:00", to: "00:00", note: "" },
] satisfies Resources["schedule"];
const hosts: Resources["device"] = devices.map(({ id, mac, ips, groupIds }) => ({
  id,
  name: id,
  mac,
  ips,
  group_ids: groupIds,
  hostname: null,
  vendor: null,
  notes: "",
  state: "known",
  privacy_class: null,
  trust_class: null,
  profile_id: null,
  first_seen: "",
}));
const source = fc.constantFrom<readonly [Policy["source_type"], string]>(
  ["device", "tv"],
  ["device", "printer"],
  ["device_group", "family"],
  ["subnet", "10.0.0.0/24"],
  ["interface", "lan0"],
  ["destination", "203.0.113.0/24"],
  ["all", ""],
);
const policies = fc.array(
  fc.record({
    source,
    priority: fc.integer({ min: 1, max: 4 }),
    enabled: fc.boolean(),
    fail_policy: fc.constantFrom("fail-closed" as const, "fail-open" as const, "fail-over" as const),
    target: fc.constantFrom("t1", "t2", "gone", undefined),
    schedule_id: fc.constantFrom("nights", "noon", "whole", null),
  }),
  { maxLength: 8 },
);

test("schedules: at any time, packets are steered as with the policies alone whose schedule is active then", () =>
  fc.assert(
    fc.property(policies, fc.integer({ min: 0, max: 7 * 24 * 60 }), (wanted, minute) => {
      const at = new Date(2026, 10, 16, 0, minute);
      const routing_policy = wanted.map(({ source: [source_type, source_value], target, ...it }, index) => ({
        ...it,
        id: `p${index}`,
        name: `p${index}`,
        source_type,
        source_value,
        splitting: false,
        profile_id: null,
        hops: target === undefined ? [] : [{ type: "vpn" as const, target }],
      }));
      const isInForce = ({ schedule_id }: (typeof routing_policy)[number]) =>
        schedule_id === null || isActiveAt(schedules.find(({ id }) => id === schedule_id)!, at);
      const resources: Resources = {
        device: hosts,
        device_group: [{ id: "family" }],
        privacy_class: [],
        trust_class: [],
        profile: [],
        uplinks: [],
        ...noLinkResources,
        schedule: schedules,
        routing_policy,
      };
      const alone = { ...resources, routing_policy: routing_policy.filter(isInForce) };
      const observed = { links: ["lan0", "wan0", "t1", "t2"].map((name) => ({ name, up: name !== "t2" })) };
      const compiled = (intent: ReturnType<typeof intentOf>) => {
        const { desired } = compiledFrom(intent, { observed });
        const { windows, ...steering } = desired.steering;
        return { windows, rest: { steering, guard: desired.guard, protection: desired.protection } };
      };
      const scheduled = compiled(intentOf(resources, network, [], periodsAt(resources, at)));
      const filtered = compiled(intentOf(alone, network, []));
      expect(scheduled.rest).toEqual(filtered.rest);
      const ending = new Set(routing_policy.flatMap((it) => (it.enabled && it.schedule_id) || []));
      ending.delete("whole");
      expect(scheduled.windows).toHaveLength(ending.size);
    }),
    { numRuns: 100 },
  ));
