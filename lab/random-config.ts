import { exceptionTypes } from "@portcullis/contract/subsystems/exceptions";
import { sourceTypes } from "@portcullis/contract/subsystems/routing";
import { lanInterfaces, type Probe, tunnels, type Egress, wanInterface } from "./topology-egresses.ts";
import { destinations, type Random, sources, sourceValues } from "./scenarios.ts";

/** Changes that an operator makes and applies, and packets to evaluate afterwards. */
export interface ConfigStep {
  /** The egresses that are up meanwhile. */
  readonly up: ReadonlySet<Egress>;
  readonly beforeApply: readonly ConfigRequest[];
  readonly afterApply: readonly ConfigRequest[];
  readonly packets: readonly Packet[];
}

/** Something to make, or to change: then `path` is followed by the id of what has this name. Bodies name what they refer to. */
export interface ConfigRequest {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly name: string;
  readonly body: object;
}

export interface Packet {
  /** The caller chooses the port. */
  readonly probe: Omit<Probe, "port">;
  /** The same packet as an evaluation query, in one of several spellings. */
  readonly query: object;
}

const [lan] = lanInterfaces;
/** The last one belongs to no device. */
const macs = ["02:00:00:00:00:0a", "02:00:00:00:00:0b", "02:00:00:00:00:0c", "02:00:00:00:00:ff"] as const;
const groups = ["g1", "g2", "empty"] as const;
const profiles = ["profile 1", "profile 2"] as const;
/** Policies can name the device `unidentified`, which has neither MAC nor address; exceptions cannot. */
const recognisable = ["d1", "d2", "d3", "d4"] as const;
const maxPolicies = 16;

/**
 * Random policies, devices and exceptions, as an operator would create them, and then changes of some of them. Few
 * devices and addresses, so that they overlap often.
 */
export function randomConfig(random: Random): readonly ConfigStep[] {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const times = <T>(most: number, make: (index: number) => T): T[] =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, (_, index) => make(index));
  const some = <T>(all: readonly T[], part: number): T[] => all.filter(() => random() < part);
  const mac = (it: string) => pick([it, it.toUpperCase(), it.replaceAll(":", "-")]);
  const address = (it: string) => pick([it, it.toUpperCase(), it.replace("::", ":0::")]);

  const hop = () => {
    const type = pick(["vpn", "vpn", "vpn", "interface", "proxy"] as const);
    return { type, target: pick(type === "interface" ? [...tunnels, wanInterface] : [...tunnels, ...tunnels, "gone"]) };
  };
  // A chain of interfaces that another program made has no egress; a split or a single one has.
  const hops = () => {
    const kind = random();
    if (kind < 0.35) return tunnels.map((target) => ({ type: "vpn", target }));
    return kind < 0.6 ? [{ type: "vpn", target: pick(tunnels) }] : times(3, hop);
  };
  const how = () => ({ fail_policy: pick(["fail-closed", "fail-open", "fail-over"]), splitting: random() < 0.5 });
  const profile = () => ({ hops: hops(), ...how() });

  const values: Readonly<Record<(typeof sourceTypes)[number], readonly string[]>> = {
    ...sourceValues,
    interface: [lan, ...lanInterfaces],
    device: [...recognisable, "unidentified"],
    device_group: groups,
  };
  function policy(): object {
    const source_type = pick(sourceTypes);
    return {
      priority: Math.floor(random() * 8),
      enabled: random() < 0.85,
      source_type,
      source_value: pick(values[source_type]),
      ...how(),
      ...(random() < 0.2 ? { profile_id: pick(profiles), hops: [] } : { profile_id: null, hops: hops() }),
    };
  }
  const policyName = (index: number) => `policy ${index}`;

  const device = () => ({
    group_ids: some(["g1", "g2"], 0.5),
    state: random() < 0.08 ? "quarantined" : pick(["known", "new"]),
    privacy_class: random() < 0.15 ? "demanding" : null,
    trust_class: random() < 0.15 ? "guests" : null,
  });
  /** By what they are known. Two may share an address, but no MAC; the third device gets and loses one. */
  const identity: Readonly<Record<string, () => object>> = {
    d1: () => ({ mac: mac(macs[0]) }),
    d2: () => ({ mac: mac(macs[1]), ips: ["10.0.0.2", address("fd00::2")] }),
    d3: () => ({ mac: random() < 0.3 ? mac(macs[2]) : null, ips: ["10.0.0.9", address("fd00::9")] }),
    d4: () => ({ ips: pick([["10.0.0.9"], ["10.0.0.200"], [address("fd00::9")]]) }),
    unidentified: () => ({}),
  };
  const devices = Object.keys(identity);
  const described = (name: string) => ({ ...device(), ...identity[name]!() });

  let exceptionsMade = 0;
  function exception(): ConfigRequest {
    const type = pick(exceptionTypes);
    const limited = type === "service-allowlist" || type === "captive-portal";
    const body = {
      type,
      device_id: pick(recognisable),
      duration_min: 10 + Math.floor(random() * 10),
      ...(limited && { destinations: [...new Set([pick(values.destination), ...some(values.destination, 0.1)])] }),
    };
    return { method: "POST", path: "/exceptions", name: `exception ${(exceptionsMade += 1)}`, body };
  }

  function packet(): Packet {
    const family = random() < 0.4 ? 6 : 4;
    const name = pick([lan, lan, ...lanInterfaces]);
    const probe = {
      interface: name,
      mac: pick(macs),
      source: pick<string>(sources[name][family]),
      destination: pick(destinations[family]),
    };
    const query = {
      mac: mac(probe.mac),
      source: address(probe.source),
      destination: address(probe.destination),
      ...((probe.interface !== lan || random() < 0.5) && { interface: probe.interface }),
    };
    return { probe, query };
  }
  const around = () => ({
    up: new Set<Egress>([wanInterface, ...some(tunnels, 0.7)]),
    packets: Array.from({ length: 24 }, packet),
  });

  const policies = Math.floor(random() * (maxPolicies + 1));
  const first: ConfigStep = {
    ...around(),
    beforeApply: [
      make("/privacy-classes", "demanding", { require_tunnel: true }),
      make("/trust-classes", "guests", { default_privacy_class: "demanding" }),
      ...profiles.map((name) => make("/profiles", name, profile())),
      ...groups.map((name) => make("/device-groups", name, {})),
      ...devices.map((name) => make("/devices", name, described(name))),
      ...Array.from({ length: policies }, (_, index) => make("/routing/policies", policyName(index), policy())),
      ...(random() < 0.5 ? [] : times(3, exception)),
    ],
    afterApply: random() < 0.5 ? [] : times(2, exception),
  };
  const second: ConfigStep = {
    ...around(),
    beforeApply: [
      ...some(profiles, 0.3).map((name) => change("/profiles", name, profile())),
      ...some(devices, 0.3).map((name) => change("/devices", name, described(name))),
      ...some([...Array(policies).keys()], 0.3).map((index) =>
        change("/routing/policies", policyName(index), policy()),
      ),
    ],
    afterApply: random() < 0.7 ? [] : [exception()],
  };
  return [first, second];
}

const make = (path: string, name: string, body: object): ConfigRequest => ({
  method: "POST",
  path,
  name,
  body: { name, ...body },
});
const change = (path: string, name: string, body: object): ConfigRequest => ({ method: "PUT", path, name, body });
