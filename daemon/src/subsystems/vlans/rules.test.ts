import { Problem } from "@portcullis/contract/problem";
import type { PublishedVlan } from "@portcullis/contract/subsystems/vlans";
import { expect, test } from "vitest";
import { interfaceFor, normalizeAddresses, refuseCutOff, refuseImpossible } from "./rules.ts";

const vlan = (change: Partial<PublishedVlan> = {}): PublishedVlan => ({
  id: "1",
  name: "Guests",
  parent: "eth1",
  vlan_id: 10,
  interface: "eth1.10",
  addresses: ["10.10.0.1/24"],
  role: "lan",
  enabled: true,
  ...change,
});
const around = {
  others: [vlan({ id: "2", name: "Cameras", vlan_id: 20, interface: "eth1.20", addresses: ["10.20.0.1/24"] })],
  lan: ["eth1", "eth1.30"],
  lanAddresses: [{ interface: "eth1", address: "192.168.50.1/24" }],
  uplinks: ["eth0", "eth1.100"],
  tunnels: ["wg-nl"],
  bridges: [{ name: "Home", interface: "br0", members: ["eth2"], addresses: ["10.40.0.1/24"] }],
};

/** The sentence it is refused with. */
function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "accepted";
}

test.each([
  ["it is of a LAN interface", {}, "accepted"],
  ["it is of a bridge", { parent: "br0", interface: "br0.10" }, "accepted"],
  ["it is of an uplink", { parent: "eth0", interface: "eth0.10" }, "accepted"],
  ["the bootstrap file names it as LAN", { interface: "eth1.30", vlan_id: 30 }, "accepted"],
  ["it is an uplink", { interface: "eth1.100", vlan_id: 100, role: "uplink", addresses: [] }, "accepted"],
  ["an uplink is to be a LAN", { interface: "eth1.100", vlan_id: 100 }, "eth1.100 is an uplink"],
  ["a LAN is to be an uplink", { interface: "eth1.30", role: "uplink" }, "eth1.30 is a LAN interface"],
  ["the number is taken", { vlan_id: 20 }, "eth1 has VLAN 20 already: Cameras"],
  ["the number is taken on another parent", { vlan_id: 20, parent: "eth5", interface: "eth5.20" }, "accepted"],
  ["the interface is taken", { interface: "eth1.20" }, "eth1.20 is the interface of another VLAN"],
  ["the interface is a parent", { interface: "eth1", parent: "eth5" }, "eth1 is the parent of another VLAN"],
  ["the interface is a tunnel", { interface: "wg-nl" }, "wg-nl is the interface of a tunnel"],
  ["the interface is a bridge", { interface: "br0" }, "br0 is the interface of a bridge"],
  ["the interface is a port", { interface: "eth2" }, "eth2 is a port of the bridge Home"],
  ["the interface is reserved", { interface: "all" }, "all is reserved by the kernel"],
  ["the parent is itself", { parent: "eth1.10" }, "eth1.10 cannot be its own VLAN"],
  ["the parent is a VLAN", { parent: "eth1.20" }, "eth1.20 is a VLAN itself"],
  ["the parent is a tunnel", { parent: "wg-nl" }, "wg-nl is a tunnel"],
  ["the parent is the loopback", { parent: "lo" }, "lo cannot have VLANs"],
  ["the parent is a port of a bridge", { parent: "eth2" }, "eth2 is a port of the bridge Home: name br0 instead"],
  ["a network is another VLAN's", { addresses: ["10.20.0.9/16"] }, "overlaps with 10.20.0.1/24 of the VLAN Cameras"],
  ["a network is a bridge's", { addresses: ["10.40.0.9/24"] }, "overlaps with 10.40.0.1/24 of the bridge Home"],
  ["a network is the LAN's", { addresses: ["192.168.50.9/24"] }, "overlaps with 192.168.50.1/24 of eth1"],
] as const)("VLAN rules: a VLAN is judged when %s", (_, change, verdict) =>
  expect(refusalOf(() => refuseImpossible(vlan(change as Partial<PublishedVlan>), around))).toContain(verdict),
);

test.each([
  ["a LAN of the bootstrap file goes", "eth1.30", undefined, "conflict: eth1.30 is a LAN interface"],
  ["it is switched off", "eth1.30", { enabled: false }, "conflict: eth1.30 is a LAN interface"],
  ["it gets another interface", "eth1.30", { interface: "eth1.31" }, "conflict: eth1.30 is a LAN interface"],
  ["it gets other addresses", "eth1.30", { addresses: [] }, "accepted"],
  ["an uplink goes", "eth1.100", undefined, "conflict: eth1.100 is an uplink"],
  ["an uplink becomes a LAN", "eth1.100", { role: "lan" }, "conflict: eth1.100 is an uplink"],
  ["any other one goes", "eth1.10", undefined, "accepted"],
] as const)("VLAN rules: nothing is disconnected by mistake when %s", (_, name, change, verdict) => {
  const before = vlan({ interface: name, role: name === "eth1.100" ? "uplink" : "lan" });
  const after = change && ({ ...before, ...change } as PublishedVlan);
  expect(refusalOf(() => refuseCutOff(before, after, around))).toContain(verdict);
});

test("VLAN rules: addresses get their one spelling, and must be those of a host", () => {
  expect(normalizeAddresses(["10.10.0.1/24", "FD10:0::1/64", "fd10::1/64"])).toEqual(["10.10.0.1/24", "fd10::1/64"]);
  for (const bad of ["10.10.0.1", "10.10.0.0/24", "10.10.0.255/24", "10.10.0.1/33", "fd10::1/129"])
    expect(refusalOf(() => normalizeAddresses([bad]))).toContain("invalid_request");
});

test("VLAN rules: the interface is named after parent and number, as far as the kernel has space", () =>
  expect([interfaceFor("eth1", 4094), interfaceFor("enp0s31f6abc", 12), interfaceFor("enp0s31f6abcd", 12)]).toEqual([
    "eth1.4094",
    "enp0s31f6abc.12",
    "vlan12",
  ]));
