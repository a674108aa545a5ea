import { Problem } from "@portcullis/contract/problem";
import { expect, test } from "vitest";
import type { StagedBridge } from "./bridges.status.ts";
import { interfaceFor, refuseCutOff, refuseImpossible, normalizeAddresses } from "./rules.ts";

const bridge = (change: Partial<StagedBridge> = {}): StagedBridge => ({
  id: "1",
  name: "Home",
  interface: "br-home",
  members: ["eth2"],
  addresses: [],
  stp: false,
  enabled: true,
  ...change,
});
const around = {
  others: [bridge({ id: "2", name: "Guests", interface: "br-guests", members: ["eth7"] })],
  lan: ["br-home", "eth1"],
  uplinks: ["eth0", "wwan0"],
  tunnels: ["wg-nl"],
  vlans: [{ name: "Cameras", interface: "eth2.10", parent: "eth3" }],
};

/** The sentence it is refused with. */
function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return `${(error as Problem).code}: ${(error as Problem).message}`;
  }
  return "accepted";
}

test.each([
  ["its ports are free", {}, "accepted"],
  ["it has no ports yet", { members: [] }, "accepted"],
  ["it is off and prepares for the LAN interface", { members: ["eth1"], enabled: false }, "accepted"],
  ["a port is in another bridge", { members: ["eth7"] }, "eth7 is a port of the bridge Guests already"],
  ["a port is the uplink", { members: ["eth2", "eth0"] }, "eth0 is an uplink"],
  ["a port is the second uplink, while it is off", { members: ["wwan0"], enabled: false }, "wwan0 is an uplink"],
  ["a port is a tunnel", { members: ["wg-nl"] }, "wg-nl is a tunnel"],
  ["a port is another bridge", { members: ["br-guests"] }, "br-guests is a bridge itself"],
  ["a port is the bridge", { members: ["br-home"] }, "br-home is a bridge itself"],
  ["a port is the loopback", { members: ["lo"] }, "lo cannot be a port"],
  ["a port is a LAN of the gateway", { members: ["eth1"] }, "eth1 is a LAN interface of the gateway"],
  ["a port is a VLAN of the gateway", { members: ["eth2.10"] }, "eth2.10 is the VLAN Cameras"],
  ["a port has a VLAN of the gateway", { members: ["eth3"] }, "eth3 is the parent of the VLAN Cameras"],
  ["its interface is another's", { interface: "br-guests" }, "br-guests is the interface of another bridge"],
  ["its interface is a port of another", { interface: "eth7" }, "eth7 is a port of the bridge Guests"],
  ["its interface is a tunnel", { interface: "wg-nl" }, "wg-nl is the interface of a tunnel"],
  ["its interface is a VLAN", { interface: "eth2.10" }, "eth2.10 is the interface of a VLAN"],
  ["its interface is reserved", { interface: "all" }, "all is reserved by the kernel"],
] as const)("bridge rules: a bridge is judged when %s", (_, change, verdict) =>
  expect(refusalOf(() => refuseImpossible(bridge(change as Partial<StagedBridge>), around))).toContain(verdict),
);

test.each([
  ["goes", undefined, "conflict: br-home"],
  ["is switched off", bridge({ enabled: false }), "conflict: br-home"],
  ["gets another interface", bridge({ interface: "br0" }), "conflict: br-home"],
  ["only changes", bridge({ members: [], stp: true }), "accepted"],
])("bridge rules: a bridge that is a LAN interface %s", (_, after, verdict) =>
  expect(refusalOf(() => refuseCutOff(bridge(), after, around))).toContain(verdict),
);

test("bridge rules: a disabled bridge, or one that is not a LAN interface, can be removed", () => {
  expect(refusalOf(() => refuseCutOff(bridge({ enabled: false }), undefined, around))).toBe("accepted");
  expect(refusalOf(() => refuseCutOff(bridge({ interface: "br1" }), undefined, around))).toBe("accepted");
  expect(refusalOf(() => refuseCutOff(bridge({ interface: "eth3" }), undefined, around))).toContain(
    "eth3 is the parent of the VLAN Cameras",
  );
});

test("bridge rules: addresses keep the host's part and get their one spelling", () =>
  expect(normalizeAddresses(["192.168.1.1/24", "FD00:0::1/64", "fd00::1/64", "10.0.0.1/32"])).toEqual([
    "192.168.1.1/24",
    "fd00::1/64",
    "10.0.0.1/32",
  ]));

test.each(["192.168.1.1", "192.168.1.1/33", "192.168.01.1/24", "fd00::1/129", "/24", "10.0.0.1/24/8"])(
  "bridge rules: %s is no address of a bridge",
  (text) => expect(refusalOf(() => normalizeAddresses([text]))).toContain("invalid_request"),
);

test.each([
  ["Home", "br-home"],
  ["Küche & Bad", "br-kuche-bad"],
  ["The Garden Shed", "br-the-garden-s"],
  ["Twelve sign s", "br-twelve-sign"],
  ["客厅", "br-89abcdef"],
])("bridge rules: %s is called %s in the kernel", (name, expected) => {
  const made = interfaceFor(name, "01890000-0000-7000-8000-000089abcdef");
  expect(made).toBe(expected);
  expect(made).toMatch(/^[a-z0-9][a-z0-9._-]{0,14}$/);
});
