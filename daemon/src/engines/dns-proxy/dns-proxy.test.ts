import { join } from "node:path";
import { expect, test } from "vitest";
import { portsOf } from "../dnsdist/dnsdist.model.ts";
import { type DnsProxy, dnsProxyAddresses, dnsProxyOf } from "./dns-proxy.model.ts";
import { renderDnsProxy } from "./dns-proxy.render.ts";

const forwarder: DnsProxy = {
  number: 2,
  userId: 1_900_018_016,
  port: 18_021,
  caFile: "/etc/ssl/certs/ca-certificates.crt",
  upstreams: [
    {
      name: "quad9",
      address: "9.9.9.9",
      port: 853,
      protocol: "dot",
      serverName: "dns.quad9.net",
      path: "/dns-query",
      source: null,
      usesDnsProxy: true,
    },
    {
      name: "own",
      address: "2001:db8::1",
      port: 443,
      protocol: "doh",
      serverName: null,
      path: "/dns-query",
      source: "10.2.0.2",
      usesDnsProxy: true,
    },
  ],
};

test("a forwarder with two upstreams", () =>
  expect(renderDnsProxy(forwarder)).toMatchFileSnapshot(join(import.meta.dirname, "goldens", "two.json")));

test("each upstream has an address on loopback that is nobody else's, whatever order they come in", () => {
  const [one] = forwarder.upstreams;
  const many = Array.from({ length: 20_000 }, (_, index) => ({ ...one!, name: `u${index}` }));
  const addresses = dnsProxyAddresses(many);
  expect(new Set(addresses.values()).size).toBe(20_000);
  expect([...addresses.values()].every((it) => /^127\.[1-9]\d*\.\d+\.[1-9]\d*$/.test(it))).toBe(true);
  expect(dnsProxyAddresses(many.toReversed())).toEqual(addresses);
  expect(renderDnsProxy({ ...forwarder, upstreams: forwarder.upstreams.toReversed() })).toBe(renderDnsProxy(forwarder));
});

test("an upstream that is another one has another address, also if it is called the same", () => {
  const [one] = forwarder.upstreams;
  const [before, after] = [one!, { ...one!, address: "9.9.9.10" }].map((it) => dnsProxyAddresses([it]).get("quad9"));
  expect(before).not.toBe(after);
});

test("a front's forwarder asks what the front cannot, of all its pools, once each", () => {
  const [one, other] = forwarder.upstreams as [DnsProxy["upstreams"][0], DnsProxy["upstreams"][0]];
  const pool = (...servers: DnsProxy["upstreams"]) => ({ rotation: "failover" as const, servers });
  const front = {
    egress: "nl",
    number: 2,
    userId: 7,
    ports: portsOf(2),
    isResolving: true,
    isMapping: false,
    zones: [],
    external: null,
    rebindable: [],
    isRebindingProtected: true,
    ratePerSec: 0,
    logPort: 1,
    caFile: "/ca.pem",
    upstreams: pool(one, { ...one, name: "own means", usesDnsProxy: false }),
    conditional: [{ domain: "corp", pool: pool(other, one) }],
  };
  expect(dnsProxyOf(front)).toEqual({
    number: 2,
    userId: 7,
    port: portsOf(2).dnsProxy,
    caFile: "/ca.pem",
    upstreams: [one, other],
  });
});
