import { exceptionTypes } from "@portcullis/contract/subsystems/exceptions";
import { sourceTypes } from "@portcullis/contract/subsystems/routing";
import type { Facts } from "../daemon/src/compiler/input/facts.ts";
import type { Intent } from "../daemon/src/compiler/input/intent.ts";
import { type ActiveException, intentOf, type Resources } from "../daemon/src/compiler/input/read-document.ts";
import { noLinkResources } from "../daemon/src/compiler/input/read-links.ts";
import { lanInterfaces, links, neighbours, type Probe, tunnels, wanInterface } from "./topology-egresses.ts";

export type Random = () => number;

const macs = ["02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:03"] as const;
/** By LAN: from elsewhere they would be forged. */
export const sources = {
  lan0: { 4: ["10.0.0.2", "10.0.0.9", "10.0.0.200"], 6: ["fd00::2", "fd00::9"] },
  lan1: { 4: ["10.0.1.5", "10.0.1.200"], 6: ["fd00:1::5"] },
} as const;
export const destinations = {
  4: ["203.0.113.5", "198.51.100.7", "198.51.100.8", "9.9.9.9", neighbours.lan0[0], neighbours.lan1[0]],
  6: ["2001:db8:f::1", "2001:db8:e::1", neighbours.lan1[1]],
} as const;
export const sourceValues: Readonly<Record<(typeof sourceTypes)[number], readonly string[]>> = {
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

/**
 * Any policies at all, over a few devices and addresses, so that they overlap often; hops up and down, policies switched
 * off or with a profile, devices in groups, exceptions. Read as the daemon reads what is published.
 */
export function randomScenario(random: Random): { intent: Intent; facts: Facts; probes: Probe[] } {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const times = <T>(most: number, make: (index: number) => T): T[] =>
    Array.from({ length: Math.floor(random() * most) }, (_, index) => make(index));
  const hops = () => times(4, () => ({ type: "vpn" as const, target: pick([...tunnels, "gone"]) }));
  const egress = () => ({
    hops: hops(),
    fail_policy: pick(["fail-closed", "fail-open", "fail-over"] as const),
    splitting: random() < 0.3,
  });
  const policy = (index: number) => {
    const source_type = pick(sourceTypes);
    return {
      id: `policy-${index}`,
      name: `policy ${index}`,
      priority: Math.floor(random() * 5),
      enabled: random() < 0.85,
      source_type,
      source_value: pick(sourceValues[source_type]),
      ...egress(),
      profile_id: random() < 0.2 ? "profile" : null,
    };
  };
  const device = (id: string, mac: string | null, ips: string[], group_ids: string[]): Resources["device"][number] => ({
    id,
    name: id,
    mac,
    ips,
    group_ids,
    hostname: null,
    vendor: null,
    notes: "",
    state: random() < 0.05 ? "quarantined" : "known",
    privacy_class: random() < 0.2 ? "demanding" : null,
    trust_class: null,
    profile_id: null,
    first_seen: "",
  });
  const resources = {
    device: [
      device("d1", macs[0], [], ["g1"]),
      device("d2", macs[1], [], random() < 0.5 ? ["g1", "g2"] : ["g2"]),
      device("d3", null, ["10.0.0.9", "fd00::9"], ["g2"]),
    ],
    device_group: [{ id: "g1" }, { id: "g2" }, { id: "empty" }],
    privacy_class: [{ id: "demanding", require_tunnel: true } as Resources["privacy_class"][number]],
    trust_class: [],
    routing_policy: times(16, policy),
    ...noLinkResources,
    segment: lanInterfaces.map((id) => ({
      id,
      name: id,
      reaches: lanInterfaces.filter((it) => it !== id && random() < 0.5),
    })),
    uplinks: [],
    profile: [{ id: "profile", name: "profile", description: "", ...egress(), chain_id: null }],
  };
  const network = {
    lan: [...lanInterfaces],
    wan: wanInterface,
    uplinks: [wanInterface],
    defaultEgress: pick(["direct", "block"] as const),
  };
  const intent = intentOf(resources, network, random() < 0.5 ? [] : times(5, exception));

  function exception(index: number): ActiveException {
    const type = pick(exceptionTypes);
    const limited = type === "service-allowlist" || type === "captive-portal";
    return {
      id: `exception-${index}`,
      type,
      device_id: pick(["d1", "d2", "d3", "gone"]),
      allow_direct: type !== "quarantine",
      destinations: limited ? [pick(sourceValues.destination), ...times(3, () => pick(sourceValues.destination))] : [],
      expires_at: new Date(Date.now() + 600_000 * (1 + random())).toISOString(),
    };
  }
  const facts: Facts = {
    links,
    hops: tunnels.map((target) => ({ type: "vpn", target, interface: target, up: random() < 0.7 })),
  };
  const probes = Array.from({ length: 24 }, (_, index): Probe => {
    const family = random() < 0.4 ? 6 : 4;
    const name = pick(lanInterfaces);
    return {
      interface: name,
      mac: pick(macs),
      source: pick<string>(sources[name][family]),
      destination: pick(destinations[family]),
      port: 1000 + index,
    };
  });
  return { intent, facts, probes };
}
