import { expect, test } from "vitest";
import { seenInterface as seen } from "../../../../testing/interfaces.ts";
import { type Named, type SeenInterface, withRoles } from "./interfaces.service.ts";

const nothing: Named = { lan: [], uplinks: [], tunnels: [], bridges: [], members: [] };
const roles = (interfaces: readonly SeenInterface[], named: Partial<Named>) =>
  Object.fromEntries(withRoles(interfaces, { ...nothing, ...named }).map(({ name, role }) => [name, role]));

test("interfaces: an interface has the role of what names it", () => {
  const named = { lan: ["eth1"], uplinks: ["eth0", "gone"], tunnels: ["wg0"], bridges: ["br0"], members: ["eth2"] };
  const all = ["lo", "eth0", "eth1", "eth2", "eth3", "wg0", "br0"].map((name) => seen(name));
  expect(roles(all, named)).toEqual({
    lo: "unused",
    eth0: "uplink",
    eth1: "lan",
    eth2: "bridge member",
    eth3: "unused",
    wg0: "tunnel",
    br0: "bridge",
  });
});

test("interfaces: a LAN bridge has the role lan, whichever program created it, and its ports are not free", () => {
  const bridge = seen("br0", { kind: "bridge" });
  const port = seen("eth1", { master: "br0" });
  expect(roles([bridge, port], { lan: ["br0"], bridges: ["br0"], members: ["eth1"] })).toEqual({
    br0: "lan",
    eth1: "bridge member",
  });
  expect(roles([port, bridge], { lan: ["br0"] })).toEqual({ eth1: "bridge member", br0: "lan" });
  expect(roles([port, seen("bond0")], {})).toEqual({ eth1: "unused", bond0: "unused" });
});

test("interfaces: what a used VLAN lies on is a trunk; what a spare one lies on is not", () => {
  const vlan = seen("eth1.10", { kind: "vlan", parent: "eth1" });
  expect(roles([seen("eth1"), vlan], { lan: ["eth1.10"] })).toEqual({ eth1: "trunk", "eth1.10": "lan" });
  expect(roles([seen("eth1"), vlan], { lan: ["eth1", "eth1.10"] })).toEqual({ eth1: "lan", "eth1.10": "lan" });
  expect(roles([seen("eth1"), vlan], {})).toEqual({ eth1: "unused", "eth1.10": "unused" });
});
