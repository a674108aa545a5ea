import { parseAddress } from "../daemon/src/net/addresses.ts";
import { sourceTypes } from "@portcullis/contract/subsystems/routing";
import fc from "fast-check";
import type { Facts } from "../daemon/src/compiler/input/facts.ts";
import { type Intent, type IntentPolicy, noLinks } from "../daemon/src/compiler/input/intent.ts";
import type { Packet } from "../daemon/src/compiler/policy/packet.ts";

/*
 * Random policies over a small network, and packets of it: few values each, so that policies overlap and packets match.
 */
const lan = ["lan0", "lan1", "lan0.10"];
export const factsOfAny: Facts = {
  links: [
    { name: "lan0", up: true },
    { name: "lan1", up: true },
    { name: "lan0.10", up: true, vlan: 10 },
  ],
  hops: [
    { type: "vpn", target: "nl", interface: "wg0", up: true },
    { type: "vpn", target: "se", interface: "wg1", up: false },
    { type: "vpn", target: "ch", interface: "wg2", up: true },
    { type: "interface", target: "wan", interface: "wan0", up: true },
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
      fc.constantFrom("nl", "se", "ch", "gone", "wan").map((target) => ({
        type: target === "wan" ? ("interface" as const) : ("vpn" as const),
        target,
      })),
      { maxLength: 3 },
    ),
    failPolicy: fc.constantFrom("fail-closed" as const, "fail-open" as const, "fail-over" as const),
    splitting: fc.boolean(),
  }),
);
export const anyIntent: fc.Arbitrary<Intent> = fc.record({
  network: fc.record({
    lan: fc.constant(lan),
    wan: fc.constant("wan0"),
    uplinks: fc.constant(["wan0"]),
    defaultEgress: fc.constantFrom("direct" as const, "block" as const),
    vlans: fc.constantFrom([], [{ interface: "lan1", parent: "port0", id: 20, addresses: [] }]),
  }),
  devices: fc.record({ demanding: fc.boolean(), grouped: fc.boolean() }).map(({ demanding, grouped }) => [
    { id: "d1", mac: "02:00:00:00:00:01", ips: ["10.0.0.2"], groupIds: ["g1"], requiresTunnel: demanding },
    { id: "d2", mac: "02:00:00:00:00:02", ips: [], groupIds: grouped ? ["g1", "g2"] : [], requiresTunnel: false },
    { id: "d3", mac: null, ips: ["192.168.9.9", "fd00::2"], groupIds: ["g2"], requiresTunnel: demanding },
    { id: "d4", mac: null, ips: [], groupIds: [], requiresTunnel: true },
  ]),
  dns: fc.constant(null),
  groups: fc.constant(["g1", "g2", "empty"]),
  policies: fc
    .array(policy, { maxLength: 12 })
    .map((all) => all.map((it, index) => ({ ...it, id: `p${String(index).padStart(2, "0")}` }))),
  exceptions: fc.constant([]),
  disabledPolicies: fc.constant([]),
  tunnels: fc.constant([]),
  proxies: fc.constant([]),
  bridges: fc.constant([]),
  covers: fc.constant([]),
  uplinks: fc.constant(noLinks.uplinks),
  segments: fc.constant([]),
  dhcp: fc.constant([]),
  advertisements: fc.constant([]),
});
export const anyPacket: fc.Arbitrary<Packet> = fc.record({
  interface: fc.constantFrom(...lan),
  mac,
  source: fc.option(
    source.map((it) => parseAddress(it)!),
    { nil: undefined },
  ),
  destination: destination.map((it) => parseAddress(it)!),
  domain: fc.option(fc.constantFrom("example.org", "www.news.example.org", "example.com"), { nil: undefined }),
});
