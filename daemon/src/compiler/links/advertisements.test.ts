import { sentence } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import type { Intent, IntentDns } from "../input/intent.ts";
import { advertisementOf, advertisements } from "./advertisements.ts";

const wanted = { interface: "lan0", lifetime_sec: 1800 };
const device = (mac: string | null, ...ips: string[]) =>
  ({ id: "1", mac, ips, groupIds: [], requiresTunnel: false }) as Intent["devices"][number];
const policy = (sourceValue: string, failPolicy = "fail-closed") =>
  ({ id: "p", sourceType: "subnet", sourceValue, hops: [], failPolicy }) as unknown as Intent["policies"][number];
const resolver = (address: string | null, port = 53) => ({ listener: { address, port } }) as IntentDns;
const intent = {
  advertisements: [wanted],
  devices: [device("02:00:00:00:00:01", "192.168.1.7"), device(null, "10.0.0.9", "fd01::9")],
  policies: [],
  network: { lan: ["lan0", "a;b"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "block" as const },
  dns: resolver(null),
};
const link = {
  name: "lan0",
  index: 4,
  up: true,
  addresses: ["192.168.1.1", "2001:db8:1::1", "fd00::1", "fd01::1"],
  networks: ["192.168.1.0/24", "2001:db8:1::/64", "fd00::/64", "fd01::/48", "fd02::/64"],
};
const facts = { links: [link] };

test("router advertisement: networks of 64 bits in which the gateway has an address, and its address as resolver", () => {
  expect(advertisements(intent, facts)).toEqual([
    {
      interface: "lan0",
      index: 4,
      lifetimeSec: 1800,
      prefixes: ["2001:db8:1::/64", "fd00::/64"],
      resolvers: ["2001:db8:1::1"],
    },
  ]);
});

test.each([
  ["the gateway's upstreams, where it runs no resolver", null, ["9.9.9.9", "2620:fe::fe"], ["2620:fe::fe"]],
  ["none, where it has IPv4 upstreams only", null, ["9.9.9.9"], []],
  ["none, where the resolver listens on an IPv4 address", resolver("192.168.1.1"), ["2620:fe::fe"], []],
  ["none, where the resolver has another port", resolver(null, 5353), ["2620:fe::fe"], []],
  ["the address of the resolver, if it listens on one", resolver("fd00::53"), [], ["fd00::53"]],
])("router advertisement: resolvers: %s", (_, dns, upstreams, resolvers) => {
  const network = { ...intent.network, resolvers: upstreams };
  expect(advertisementOf(wanted, { ...intent, network, dns }, facts)).toMatchObject({ resolvers });
});

const why = (found: ReturnType<typeof advertisementOf>): string => ("reason" in found ? sentence(found.reason) : "");

test.each([
  ["eth9 is no LAN interface of the gateway", { ...wanted, interface: "eth9" }, link],
  ["The configuration of radvd cannot contain the name a;b", { ...wanted, interface: "a;b" }, link],
  ["lan0 does not exist", wanted, { ...link, name: "lan1" }],
  ["lan0 is down", wanted, { ...link, up: false }],
  ["IPv6 is disabled on lan0", wanted, { ...link, ipv6: false }],
  [
    "lan0 has no address in an IPv6 network with a prefix of 64 bits",
    wanted,
    { ...link, networks: ["192.168.1.0/24", "fd01::/48", "fd02::/64"] },
  ],
])("router advertisement that is not possible: %s", (reason, it, present) => {
  expect(why(advertisementOf(it, intent, { links: [present] }))).toBe(reason);
  expect(advertisements({ ...intent, advertisements: [it] }, { links: [present] })).toEqual([]);
});

test("router advertisement: none while a device of the network is recognised by its addresses only", () => {
  for (const ip of ["192.168.1.8", "fd00::7"]) {
    const devices = [...intent.devices, device(null, "10.0.0.7", ip)];
    expect(why(advertisementOf(wanted, { ...intent, devices }, facts))).toBe(
      `The device ${ip} has no MAC, so with its new IPv6 addresses it would be an unknown device`,
    );
  }
});

test("router advertisement: none while a policy is for the IPv4 network only, unless it fails open", () => {
  const of = (...policies: Intent["policies"]) => advertisementOf(wanted, { ...intent, policies }, facts);
  expect(why(of(policy("192.168.1.128/25")))).toBe(
    "The policy for 192.168.1.128/25 does not apply to IPv6, and no policy is for 2001:db8:1::/64, fd00::/64",
  );
  expect(of(policy("192.168.0.0/16"), policy("fd00::/64"))).toHaveProperty("reason");
  expect(of(policy("192.168.0.0/16"), policy("fd00::/65"), policy("2001:db8::/32"))).toHaveProperty("reason");
  expect(of(policy("192.168.0.0/16"), policy("fd00::/8"), policy("2001:db8::/32", "fail-open"))).toHaveProperty(
    "reason",
  );
  expect(of(policy("192.168.0.0/16"), policy("fd00::/8"), policy("2001:db8::/32"))).not.toHaveProperty("reason");
  expect(of(policy("192.168.1.0/24", "fail-open"))).not.toHaveProperty("reason");
  expect(of(policy("10.0.0.0/8"))).not.toHaveProperty("reason");
});
