import { type Address, parseAddress } from "@portcullis/contract/addresses";
import { sourceTypes } from "@portcullis/contract/subsystems/routing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { evaluate, matches, type Packet } from "./evaluate.ts";
import type { Facts } from "./facts.ts";
import { type Intent, type IntentDevice, type IntentException, type IntentPolicy, noCarriers } from "./intent.ts";

const lan = ["lan0", "lan1", "lan0.10"];
const facts: Facts = {
  links: [
    { name: "lan0", up: true },
    { name: "lan1", up: true },
    { name: "lan0.10", up: true, vlan: 10 },
  ],
  hops: [
    { type: "vpn", target: "nl", interface: "wg0", up: true },
    { type: "vpn", target: "se", interface: "wg1", up: false },
    { type: "vpn", target: "ch", interface: "wg2", up: true },
  ],
};
const mac = fc.constantFrom("02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:03");
const source = fc.constantFrom(
  "10.0.0.2",
  "10.0.0.130",
  "10.0.1.7",
  "192.168.9.9",
  "fd00::2",
  "fd00:1::7",
  "2001:db8::1",
);
const destination = fc.constantFrom("198.51.100.1", "203.0.113.9", "10.0.1.7", "2001:db8:1::1", "fd00::2");
const valueOf: Record<(typeof sourceTypes)[number], fc.Arbitrary<string>> = {
  all: fc.constant(""),
  interface: fc.constantFrom(...lan, "eth9"),
  vlan: fc.constantFrom("10", "20"),
  subnet: fc.constantFrom(
    "10.0.0.0/24",
    "10.0.0.128/25",
    "10.0.0.0/8",
    "0.0.0.0/0",
    "fd00::/16",
    "fd00:1::/32",
    "::/0",
    "10.0.0.2",
  ),
  device: fc.constantFrom("d1", "d2", "d3", "d4", "gone"),
  device_group: fc.constantFrom("g1", "g2", "empty"),
  destination: fc.constantFrom("203.0.113.0/24", "198.51.100.1", "0.0.0.0/0", "2001:db8:1::/48", "::/0"),
  domain: fc.constantFrom("example.org", "news.example.org", "org"),
};
const policy: fc.Arbitrary<Omit<IntentPolicy, "id">> = fc.constantFrom(...sourceTypes).chain((sourceType) =>
  fc.record({
    priority: fc.integer({ min: 0, max: 4 }),
    sourceType: fc.constant(sourceType),
    sourceValue: valueOf[sourceType],
    hops: fc.array(
      fc.constantFrom("nl", "se", "ch", "gone").map((target) => ({ type: "vpn" as const, target })),
      { maxLength: 3 },
    ),
    failPolicy: fc.constantFrom("fail-closed" as const, "fail-open" as const, "fail-over" as const),
    splitting: fc.boolean(),
  }),
);
const intent: fc.Arbitrary<Intent> = fc.record({
  network: fc.record({
    lan: fc.constant(lan),
    wan: fc.constant("wan0"),
    uplinks: fc.constant(["wan0"]),
    defaultEgress: fc.constantFrom("direct" as const, "block" as const),
  }),
  devices: fc.record({ demanding: fc.boolean(), grouped: fc.boolean() }).map(({ demanding, grouped }) => [
    { id: "d1", mac: "02:00:00:00:00:01", ips: ["10.0.0.2"], groupIds: ["g1"], requiresTunnel: demanding },
    { id: "d2", mac: "02:00:00:00:00:02", ips: [], groupIds: grouped ? ["g1", "g2"] : [], requiresTunnel: false },
    { id: "d3", mac: null, ips: ["192.168.9.9", "fd00::2"], groupIds: ["g2"], requiresTunnel: demanding },
    { id: "d4", mac: null, ips: [], groupIds: [], requiresTunnel: true },
  ]),
  names: fc.constant(null),
  groups: fc.constant(["g1", "g2", "empty"]),
  policies: fc
    .array(policy, { maxLength: 12 })
    .map((all) => all.map((it, index) => ({ ...it, id: `p${String(index).padStart(2, "0")}` }))),
  exceptions: fc.constant([]),
  resting: fc.constant([]),
  tunnels: fc.constant([]),
  proxies: fc.constant([]),
  bridges: fc.constant([]),
  covers: fc.constant([]),
  uplinks: fc.constant(noCarriers.uplinks),
});
const packet: fc.Arbitrary<Packet> = fc.record({
  interface: fc.constantFrom(...lan),
  mac,
  source: fc.option(
    source.map((it) => parseAddress(it)!),
    { nil: undefined },
  ),
  destination: destination.map((it) => parseAddress(it)!),
  domain: fc.option(fc.constantFrom("example.org", "www.news.example.org", "example.com"), { nil: undefined }),
});

/** First match wins, told as plainly as it can be: no tables, no ranks. */
function firstMatch(it: Intent, at: Packet): string {
  const { ranked } = decide(it, facts);
  const matching = ranked.filter((candidate) => matches(candidate, at, it, facts));
  const decider = matching.find(({ outcome }) => outcome.kind !== "pass");
  if (decider) return JSON.stringify(decider.outcome);
  if (matching.length > 0) return "dropped: all passed on";
  const isSender = ({ mac, ips }: IntentDevice) =>
    mac === null ? ips.some((ip) => at.source !== undefined && isSame(parseAddress(ip)!, at.source)) : mac === at.mac;
  const demands = it.devices.some((device) => device.requiresTunnel && isSender(device));
  return demands ? "dropped: tunnel demanded" : it.network.defaultEgress;
}
const isSame = (a: Address, b: Address) => a.family === b.family && a.value === b.value;

function told(it: Intent, at: Packet): string {
  const verdict = evaluate(at, decide(it, facts), it, facts);
  if (verdict.policyId !== undefined) return JSON.stringify(verdict.outcome);
  if (verdict.outcome.reason.includes("passed on")) return "dropped: all passed on";
  if (verdict.outcome.reason.includes("demands a tunnel")) return "dropped: tunnel demanded";
  return verdict.outcome.kind;
}

test("the tables decide as the first matching policy would", () =>
  fc.assert(
    fc.property(intent, packet, (it, at) => {
      expect(told(it, at)).toBe(firstMatch(it, at));
    }),
    { numRuns: 5000 },
  ));

test("the trace ends with the policy that decided, and no policy before it that matched decided instead", () =>
  fc.assert(
    fc.property(intent, packet, (it, at) => {
      const { policyId, trace } = evaluate(at, decide(it, facts), it, facts);
      if (policyId === undefined) return;
      expect(trace.at(-1)).toMatchObject({ policyId, matched: true, decided: true });
      const heard = trace.slice(0, -1).filter(({ matched }) => matched);
      expect(heard.every(({ reason }) => reason.includes("fails over"))).toBe(true);
    }),
  ));

test("what does not come from the LAN goes nowhere, whatever policies and exceptions say", () => {
  const bypass: IntentException = {
    id: "bypass",
    type: "emergency-bypass",
    effect: "direct",
    deviceId: "d1",
    mac: "02:00:00:00:00:01",
    ips: [],
    destinations: [],
    untilMs: null,
  };
  fc.assert(
    fc.property(intent, packet, fc.constantFrom("wan0", "wg0", "eth9"), (it, at, name) => {
      const excepted = { ...it, exceptions: [bypass] };
      expect(evaluate({ ...at, interface: name }, decide(excepted, facts), excepted, facts)).toEqual({
        outcome: { kind: "block", reason: `${name} is no LAN of the gateway: nothing from there is forwarded` },
        trace: [],
      });
    }),
  );
});
