import { Problem } from "@portcullis/contract/problem";
import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";
import type { SetupRequest } from "@portcullis/contract/subsystems/setup";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seenInterface as seen } from "../../../../testing/interfaces.ts";
import { parseAddress, parseHost, contains } from "../../net/addresses.ts";
import { parseLanAddress, rangeIn } from "./lan-network.ts";
import { type FileSettings, planSetup } from "./plan.ts";
import { addressFor, suggest } from "./suggestion.ts";

const loopback = seen("lo", { kind: "loopback", addresses: ["127.0.0.1/8"] });
const wan = seen("enp1s0", {
  addresses: ["192.0.2.10/24"],
  dynamic_addresses: ["192.0.2.10/24"],
  default_gateway_v4: "192.0.2.1",
});
const bare = seen("enp2s0", { up: false, carrier: false });
const settings: FileSettings = {
  "network.wan_iface": "eth0",
  "network.lan_iface": "eth1",
  "network.lan_address": "",
  "network.default_egress": "direct",
  "network.uplink_ports": [],
  "dataplane.enabled": false,
  "listen.api_addr": "127.0.0.1:8080",
};
const nothing = { wan: undefined, lan: undefined, lanAddress: undefined };

describe("setup: suggested roles", () => {
  const roles = (interfaces: NetworkInterface[], configured = {}) => {
    const { wan: outer, lan: inner, ...rest } = suggest(interfaces, { ...nothing, ...configured });
    return [outer.interface, outer.reason, inner.interface, inner.reason, rest.lan_address, rest.dhcp];
  };
  test("the uplink has the default route; the only other interface is the LAN, with a free network", () => {
    const expected = ["enp1s0", "default_route", "enp2s0", "only_other", "192.168.50.1/24", true];
    expect(roles([loopback, bare, wan])).toEqual(expected);
    const v6 = { ...wan, default_gateway_v4: null, default_gateway_v6: "fe80::1" };
    expect(roles([loopback, bare, v6])).toEqual(expected);
  });
  test("an address that the operator gave to an interface makes it the LAN, and stays", () => {
    const own = seen("enp3s0", { addresses: ["fe80::1/64", "192.168.1.1/24"], carrier: false });
    expect(roles([wan, bare, own])).toEqual(["enp1s0", "default_route", "enp3s0", "address", null, false]);
  });
  test("a port with a link comes before one without, and a wireless interface last", () => {
    const wifi = seen("wlan0", { kind: "wifi" });
    const linked = seen("enp3s0");
    expect(roles([wifi, bare, linked, wan]).slice(2, 4)).toEqual(["enp3s0", "link"]);
    expect(roles([wifi, bare, wan]).slice(2, 4)).toEqual(["enp2s0", "first"]);
    expect(roles([wifi, wan]).slice(2, 4)).toEqual(["wlan0", "only_other"]);
  });
  test("what the file names comes first, with its address", () => {
    const configured = { wan: "enp2s0", lan: "enp1s0", lanAddress: "10.1.0.1/24" };
    const own = { ...wan, addresses: ["10.1.0.1/24"], dynamic_addresses: [] };
    expect(roles([own, bare], configured)).toEqual([
      "enp2s0",
      "configured",
      "enp1s0",
      "configured",
      "10.1.0.1/24",
      true,
    ]);
    expect(roles([wan, bare], { wan: "absent0" }).slice(0, 2)).toEqual(["enp1s0", "default_route"]);
  });
  test("neither ports of a bridge, nor tunnels, nor loopback are suggested; of one port there is no LAN", () => {
    const port = seen("enp3s0", { master: "br0" });
    const tunnel = seen("wg0", { kind: "tunnel" });
    expect(roles([loopback, port, tunnel, wan])).toEqual(["enp1s0", "default_route", null, "none", null, false]);
    expect(roles([loopback])).toEqual([null, "none", null, "none", null, false]);
  });
  test("an interface with an address needs none, one that the gateway has set stays, and others get a free one", () => {
    const own = seen("enp3s0", { addresses: ["192.168.1.1/24"] });
    expect(addressFor(own, [wan, own], undefined)).toBe(null);
    expect(addressFor(own, [wan, own], "192.168.1.1/24")).toBe("192.168.1.1/24");
    expect(addressFor(bare, [wan, bare], "")).toBe("192.168.50.1/24");
  });
  test("the suggested network is not one that another interface has", () => {
    const taken = { ...wan, addresses: ["192.168.48.7/20"] };
    expect(roles([taken, bare])[4]).toBe("10.50.0.1/24");
  });
});

describe("setup: the plan", () => {
  const request: SetupRequest = { wan: "enp1s0", lan: "enp2s0", lan_address: "192.168.50.1/24" };
  const plan = (changed: Partial<SetupRequest> = {}, interfaces = [loopback, wan, bare], more = {}) =>
    planSetup({ ...request, ...changed }, { interfaces, settings, ranges: [], ...more });
  function refusal(changed: Partial<SetupRequest>, interfaces?: NetworkInterface[]): string {
    try {
      plan(changed, interfaces);
    } catch (error) {
      if (error instanceof Problem) return error.message;
      throw error;
    }
    return "accepted";
  }

  test("a bare interface gets the address, a range of addresses, and both roles", () =>
    expect(plan()).toEqual({
      settings: {
        ...settings,
        "network.wan_iface": "enp1s0",
        "network.lan_iface": "enp2s0",
        "network.lan_address": "192.168.50.1/24",
        "dataplane.enabled": true,
      },
      lanAddress: "192.168.50.1/24",
      setBy: "gateway",
      ranges: [{ interface: "enp2s0", first: "192.168.50.100", last: "192.168.50.250", lease_sec: 43_200 }],
    }));

  test("an address that another program set is used, not set again, and nothing is leased there without a request", () => {
    const own = seen("enp2s0", { addresses: ["192.168.1.1/24"] });
    for (const requested of [null, undefined, "192.168.1.1/24"]) {
      const { lan_address: _, ...roles } = request;
      const wanted = requested === undefined ? roles : { ...roles, lan_address: requested };
      const result = planSetup(wanted, { interfaces: [wan, own], settings, ranges: [] });
      expect([result.setBy, result.lanAddress, result.ranges]).toEqual(["system", "192.168.1.1/24", []]);
      expect(result.settings["network.lan_address"]).toBe("");
    }
    expect(plan({ lan_address: null, dhcp: true }, [wan, own]).ranges).toHaveLength(1);
  });

  test("an address that the gateway itself has set can be changed, and stays if none is given", () => {
    const set = { "network.lan_iface": "enp2s0", "network.lan_address": "192.168.50.1/24" };
    const interfaces = [wan, seen("enp2s0", { addresses: ["192.168.50.1/24"] })];
    const again = (requested?: string) =>
      planSetup(
        { wan: "enp1s0", lan: "enp2s0", ...(requested !== undefined && { lan_address: requested }) },
        { interfaces, settings: { ...settings, ...set }, ranges: [] },
      );
    expect([again().lanAddress, again().setBy]).toEqual(["192.168.50.1/24", "gateway"]);
    expect(again("10.9.0.1/24").settings["network.lan_address"]).toBe("10.9.0.1/24");
  });

  test("the web interface listens on all addresses with the same port, and only if requested", () => {
    expect(plan({ web_on_lan: true }).settings["listen.api_addr"]).toBe("0.0.0.0:8080");
    expect(plan({ web_on_lan: false }).settings["listen.api_addr"]).toBe("127.0.0.1:8080");
  });

  test("a range that was configured stays while its network does", () => {
    const range = { interface: "enp2s0", first: "192.168.50.10", last: "192.168.50.20", lease_sec: 600 };
    const other = { ...range, interface: "eth9" };
    expect(plan({}, undefined, { ranges: [other, range] }).ranges).toEqual([other, range]);
    expect(plan({ dhcp: false }, undefined, { ranges: [other, range] }).ranges).toEqual([other]);
    expect(plan({ lan_address: "10.9.0.1/24" }, undefined, { ranges: [range] }).ranges[0]?.first).toBe("10.9.0.100");
  });

  test.each<[string, Partial<SetupRequest>, NetworkInterface[], string]>([
    [
      "an absent uplink",
      { wan: "eth9" },
      [wan, bare],
      "must be one of the interfaces of this machine: enp1s0, enp2s0; not eth9",
    ],
    [
      "a loopback LAN",
      { lan: "lo" },
      [loopback, wan, bare],
      "must be one of the interfaces of this machine: enp1s0, enp2s0; not lo",
    ],
    [
      "one interface for both",
      { lan: "enp1s0" },
      [wan, bare],
      "must be another interface than wan: enp2s0; not enp1s0",
    ],
    [
      "swapped roles",
      { wan: "enp2s0", lan: "enp1s0" },
      [wan, bare],
      "must not be the interface of the default route (by 192.0.2.1)",
    ],
    [
      "a LAN of another router",
      {},
      [wan, seen("enp2s0", { addresses: ["10.0.0.7/24"], dynamic_addresses: ["10.0.0.7/24"] })],
      "must not get its address from another DHCP server: enp2s0 has 10.0.0.7/24",
    ],
    [
      "no address",
      { lan_address: null },
      [wan, bare],
      "must be given: enp2s0 has no private address of its own, such as 192.168.50.1/24",
    ],
    ["a public address", { lan_address: "203.0.113.1/24" }, [wan, bare], "must be a private IPv4 address"],
    ["a network's address", { lan_address: "192.168.50.0/24" }, [wan, bare], "must be a private IPv4 address"],
    [
      "a second address",
      {},
      [wan, seen("enp2s0", { addresses: ["192.168.1.1/24"] })],
      "must be null or 192.168.1.1/24, which another program of the machine has set on enp2s0",
    ],
    [
      "the network of the uplink",
      { lan_address: "192.168.50.1/24" },
      [{ ...wan, addresses: ["192.168.0.5/16"] }, bare],
      "must be in a network of its own: 192.168.50.1/24 overlaps 192.168.0.5/16 of enp1s0; 10.50.0.1/24 is free",
    ],
    [
      "an existing LAN in the network of the uplink",
      { lan_address: null },
      [{ ...wan, addresses: ["192.168.1.5/24"] }, seen("enp2s0", { addresses: ["192.168.1.1/24"] })],
      "body.lan: must be in a network of its own",
    ],
  ])("%s is refused, and the refusal says what is accepted", (_, changed, interfaces, message) =>
    expect(refusal(changed, interfaces)).toContain(message),
  );
});

test("setup: the range is inside of any network of a LAN, and never contains the gateway", () =>
  fc.assert(
    fc.property(fc.integer({ min: 8, max: 29 }), fc.bigInt(0n, (1n << 24n) - 1n), (bits, low) => {
      const text = `10.${(low >> 16n) & 255n}.${(low >> 8n) & 255n}.${low & 255n}/${bits}`;
      const host = parseLanAddress(text);
      fc.pre(host !== undefined);
      const { first, last } = rangeIn(host);
      const [from, to] = [parseAddress(first)!, parseAddress(last)!];
      expect(from.value <= to.value && contains(host.network, from) && contains(host.network, to)).toBe(true);
      expect(host.address.value < from.value || host.address.value > to.value).toBe(true);
      expect([first, last].map((it) => parseHost(`${it}/${bits}`))).not.toContain(undefined);
    }),
  ));
