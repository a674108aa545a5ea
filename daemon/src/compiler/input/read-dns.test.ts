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

test("read DNS: without a DNS part of the bootstrap file there is no resolver", () => {
  expect(dnsIn({}, undefined)).toBeNull();
});

test("read DNS: without settings, the bootstrap file and the defaults apply", () => {
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

test("read DNS: a forwarder for all domains replaces those of the bootstrap file; a conditional one does not", () => {
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

test("read DNS: forwarders are sorted by priority, each with the port of its protocol", () => {
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

test("read DNS: encrypted upstreams have the TLS of the gateway in the modes preferred and required, and no other have", () => {
  const secured = (value: string, mode: "plain" | "dot" = "dot") =>
    dnsIn(
      {
        setting: [{ id: "pq_crypto_mode", value }],
        dns_forwarder: [
          made("chosen", { protocol: "dot", post_quantum: true, domains: ["a.test"] }),
          made("doh", { protocol: "doh", domains: ["b.test"] }),
          made("plain", { domains: ["c.test"] }),
        ],
      },
      { ...base, mode, upstreams: ["192.0.2.53"] },
    )!.forwarders.map(({ isForwarded, pqMode }) => (isForwarded ? pqMode : `system ${pqMode}`));
  const system = ["system default"];
  expect(secured("default")).toEqual(["preferred", ...system, ...system, ...system]);
  expect(secured("preferred")).toEqual(["preferred", "preferred", ...system, "preferred"]);
  expect(secured("required")).toEqual(["required", "required", ...system, "required"]);
  expect(secured("required", "plain").at(-1)).toBe(system[0]);
});

test("read DNS: a zone has its own records, and a disabled one is left out", () => {
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
])("read DNS: an external filter at %s", (dns_address, expected) => {
  const external = (enabled: boolean) =>
    read({ dns_extfilter: [{ enabled, dns_address }] as unknown as NonNullable<DnsResources["dns_extfilter"]> })
      .external;
  expect([external(true), external(false)]).toEqual([expected, null]);
});
