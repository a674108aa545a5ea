import { expect, test } from "vitest";
import { ownSec } from "../../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../../testing/deadline.ts";
import { intentWith, proxy, proxyHop, tunnel, vpn } from "../../../../testing/intent.ts";
import { conflicts } from "./conflicts.ts";
import { type Facts, factsFor } from "../input/facts.ts";
import { type Intent, type IntentPolicy, noLinks } from "../input/intent.ts";

const facts: Facts = { links: [], hops: [{ type: "vpn", target: "nl", interface: "wg0", up: true }] };
const nl = [{ type: "vpn" as const, target: "nl" }];

const policy = (id: string, over: Partial<IntentPolicy>): IntentPolicy => ({
  id,
  priority: 10,
  sourceType: "subnet",
  sourceValue: "10.0.0.0/24",
  hops: [],
  failPolicy: "fail-closed",
  splitting: false,
  ...over,
});

function found(...policies: IntentPolicy[]): string[] {
  const intent: Intent = {
    network: { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" },
    groups: ["g1", "g2"],
    devices: [
      { id: "d1", mac: "02:00:00:00:00:01", ips: [], groupIds: ["g1", "g2"], requiresTunnel: false },
      { id: "d2", mac: "02:00:00:00:00:02", ips: [], groupIds: ["g2"], requiresTunnel: false },
    ],
    policies,
    exceptions: [],
    ...noLinks,
  };
  return conflicts(intent, facts).map(({ kind, policy_id, other_id }) =>
    `${kind} ${policy_id} ${other_id ?? ""}`.trimEnd(),
  );
}

test("conflicts: policies without common traffic have none", () => {
  expect(
    found(
      policy("a", {}),
      policy("b", { sourceValue: "10.0.1.0/24", hops: nl }),
      policy("c", { sourceType: "destination", hops: nl }),
    ),
  ).toEqual([]);
});

test.each<[string, IntentPolicy, IntentPolicy]>([
  ["the same network", policy("a", {}), policy("b", { hops: nl })],
  ["a network within the other", policy("a", { sourceValue: "10.0.0.0/8" }), policy("b", { hops: nl })],
  ["an address within a network", policy("a", {}), policy("b", { sourceValue: "10.0.0.7", hops: nl })],
  ["IPv6 networks", policy("a", { sourceValue: "fd00::/16" }), policy("b", { sourceValue: "fd00:1::/32", hops: nl })],
  [
    "a domain within the other",
    policy("a", { sourceType: "domain", sourceValue: "org" }),
    policy("b", { sourceType: "domain", sourceValue: "a.example.org", hops: nl }),
  ],
  [
    "groups with a common member",
    policy("a", { sourceType: "device_group", sourceValue: "g1" }),
    policy("b", { sourceType: "device_group", sourceValue: "g2", hops: nl }),
  ],
  [
    "everything twice",
    policy("a", { sourceType: "all", sourceValue: "" }),
    policy("b", { sourceType: "all", sourceValue: "", failPolicy: "fail-open" }),
  ],
])("conflicts: %s with different hops at one priority contradict, at two they do not", (_, a, b) => {
  expect(found(a, b).filter((it) => it.startsWith("contradiction"))).not.toEqual([]);
  expect(found(a, { ...b, priority: 11 }).filter((it) => it.startsWith("contradiction"))).toEqual([]);
});

test("conflicts: an earlier, wider policy shadows a later one, unless it fails over", () => {
  const wide = policy("wide", { sourceType: "domain", sourceValue: "org", priority: 1 });
  const narrow = policy("narrow", { sourceType: "domain", sourceValue: "example.org", hops: nl });
  expect(found(wide, narrow)).toEqual(["shadowed narrow wide"]);
  expect(found({ ...wide, priority: 20 }, narrow)).toEqual([]);
  expect(found({ ...wide, failPolicy: "fail-over" }, narrow)).toEqual([]);
});

test("conflicts: a group shadows its devices, and a policy for all shadows every other", () => {
  const device = policy("device", { sourceType: "device", sourceValue: "d1", hops: nl });
  expect(found(policy("group", { sourceType: "device_group", sourceValue: "g1", priority: 1 }), device)).toEqual([
    "shadowed device group",
  ]);
  expect(found(policy("group", { sourceType: "device_group", sourceValue: "g1", priority: 10 }), device)).toEqual([]);
  expect(found(policy("all", { sourceType: "all", sourceValue: "", priority: 1 }), device)).toEqual([
    "shadowed device all",
  ]);
});

test("conflicts: two equal policies are a duplicate", () => {
  expect(found(policy("a", {}), policy("b", {}))).toEqual(["duplicate b a"]);
});

test("conflicts: a policy that names something removed is dangling", () => {
  expect(
    found(
      policy("device", { sourceType: "device", sourceValue: "d9" }),
      policy("group", { sourceType: "device_group", sourceValue: "g9" }),
      policy("hop", { hops: [{ type: "vpn", target: "gone" }] }),
    ),
  ).toEqual(["dangling device", "dangling group", "dangling hop"]);
});

test("conflicts: ten thousand policies are checked quickly", repeatable, () => {
  const many = Array.from({ length: 10_000 }, (_, n) =>
    policy(`p${n}`, { sourceValue: `10.${n >> 8}.${n & 255}.0/24`, hops: n % 2 ? nl : [] }),
  );
  const started = ownSec();
  expect(found(...many)).toEqual([]);
  expectWithin(3, { "search for conflicts": ownSec() - started });
});

/** What is found of hops, in words. */
function hopFindings(...policies: IntentPolicy[]): string[] {
  const intent = intentWith({ policies, tunnels: [tunnel("nl"), tunnel("se")], proxies: [proxy("office")] });
  const around = factsFor(intent, { links: [{ name: "eth7", up: true }] });
  return conflicts(intent, around).map((it) => `${it.kind} ${it.policy_id} ${it.other_id ?? "-"}: ${it.message}`);
}

test("conflicts: two policies that nest one tunnel differently contradict each other, and the hop is named", () => {
  const alone = policy("alone", { priority: 1, sourceValue: "10.0.1.0/24", hops: vpn("nl") });
  const behind = policy("behind", { priority: 2, sourceValue: "10.0.2.0/24", hops: vpn("se", "nl") });
  expect(hopFindings(alone, behind)).toEqual([
    "contradiction behind alone: Hop 2 (nl) runs by the uplink, where another policy needs it",
  ]);
  expect(hopFindings({ ...alone, priority: 3 }, behind)).toEqual([
    "contradiction alone behind: Hop 1 (nl) runs behind wg-se, where another policy needs it",
  ]);
  expect(hopFindings({ ...alone, hops: vpn("se", "nl") }, behind)).toEqual([]);
});

test("conflicts: chains that are impossible are dangling", () => {
  expect(hopFindings(policy("p", { hops: [proxyHop("office"), ...vpn("nl")] }))).toEqual([
    "dangling p -: Hop 2 (nl) cannot be put inside proxy office: a proxy forwards connections only",
  ]);
  expect(hopFindings(policy("p", { hops: vpn("nl", "eth7") }))).toEqual([
    "dangling p -: Hop 2 (eth7) is an interface of another program, which cannot be put inside wg-nl",
  ]);
  expect(hopFindings(policy("p", { hops: vpn("nl", "nl") }))).toEqual([
    "contradiction p p: Hop 2 (nl) runs by the uplink, where another policy needs it",
  ]);
});

test("conflicts: of hops behind an unknown one, only the unknown one is reported", () => {
  expect(hopFindings(policy("p", { hops: vpn("gone", "nl") }))).toEqual([
    "dangling p -: It names the vpn gone, which does not exist",
  ]);
});

test("conflicts: split hops do not contradict each other", () => {
  expect(hopFindings(policy("p", { hops: vpn("nl", "se"), splitting: true }))).toEqual([]);
});

test("conflicts: a policy with a schedule leaves others their traffic at other times, but not one with the same schedule", () => {
  const wide = policy("a", { sourceType: "all", sourceValue: "", scheduleId: "nights" });
  expect(found(wide, policy("b", { priority: 20 }))).toEqual([]);
  expect(found(wide, policy("b", { priority: 20, scheduleId: "noon" }))).toEqual([]);
  expect(found(wide, policy("b", { priority: 20, scheduleId: "nights" }))).toEqual(["shadowed b a"]);
  expect(found(policy("a", {}), policy("b", { priority: 20, scheduleId: "nights" }))).toEqual(["duplicate b a"]);
});

test("conflicts: schedules do not resolve a contradiction", () => {
  const [a, b] = [policy("a", { scheduleId: "nights" }), policy("b", { scheduleId: "noon", hops: nl })];
  expect(found(a, b).toSorted()).toEqual(["contradiction a b", "contradiction b a"]);
});
