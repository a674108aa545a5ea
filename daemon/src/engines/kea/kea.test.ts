import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isSameDhcp } from "./kea.diff.ts";
import type { DhcpSubnet } from "./kea.model.ts";
import { leasesIn, parseAnswer, subnetsIn } from "./kea.parse.ts";
import { renderKea, subnetId } from "./kea.render.ts";

const address = (network: number) => fc.integer({ min: 2, max: 254 }).map((host) => `10.0.${network}.${host}`);
const subnet = (network: number): fc.Arbitrary<DhcpSubnet> =>
  fc.record({
    interface: fc.constantFrom("lan0", "lan1"),
    link: fc.constantFrom("3 up", "3 down", "9 up"),
    network: fc.constant(`10.0.${network}.0/24`),
    gateway: fc.constant(`10.0.${network}.1`),
    resolvers: fc.subarray(["9.9.9.9", "10.0.0.1"]),
    first: address(network),
    last: address(network),
    leaseSec: fc.integer({ min: 120, max: 86_400 }),
    reservations: fc.array(fc.record({ mac: fc.constantFrom("02:00:00:00:00:01"), address: address(network) })),
  });
const subnets = fc.tuple(subnet(1), subnet(2)).chain((all) => fc.shuffledSubarray(all));

test("Kea: a configuration is parsed as it was rendered, and the order of subnets does not matter", () => {
  fc.assert(
    fc.property(subnets, (all) => {
      const read = subnetsIn({ result: 0, arguments: renderKea(all, "x64") });
      expect(read).toEqual(all);
      expect(isSameDhcp(read.toReversed(), all)).toBe(true);
    }),
  );
});

test("Kea: each difference of two configurations is a difference", () => {
  fc.assert(
    fc.property(subnet(1), subnet(1), (a, b) => {
      for (const key of ["interface", "link", "resolvers", "first", "last", "leaseSec"] as const) {
        const isEqual = JSON.stringify(a[key]) === JSON.stringify(b[key]);
        expect(isSameDhcp([a], [{ ...a, [key]: b[key] }])).toBe(isEqual);
      }
      expect(isSameDhcp([a], [])).toBe(false);
      expect(isSameDhcp([{ ...a, reservations: [] }], [a])).toBe(a.reservations.length === 0);
    }),
  );
});

test("Kea: the id of a subnet depends on its network alone", () => {
  expect([subnetId("192.168.1.0/24"), subnetId("10.0.0.0/8")]).toEqual([0xc0a8_0100, 0x0a00_0000]);
});

test("Kea: leases that clients hold, without expired and declined ones", () => {
  const lease = (more: object) => ({
    "ip-address": "10.0.1.7",
    "hw-address": "02:00:00:00:00:07",
    hostname: "laptop.",
    "subnet-id": 5,
    cltt: 1000,
    "valid-lft": 600,
    state: 0,
    ...more,
  });
  const text = JSON.stringify([
    {
      result: 0,
      arguments: { leases: [lease({}), lease({ state: 1 }), lease({ cltt: 100 }), lease({ hostname: "" })] },
    },
  ]);
  const held = { address: "10.0.1.7", mac: "02:00:00:00:00:07", subnetId: 5, expiresMs: 1_600_000 };
  expect(leasesIn(parseAnswer(text), 1_000_000)).toEqual([
    { ...held, hostname: "laptop" },
    { ...held, hostname: null },
  ]);
  expect(leasesIn(parseAnswer('{"result": 3, "text": "0 IPv4 lease(s) found."}'), 0)).toEqual([]);
});
