import { expect, test } from "vitest";
import { decide } from "../compiler/policy/decide.ts";
import type { Facts } from "../compiler/input/facts.ts";
import { type Intent, type IntentPolicy, noLinks } from "../compiler/input/intent.ts";
import { openEpochMark } from "../engines/nftables/marks.model.ts";
import { staleFlows } from "./flows.ts";
import type { KernelFlow } from "./kernel.parse.ts";
import { type Plan, subjectsOf } from "./subjects.ts";

const generation = 0x01_0007;
const phone = "10.0.0.2";
const policy = (id: string, more: Partial<IntentPolicy>): IntentPolicy => ({
  id,
  priority: 1,
  sourceType: "device",
  sourceValue: "phone",
  hops: [],
  failPolicy: "fail-open",
  splitting: false,
  ...more,
});
const byTunnel = policy("phone", { priority: 9, hops: [{ type: "vpn", target: "t1" }], failPolicy: "fail-closed" });
const facts: Facts = {
  links: [
    { name: "lan0", up: true, networks: ["10.0.0.0/24"] },
    { name: "wan0", up: true, addresses: ["192.0.2.1"] },
    { name: "t1", up: true },
  ],
  hops: [{ type: "vpn", target: "t1", interface: "t1", up: true }],
};

/** The devices for which a flow to 203.0.113.5 by the uplink, with this mark, is a leak. */
function leakingWith(mark: number, { policies = [byTunnel], uplinks = ["wan0"], domain = "" } = {}): string[] {
  const network = { lan: ["lan0"], wan: "wan0", uplinks, defaultEgress: "direct" } as const;
  const devices = [{ id: "phone", mac: "02:00:00:00:00:01", ips: [phone], groupIds: [], requiresTunnel: false }];
  const intent: Intent = { network, devices, groups: [], policies, exceptions: [], ...noLinks };
  const plan: Plan = {
    intent,
    facts,
    decisions: decide(intent, facts),
    kernelIds: {
      plans: new Map(),
      redirectors: new Map(),
      egresses: new Map([
        ["t1", 2],
        ["wan0", 3],
      ]),
      domains: new Map([["by name", 5]]),
    },
  };
  const flow: KernelFlow = {
    family: 4,
    protocol: "udp",
    source: phone,
    destination: "203.0.113.5",
    port: 6666,
    answerFrom: "203.0.113.5",
    answerTo: "192.0.2.1",
    mark,
    text: "udp …",
  };
  const addresses = JSON.stringify([{ ifname: "wan0", addr_info: [{ local: "192.0.2.1" }] }]);
  const nothing = { addresses: "[]", rules: "[]", routes: "[]" };
  const elem = domain === "" ? [] : [[{ elem: { val: "203.0.113.5", timeout: 60, expires: 9 } }, domain]];
  const found = staleFlows(plan, {
    flows: [flow],
    ip: { links: "[]", withoutIpv6: [], v4: { ...nothing, addresses }, v6: nothing },
    ruleset: `canary_${generation}`,
    steering: JSON.stringify({ nftables: [{ map: { name: "domain4", elem } }] }),
  });
  const subjects = subjectsOf(plan, devices, (id) => id, []);
  return found.flatMap((it) => subjects.filter(it.appliesTo).map(({ id }) => id));
}

const direct = (generation << 8) | 1;
const byUplink = (generation << 8) | 3;

test("flows: a flow with the direct egress is a leak of a device that must use a tunnel", () => {
  expect(leakingWith(direct)).toEqual(["phone"]);
  expect(leakingWith(openEpochMark(generation) | 1)).toEqual(["phone"]);
  expect(leakingWith(0)).toEqual(["phone"]); // It was not decided at all.
});

test("flows: with several uplinks the number of any uplink in the mark is a leak", () => {
  expect(leakingWith(byUplink, { uplinks: ["wan0", "wan1"] })).toEqual(["phone"]);
});

test("flows: no leak is a flow of an earlier epoch, or of an exception, which its next packet decides again", () => {
  expect(leakingWith(((generation - 1) << 8) | 1)).toEqual([]);
  expect(leakingWith(openEpochMark(generation - 1) | 1)).toEqual([]);
  expect(leakingWith(0x00ee_0001)).toEqual([]);
});

test("flows: a policy for the destination allows the flow if its rank is lower than that of the device", () => {
  const there = policy("there", { sourceType: "destination", sourceValue: "203.0.113.0/24" });
  expect(leakingWith(direct, { policies: [there, byTunnel] })).toEqual([]);
  expect(leakingWith(direct, { policies: [byTunnel, { ...there, priority: 10 }] })).toEqual(["phone"]);
});

test("flows: a policy for a domain allows the flow to addresses in its set if its rank is lower", () => {
  const named = policy("by name", { sourceType: "domain", sourceValue: "example.org" });
  expect(leakingWith(direct, { policies: [named, byTunnel], domain: "4000:5" })).toEqual([]);
  expect(leakingWith(direct, { policies: [named, byTunnel], domain: "4000:6" })).toEqual(["phone"]);
  expect(leakingWith(direct, { policies: [named, byTunnel] })).toEqual(["phone"]);
  expect(leakingWith(direct, { policies: [byTunnel, { ...named, priority: 10 }], domain: "4000:5" })).toEqual([
    "phone",
  ]);
});
