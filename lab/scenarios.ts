import { sourceTypes } from "@portcullis/contract/subsystems/routing";
import type { Facts } from "../daemon/src/compiler/facts.ts";
import type { Intent, IntentPolicy } from "../daemon/src/compiler/intent.ts";
import { lanInterfaces, links, type Probe, tunnels, wanInterface } from "./crossroads.ts";

type Random = () => number;

const macs = ["02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:03"] as const;
const sources = {
  4: ["10.0.0.2", "10.0.0.9", "10.0.0.200", "10.0.1.5"],
  6: ["fd00::2", "fd00::9", "fd00:1::5"],
} as const;
const destinations = {
  4: ["203.0.113.5", "198.51.100.7", "198.51.100.8", "9.9.9.9"],
  6: ["2001:db8:f::1", "2001:db8:e::1"],
} as const;
const sourceValues: Readonly<Record<(typeof sourceTypes)[number], readonly string[]>> = {
  all: [""],
  interface: lanInterfaces,
  vlan: ["10"],
  subnet: [
    "10.0.0.0/25",
    "10.0.0.128/25",
    "10.0.0.0/16",
    "10.0.1.0/24",
    "0.0.0.0/0",
    "fd00::/64",
    "fd00:1::/64",
    "::/0",
    "10.0.0.2",
  ],
  device: ["d1", "d2", "d3", "gone"],
  device_group: ["g1", "g2", "empty"],
  destination: ["203.0.113.0/24", "198.51.100.7", "198.51.100.0/24", "0.0.0.0/0", "2001:db8:f::/48", "::/0"],
  domain: ["example.org"],
};

/** Any policies at all, over a few devices and addresses, so that they overlap often; hops up and down. */
export function randomScenario(random: Random): { intent: Intent; facts: Facts; probes: Probe[] } {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const policy = (place: number): IntentPolicy => {
    const sourceType = pick(sourceTypes);
    return {
      id: `policy-${place}`,
      priority: Math.floor(random() * 5),
      sourceType,
      sourceValue: pick(sourceValues[sourceType]),
      hops: Array.from({ length: Math.floor(random() * 4) }, () => ({
        type: "vpn" as const,
        target: pick([...tunnels, "gone"]),
      })),
      failPolicy: pick(["fail-closed", "fail-open", "fail-over"] as const),
      splitting: random() < 0.3,
    };
  };
  const intent: Intent = {
    network: { lan: [...lanInterfaces], wan: wanInterface, defaultEgress: pick(["direct", "block"] as const) },
    devices: [
      { id: "d1", mac: macs[0], ips: [], groupIds: ["g1"], requiresTunnel: random() < 0.2 },
      { id: "d2", mac: macs[1], ips: [], groupIds: random() < 0.5 ? ["g1", "g2"] : ["g2"], requiresTunnel: false },
      { id: "d3", mac: null, ips: ["10.0.0.9", "fd00::9"], groupIds: ["g2"], requiresTunnel: random() < 0.2 },
    ],
    groups: ["g1", "g2", "empty"],
    policies: Array.from({ length: Math.floor(random() * 16) }, (_, place) => policy(place)),
  };
  const facts: Facts = {
    links,
    hops: tunnels.map((target) => ({ type: "vpn", target, interface: target, up: random() < 0.7 })),
  };
  const probes = Array.from({ length: 24 }, (_, place): Probe => {
    const family = random() < 0.4 ? 6 : 4;
    return {
      interface: pick(lanInterfaces),
      mac: pick(macs),
      source: pick(sources[family]),
      destination: pick(destinations[family]),
      port: 1000 + place,
    };
  });
  return { intent, facts, probes };
}
