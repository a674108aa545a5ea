import { sentence } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import type { Intent } from "../input/intent.ts";
import { dhcpPlan, subnetOf } from "./dhcp.ts";

const range = { interface: "lan0", first: "192.168.1.100", last: "192.168.1.199", lease_sec: 600 };
const device = (id: string, mac: string | null, ...ips: string[]) =>
  ({ id, mac, ips, groupIds: [], requiresTunnel: false }) as Intent["devices"][number];
const intent = (devices: Intent["devices"] = [], dns: Intent["dns"] | object = null) => ({
  dhcp: [range],
  devices,
  network: { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "block" as const, resolvers: ["9.9.9.9"] },
  dns: dns as Intent["dns"],
  uplinks: { list: [{ interface: "wan1" }] } as unknown as Intent["uplinks"],
});
const links = [
  {
    name: "lan0",
    index: 4,
    up: true,
    addresses: ["fd00::1", "10.0.0.1", "192.168.1.1"],
    networks: ["fd00::/64", "10.0.0.0/24", "192.168.1.0/24"],
  },
];

test("DHCP subnet: the network of the interface that contains the range, with the gateway's address there", () => {
  expect(dhcpPlan(intent(), { links }).subnets).toEqual([
    {
      interface: "lan0",
      link: "4 up",
      network: "192.168.1.0/24",
      gateway: "192.168.1.1",
      resolvers: ["9.9.9.9"],
      first: "192.168.1.100",
      last: "192.168.1.199",
      leaseSec: 600,
      reservations: [],
    },
  ]);
  expect(dhcpPlan(intent([], {}), { links }).subnets[0]!.resolvers).toEqual(["192.168.1.1"]);
});

test("DHCP reservations: one address per device with a MAC, in this network, and never the gateway's own", () => {
  const devices = [
    device("2", "02:00:00:00:00:02", "192.168.1.7"),
    device("1", "02:00:00:00:00:01", "fd00::7", "10.0.0.9", "192.168.1.7", "192.168.1.8"),
    device("3", "02:00:00:00:00:03", "192.168.1.1"),
    device("4", null, "192.168.1.9"),
    device("5", "02:00:00:00:00:05", "192.168.1.5"),
  ];
  expect(dhcpPlan(intent(devices), { links }).subnets[0]!.reservations).toEqual([
    { mac: "02:00:00:00:00:05", address: "192.168.1.5" },
    { mac: "02:00:00:00:00:01", address: "192.168.1.7" },
  ]);
});

test.each([
  ["eth9 is no LAN interface of the gateway", { ...range, interface: "eth9" }, links],
  ["lan0 does not exist", range, []],
  [
    "lan0 has no address in a network that contains 192.168.1.100 and 192.168.1.199",
    range,
    [{ name: "lan0", up: true, addresses: ["192.168.1.1"], networks: ["192.168.1.0/25"] }],
  ],
  [
    "lan0 has no address in a network that contains 192.168.1.100 and 192.168.1.199",
    range,
    [{ name: "lan0", up: true, addresses: [], networks: ["192.168.1.0/24"] }],
  ],
])("DHCP range that cannot be served: %s", (reason, wanted, present) => {
  const found = subnetOf(wanted, intent(), { links: present });
  expect("reason" in found && sentence(found.reason)).toBe(reason);
});

test("DHCP: the server is kept off uplinks that exist, but not off the one whose VLAN is a LAN", () => {
  const present = [...links, ...["wan1", "wan0", "tun0"].map((name) => ({ name, up: true }))];
  expect(dhcpPlan(intent(), { links: present }).closed).toEqual(["wan0", "wan1"]);
  const trunk = present.map((it) => (it.name === "lan0" ? { ...it, lower: "wan0" } : it));
  expect(dhcpPlan(intent(), { links: trunk }).closed).toEqual(["wan1"]);
  expect(dhcpPlan({ ...intent(), dhcp: [] }, { links: present })).toEqual({ subnets: [], closed: [] });
});
