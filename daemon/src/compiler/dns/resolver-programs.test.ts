import { expect, test } from "vitest";
import { forwarder, namesWith, network, tunnel } from "../../../../testing/intent.ts";
import { directEgress } from "../../engines/nftables/nftables.model.ts";
import type { Facts } from "../input/facts.ts";
import { resolverPrograms } from "./resolver-programs.ts";
import { noEgress, type ResolverInstance } from "./resolver-instances.ts";

const facts: Facts = {
  hops: [],
  links: [
    { name: "wan0", up: true, addresses: ["203.0.113.2"] },
    { name: "wg-nl", up: true, addresses: ["10.9.0.2"] },
  ],
};
const blocked: ResolverInstance = {
  number: noEgress,
  egress: "none",
  interfaces: [],
  tunnel: undefined,
  isProxy: false,
};
const direct: ResolverInstance = { ...blocked, number: directEgress, egress: "direct", interfaces: ["wan0"] };
const led: ResolverInstance = { ...blocked, number: 9, egress: "wg-nl", interfaces: ["wg-nl"], tunnel: tunnel("nl") };
const proxied: ResolverInstance = { ...blocked, number: 10, egress: "proxy p", interfaces: ["wg-nl"], isProxy: true };
const zone = { name: "home.lan", serial: 1, ttlSec: 60, records: [] };

const made = (names = namesWith(), ...instances: ResolverInstance[]) =>
  resolverPrograms(names, instances, [zone], false, facts, network);
const serversOf = (stack: ResolverInstance, names = namesWith()) => made(names, stack).frontends[0]!.upstreams.servers;

test("resolver programs: each instance has a frontend and a validator; the one for blocked devices has no validator", () => {
  const { frontends, validators, forwarders, zones } = made(namesWith(), blocked, direct, led);
  expect(frontends.map(({ number, isResolving, zones: own }) => [number, isResolving, own])).toEqual([
    [noEgress, false, ["home.lan"]],
    [directEgress, true, ["home.lan"]],
    [9, true, ["home.lan"]],
  ]);
  expect(validators.map(({ number }) => number)).toEqual([directEgress, 9]);
  expect(forwarders).toHaveLength(3);
  expect(zones).toEqual([zone]);
  const users = [...frontends, ...validators].map(({ userId }) => userId);
  expect(new Set(users).size).toBe(users.length);
});

test("resolver programs: an upstream has the source address of the egress, or is left out", () => {
  expect(serversOf(direct)).toMatchObject([{ name: "quad", source: "203.0.113.2", usesDnsProxy: false }]);
  expect(serversOf(led)).toMatchObject([{ source: "10.9.0.2" }]);
  expect(serversOf(led, namesWith({ forwarders: [forwarder("six", { address: "2001:db8::53" })] }))).toEqual([]);
  expect(serversOf(blocked)).toEqual([]);
});

test("resolver programs: dns-proxy forwards queries over a proxy, and checks certificates for an address", () => {
  expect(serversOf(proxied)).toMatchObject([{ source: null, usesDnsProxy: true }]);
  const secured = (serverName: string | null) =>
    serversOf(direct, namesWith({ forwarders: [forwarder("dot", { protocol: "dot", serverName })] }))[0]!.usesDnsProxy;
  expect([secured(null), secured("dns.test")]).toEqual([true, false]);
});

test("resolver programs: a tunnel's own resolvers are its upstreams, unless they are ignored", () => {
  const own: ResolverInstance = { ...led, tunnel: tunnel("nl", { resolvers: ["10.9.0.1"] }) };
  const names = (prefersTunnelResolvers: boolean) =>
    serversOf(own, namesWith({ prefersTunnelResolvers })).map(({ address }) => address);
  expect([names(true), names(false)]).toEqual([["10.9.0.1"], ["192.0.2.53"]]);
});

test("resolver programs: a resolver inside a tunnel gets no queries by the uplink when the egress fails open", () => {
  const open: ResolverInstance = {
    ...led,
    interfaces: ["wg-nl", "wan0"],
    tunnel: tunnel("nl", { resolvers: ["10.9.0.1"] }),
  };
  expect(serversOf(open)).toMatchObject([{ address: "10.9.0.1", source: "10.9.0.2" }]);
  const links = facts.links.map((link) => ({ ...link, up: link.name === "wan0" }));
  const [front] = resolverPrograms(namesWith(), [open], [zone], false, { ...facts, links }, network).frontends;
  expect(front!.upstreams.servers).toEqual([]);
});

test("resolver programs: a conditional forwarder gets the queries of its domains, without DNSSEC validation", () => {
  const work = forwarder("work", { address: "192.0.2.7", domains: ["work.test"] });
  const { frontends, validators } = made(namesWith({ forwarders: [forwarder("quad"), work] }), blocked, direct);
  expect(
    frontends.map(({ conditional }) => conditional.map((it) => [it.domain, it.pool.servers.map(({ name }) => name)])),
  ).toEqual([[], [["work.test", ["work"]]]]);
  expect(frontends[1]!.upstreams.servers.map(({ name }) => name)).toEqual(["quad"]);
  expect(validators[0]!.insecure).toEqual(["home.lan", "work.test"]);
});

test("resolver programs: only the direct frontend uses an external filter", () => {
  const external = { address: "192.0.2.9", port: 53 };
  const { frontends } = made(namesWith({ external }), direct, led);
  expect(frontends.map((it) => it.external)).toEqual([external, null]);
});
