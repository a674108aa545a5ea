import { join } from "node:path";
import { expect, test } from "vitest";
import { portsOf } from "../dnsdist/dnsdist.model.ts";
import { type DnsProxy, dnsProxyAddresses, dnsProxyOf, failuresIn, routeOf } from "./dns-proxy.model.ts";
import { renderDnsProxy } from "./dns-proxy.render.ts";

const proxy: DnsProxy = {
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
      pqMode: "default",
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
      pqMode: "default",
      usesDnsProxy: true,
    },
  ],
};

test("DNS proxy: settings with two upstreams", () =>
  expect(renderDnsProxy(proxy)).toMatchFileSnapshot(join(import.meta.dirname, "goldens", "two.json")));

test("DNS proxy: each upstream has a unique loopback address, independent of the order", () => {
  const [one] = proxy.upstreams;
  const many = Array.from({ length: 20_000 }, (_, index) => ({ ...one!, name: `u${index}` }));
  const addresses = dnsProxyAddresses(many);
  expect(new Set(addresses.values()).size).toBe(20_000);
  expect([...addresses.values()].every((it) => /^127\.[1-9]\d*\.\d+\.[1-9]\d*$/.test(it))).toBe(true);
  expect(dnsProxyAddresses(many.toReversed())).toEqual(addresses);
  expect(renderDnsProxy({ ...proxy, upstreams: proxy.upstreams.toReversed() })).toBe(renderDnsProxy(proxy));
});

test("DNS proxy: an upstream with other settings has another address, even under the same name", () => {
  const [one] = proxy.upstreams;
  const [before, after] = [one!, { ...one!, address: "9.9.9.10" }].map((it) => dnsProxyAddresses([it]).get("quad9"));
  expect(before).not.toBe(after);
});

test("DNS proxy: with another offer of its TLS an upstream has another address, so that no query of one mode has a session of another", () => {
  const [one] = proxy.upstreams;
  const strict = { ...one!, pqMode: "required" as const };
  expect(dnsProxyAddresses([one!]).get("quad9")).not.toBe(dnsProxyAddresses([strict]).get("quad9"));
  const { groups, minVersion } = routeOf(strict).tls;
  expect(minVersion).toBe("TLSv1.3");
  expect(groups.split(":").filter((it) => !it.includes("MLKEM"))).toEqual([]);
  expect(routeOf({ ...one!, pqMode: "preferred" }).tls.groups).toMatch(/^X25519MLKEM768:.*:X25519:/);
});

test("DNS proxy: the last state of an upstream in its output is its failure, unless it is connected", () => {
  const output =
    "It listens\nown: no answer\nquad9: refused: no\nown: connected with TLSv1.3, X25519\nelsewhere: refused\n";
  expect([...failuresIn(output, proxy)]).toEqual([["quad9", "refused: no"]]);
  expect([...failuresIn("", proxy)]).toEqual([]);
});

test("DNS proxy: it has the upstreams of all pools that the frontend cannot query itself, each once", () => {
  const [one, other] = proxy.upstreams as [DnsProxy["upstreams"][0], DnsProxy["upstreams"][0]];
  const pool = (...servers: DnsProxy["upstreams"]) => ({ rotation: "failover" as const, servers });
  const frontend = {
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
  expect(dnsProxyOf(frontend)).toEqual({
    number: 2,
    userId: 7,
    port: portsOf(2).dnsProxy,
    caFile: "/ca.pem",
    upstreams: [one, other],
  });
});
