import { defaultDnsOptions } from "@portcullis/contract/subsystems/dns-settings";
import { defaultRotation } from "@portcullis/contract/subsystems/dns-upstreams";
import { expect, test } from "vitest";
import type { DnsBootstrap } from "./intent.ts";
import { type DnsResources, dnsIn } from "./read-dns.ts";

const base: DnsBootstrap = {
  listener: { port: 53, address: null },
  upstreams: ["192.0.2.53", "2001:db8::53"],
  mode: "dot",
  isFiltering: false,
  caFile: "/ca",
  anchors: ["anchor"],
};
const read = (resources: DnsResources) => dnsIn(resources, base)!;

const made = (id: string, over: object = {}) =>
  ({
    id,
    name: id,
    enabled: true,
    address: "198.51.100.1",
    port: null,
    protocol: "plain",
    server_name: null,
    path: "/dns-query",
    domains: [],
    post_quantum: false,
    priority: 100,
    ...over,
  }) as unknown as NonNullable<DnsResources["dns_forwarder"]>[number];

test("without a bootstrap file that speaks of names there are none", () => {
  expect(dnsIn({}, undefined)).toBeNull();
});

test("where nobody said anything, the bootstrap file and what is usual hold", () => {
  expect(read({})).toMatchObject({
    isFiltering: false,
    ratePerSec: defaultDnsOptions.rate_limit_qps,
    isRebindingProtected: true,
    isValidating: true,
    prefersTunnelResolvers: true,
    rotation: defaultRotation,
    external: null,
    zones: [],
    forwarders: [
      { id: "bootstrap 192.0.2.53", address: "192.0.2.53", port: 853, protocol: "dot" },
      { id: "bootstrap 2001:db8::53", address: "2001:db8::53", port: 853, protocol: "dot" },
    ],
  });
});

test("one resolver for everything takes the place of the bootstrap file's; one for some names stands beside them", () => {
  const ids = (...forwarders: ReturnType<typeof made>[]) =>
    read({ dns_forwarder: forwarders }).forwarders.map(({ id }) => id);
  expect(ids(made("own"))).toEqual(["own"]);
  expect(ids(made("work", { domains: ["work.test"] }))).toEqual([
    "work",
    "bootstrap 192.0.2.53",
    "bootstrap 2001:db8::53",
  ]);
  expect(ids(made("off", { enabled: false }))).toHaveLength(2);
});

test("resolvers are in the order of their priorities, each at its protocol's port", () => {
  const { forwarders } = read({
    dns_forwarder: [
      made("b", { priority: 2, protocol: "doh", server_name: "dns.test", post_quantum: true }),
      made("c", { priority: 1, port: 5353 }),
      made("a", { priority: 2 }),
    ],
  });
  expect(forwarders.map(({ id, port, isForwarded }) => [id, port, isForwarded])).toEqual([
    ["c", 5353, false],
    ["a", 53, false],
    ["b", 443, true],
  ]);
});

test("a zone has its own records, and one that is switched off is none", () => {
  const zone = (id: string, enabled: boolean) => ({
    id,
    name: `${id}.lan`,
    ttl_sec: 60,
    serial: 7,
    fill_from_devices: id === "home",
    enabled,
  });
  const record = (zone_id: string) => ({
    id: `r ${zone_id}`,
    zone_id,
    name: "nas",
    type: "A",
    value: "10.0.0.8",
    ttl_sec: null,
  });
  const resources = {
    dns_zone: [zone("home", true), zone("old", false)],
    dns_record: [record("home"), record("old")],
  } as unknown as DnsResources;
  expect(read(resources).zones).toEqual([
    {
      isFilled: true,
      zone: {
        name: "home.lan",
        serial: 7,
        ttlSec: 60,
        records: [{ name: "nas", type: "A", value: "10.0.0.8", ttlSec: null }],
      },
    },
  ]);
});

test.each([
  ["192.0.2.9:5353", { address: "192.0.2.9", port: 5353 }],
  ["[2001:db8::9]:53", { address: "2001:db8::9", port: 53 }],
])("a filter elsewhere is asked at %s", (dns_address, expected) => {
  const external = (enabled: boolean) =>
    read({ dns_extfilter: [{ enabled, dns_address }] as unknown as NonNullable<DnsResources["dns_extfilter"]> })
      .external;
  expect([external(true), external(false)]).toEqual([expected, null]);
});
