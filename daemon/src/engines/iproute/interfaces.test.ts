import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseInterfaces } from "./interfaces.parse.ts";

const recording = (name: string) => readFileSync(join(import.meta.dirname, "recordings", name), "utf8");
const [links = "", v4 = ""] = recording("interfaces.txt").trim().split("\n");
const recorded = parseInterfaces({ links, v4, v6: recording("default-v6.txt") });
const named = (name: string) => recorded.find((it) => it.name === name);

test("what ip shows is read", () => {
  expect(recorded.map(({ name, kind, up, carrier }) => [name, kind, up, carrier])).toEqual([
    ["lo", "loopback", true, true],
    ["lan0", "ethernet", true, true],
    ["wan0", "ethernet", true, true],
    ["port1", "ethernet", true, false],
    ["br0", "bridge", true, false],
    ["spare", "ethernet", false, false],
    ["tun0", "tunnel", true, false],
  ]);
  expect(named("wan0")).toEqual({
    name: "wan0",
    kind: "ethernet",
    mac: "02:00:00:00:02:01",
    addresses: ["192.0.2.2/24", "2001:db8::2/64", "fe80::ff:fe00:201/64"],
    dynamic: [],
    up: true,
    carrier: true,
    mtu: 1500,
    master: null,
    parent: null,
    received: expect.objectContaining({ bytes: 516, dropped: 0 }),
    sent: expect.objectContaining({ dropped: 0 }),
    gateways: { v4: "192.0.2.1", v6: "fe80::1" },
  });
  expect(named("port1")).toMatchObject({ master: "br0", parent: null });
  expect(named("lan0")).toMatchObject({ gateways: { v4: null, v6: null } });
});

test("interfaces: only Ethernet interfaces have a MAC address", () => {
  expect([named("lo")?.mac, named("tun0")?.mac, named("br0")?.mac]).toEqual([null, null, "02:00:00:00:03:01"]);
  const gre = { ifname: "gre1", link_type: "gre", address: "192.0.2.2", linkinfo: { info_kind: "gre" } };
  expect(of(gre)).toMatchObject({ mac: null, kind: "tunnel" });
});

const ether = { ifname: "it", link_type: "ether", address: "02:00:00:00:00:01" };
const of = (link: object) => parseInterfaces({ links: JSON.stringify([link]), v4: "[]", v6: "[]" })[0];

test("a VLAN lies on another interface; a cable into a container does not lie on its other end", () => {
  const vlan = { kind: "vlan", data: { protocol: "802.1Q", id: 10, flags: ["REORDER_HDR"] } };
  const on = (info: object) => of({ ...ether, link: "eth0", linkinfo: info });
  expect(on({ info_kind: vlan.kind, info_data: vlan.data })).toMatchObject({ kind: "vlan", parent: "eth0" });
  expect(on({ info_kind: "macvlan" })).toMatchObject({ kind: "ethernet", parent: "eth0" });
  expect(on({ info_kind: "veth" })).toMatchObject({ kind: "ethernet", parent: null });
});

test.each([
  [undefined, "ether", "ethernet"],
  ["dsa", "ether", "ethernet"],
  ["bond", "ether", "ethernet"],
  ["wireguard", "none", "tunnel"],
  ["tun", "none", "tunnel"],
  ["vxlan", "ether", "tunnel"],
  ["dummy", "ether", "other"],
  ["ifb", "ether", "other"],
  [undefined, "ppp", "other"],
  [undefined, "none", "other"],
])("a link of kind %s and type %s is called %s", (info_kind, link_type, kind) =>
  expect(of({ ...ether, link_type, ...(info_kind !== undefined && { linkinfo: { info_kind } }) })?.kind).toBe(kind),
);

test("of several default routes of an interface the preferred one counts, and each of several next hops its own", () => {
  const routes = [
    { dst: "default", gateway: "192.0.2.7", dev: "a", metric: 500 },
    { dst: "default", gateway: "192.0.2.1", dev: "a" },
    { dst: "default", dev: "tun0" },
    {
      dst: "default",
      metric: 9,
      nexthops: [
        { gateway: "192.0.2.9", dev: "b" },
        { via: { family: "inet6", host: "fe80::9" }, dev: "c" },
      ],
    },
  ];
  const shown = parseInterfaces({
    links: JSON.stringify(["a", "b", "c", "tun0"].map((ifname) => ({ ...ether, ifname }))),
    v4: JSON.stringify(routes),
    v6: "",
  });
  expect(shown.map(({ gateways }) => gateways.v4)).toEqual(["192.0.2.1", "192.0.2.9", "fe80::9", null]);
  expect(shown.map(({ gateways }) => gateways.v6)).toEqual([null, null, null, null]);
});

test("what says next to nothing of itself is shown nevertheless", () => {
  expect(of({})).toBeUndefined();
  expect(of({ ifname: "odd" })).toMatchObject({ name: "odd", kind: "other", mtu: 0, addresses: [], up: false });
  expect(parseInterfaces({ links: "", v4: "", v6: "" })).toEqual([]);
});
