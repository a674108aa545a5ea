import { expect, test } from "vitest";
import {
  allUp,
  forwarder,
  intentWith,
  namesWith,
  network,
  numbersFor,
  policy,
  proxy,
  proxyHop,
  tunnel,
  vpn,
} from "../../../../testing/intent.ts";
import { portsOf } from "../../engines/dnsdist/dnsdist.model.ts";
import { decide } from "../policy/decide.ts";
import { factsFor, type Link } from "../input/facts.ts";
import type { Intent } from "../input/intent.ts";
import { resolverPrograms } from "./resolver-programs.ts";
import { egressNumber, neededIds } from "../egress/kernel-ids.ts";
import { dnsRedirectRules, noEgress, resolverInstancesOf } from "./resolver-instances.ts";
import { userOf } from "../../engines/sandbox/sandbox.model.ts";
import { egressNameVia, egressesOf } from "../egress/egresses.ts";

const names = namesWith();

const links: Link[] = [
  { name: "wan0", up: true, addresses: ["203.0.113.2", "fe80::2"] },
  { name: "wg-nl", up: true, addresses: ["10.9.0.2"] },
  { name: "lan0", up: true, addresses: ["192.168.1.1"], networks: ["192.168.1.0/24"] },
];

function compiled(over: Partial<Intent>, isUp = true) {
  const intent = intentWith({ dns: names, ...over });
  const conditions = isUp ? allUp([...intent.tunnels, ...intent.proxies]) : {};
  const facts = factsFor(intent, { links, conditions });
  const { ranked } = decide(intent, facts);
  const egresses = egressesOf(ranked, intent, facts);
  const kernelIds = numbersFor(neededIds(ranked, egresses, intent.proxies));
  const instances = resolverInstancesOf(intent, facts, egresses, kernelIds);
  return { intent, facts, kernelIds, instances, rules: dnsRedirectRules(intent, instances, egresses, kernelIds)! };
}

const fronts = ({ intent, instances, facts }: ReturnType<typeof compiled>) =>
  resolverPrograms(intent.dns!, instances, [], false, facts, intent.network).frontends;

test("resolver instances: one for each egress of policies by sender, one for direct and one for blocked devices", () => {
  const tunnels = [tunnel("nl"), tunnel("se"), tunnel("unused")];
  const policies = [
    policy("1", { sourceType: "device", sourceValue: "d", hops: vpn("nl") }),
    policy("2", { sourceType: "subnet", sourceValue: "10.0.0.0/8", hops: vpn("se"), failPolicy: "fail-open" }),
    policy("3", { sourceType: "domain", sourceValue: "x.test", hops: vpn("unused") }),
  ];
  const up = compiled({ tunnels, policies });
  expect(up.instances.map(({ egress }) => egress)).toEqual(["none", "direct", "wg-nl", "wg-se, or direct"]);
  expect(up.instances.map(({ interfaces }) => interfaces)).toEqual([[], ["wan0"], ["wg-nl"], ["wg-se", "wan0"]]);
  const portOfEgress = (egress: number) => up.rules.resolverPorts.find((it) => it.egress === egress)?.port;
  const nl = egressNumber("wg-nl", up.kernelIds);
  expect([portOfEgress(0x01), portOfEgress(nl), portOfEgress(0xff)]).toEqual(
    [1, nl, noEgress].map((number) => portsOf(number).frontend),
  );
  expect(portOfEgress(egressNumber("wg-unused", up.kernelIds))).toBeUndefined();
});

test("resolver instances: a tunnel that is down keeps its resolver, without clients", () => {
  const about = { tunnels: [tunnel("nl")], policies: [policy("1", { hops: vpn("nl") })] };
  expect(compiled(about, false).instances).toEqual(compiled(about).instances);
});

test("resolver instances: only frontends with an egress may send packets out", () => {
  const { rules } = compiled({ tunnels: [tunnel("nl")], policies: [policy("1", { hops: vpn("nl") })] });
  expect(rules.programs.filter(({ egress }) => egress).map(({ egress }) => egress!.interfaces)).toEqual([
    ["wan0"],
    ["wg-nl"],
  ]);
  expect(rules.programs).toHaveLength(1 + 1 + 2 + 2);
});

test("resolver instances: queries to a tunnel's resolvers are bound to the tunnel if the egress fails open", () => {
  const resolving = (failPolicy: "fail-open" | "fail-closed") =>
    compiled({
      tunnels: [tunnel("nl", { resolvers: ["10.9.0.1"] })],
      policies: [policy("1", { hops: vpn("nl"), failPolicy })],
    });
  const { rules, instances } = resolving("fail-open");
  const userId = userOf(portsOf(instances.find((it) => it.tunnel)!.number).frontend);
  expect(rules.tunnelResolvers).toEqual([{ userId, address: "10.9.0.1", interface: "wg-nl" }]);
  expect(resolving("fail-closed").rules.tunnelResolvers).toBeUndefined();
});

test("resolver instances: all uplinks share the direct one", () => {
  const { rules, kernelIds } = compiled({ network: { ...network, uplinks: ["wan0", "wan1"] } });
  const ports = ["wan0", "wan1"].map(
    (name) => rules.resolverPorts.find((it) => it.egress === egressNumber(name, kernelIds))?.port,
  );
  expect(ports).toEqual([portsOf(1).frontend, portsOf(1).frontend]);
});

test("resolver instances: a policy with the uplink as its hop uses the direct one, also if it fails open", () => {
  const named = (failPolicy: "fail-closed" | "fail-open", sourceValue: string) =>
    policy(sourceValue, {
      sourceType: "device",
      sourceValue,
      hops: [{ type: "interface", target: "wan0" }],
      failPolicy,
    });
  const { rules, kernelIds } = compiled({ policies: [named("fail-closed", "a"), named("fail-open", "b")] });
  const ports = [false, true].map(
    (failsOpen) =>
      rules.resolverPorts.find((it) => it.egress === egressNumber(egressNameVia("wan0", failsOpen), kernelIds))?.port,
  );
  expect(ports).toEqual([portsOf(1).frontend, portsOf(1).frontend]);
});

test("resolver instances: queries have the source address of the egress, or are not sent", () => {
  const tunnels = [tunnel("nl"), tunnel("gone")];
  const policies = [
    policy("1", { sourceType: "device", sourceValue: "a", hops: vpn("nl") }),
    policy("2", { sourceType: "device", sourceValue: "b", hops: vpn("gone") }),
  ];
  expect(
    fronts(compiled({ tunnels, policies })).map(({ upstreams }) => upstreams.servers.map((it) => it.source)),
  ).toEqual([[], ["203.0.113.2"], ["10.9.0.2"], []]);
});

test("resolver instances: the kernel chooses the source address for a server on a LAN", () => {
  const inside = { ...names.forwarders[0]!, address: "192.168.1.9", domains: ["corp.test"] };
  const about = { tunnels: [tunnel("gone")], policies: [policy("1", { hops: vpn("gone") })] };
  const [, direct, gone] = fronts(compiled({ ...about, dns: { ...names, forwarders: [inside] } }));
  for (const front of [direct!, gone!]) expect(front.conditional[0]!.pool.servers).toMatchObject([{ source: null }]);
});

test("resolver instances: an external filter returns queries to the direct one", () => {
  const external = { address: "192.168.1.9", port: 53 };
  const { rules } = compiled({ dns: { ...names, external } });
  expect(rules.external).toEqual({ ...external, returnPort: portsOf(1).filtered });
});

test("resolver instances: a tunnel's own resolvers are used, unless tunnel_resolvers is ignore", () => {
  const about = { tunnels: [tunnel("nl", { resolvers: ["10.64.0.1"] })], policies: [policy("1", { hops: vpn("nl") })] };
  const upstreamsOf = (more: object) =>
    fronts(compiled({ ...about, dns: { ...names, ...more } }))
      .at(-1)!
      .upstreams.servers.map(({ address }) => address);
  expect(upstreamsOf({})).toEqual(["10.64.0.1"]);
  expect(upstreamsOf({ prefersTunnelResolvers: false })).toEqual(["192.0.2.53"]);
});

test("resolver instances: dns-proxy serves certificates for an address and egresses that forward TCP only", () => {
  const dot = { ...names.forwarders[0]!, protocol: "dot" as const, port: 853 };
  const isForwarded = (forwarder: object, over: Partial<Intent> = {}) =>
    fronts(compiled({ ...over, dns: { ...names, forwarders: [{ ...dot, ...forwarder }] } })).map(({ upstreams }) =>
      upstreams.servers.map((it) => it.usesDnsProxy),
    );
  expect(isForwarded({})[1]).toEqual([true]);
  expect(isForwarded({ serverName: "dns.test" })[1]).toEqual([false]);
  const over = { proxies: [proxy("far")], policies: [policy("1", { hops: [proxyHop("far")] })] };
  expect(isForwarded({ protocol: "plain" }, over)).toEqual([[], [false], [true]]);
});

test("resolver instances: a resolver on a LAN is a general upstream of the direct one only; all use it for its domains", () => {
  const onLan = { address: "192.168.1.53" };
  const forwarders = [
    forwarder("all", onLan),
    forwarder("far"),
    forwarder("own", { ...onLan, domains: ["office.test"] }),
  ];
  const tunnels = [tunnel("nl"), tunnel("se", { resolvers: ["192.168.1.9"] })];
  const policies = [
    policy("1", { sourceType: "device", sourceValue: "a", hops: vpn("nl") }),
    policy("2", { sourceType: "device", sourceValue: "b", hops: vpn("se") }),
    policy("3", { sourceType: "device", sourceValue: "c", hops: [proxyHop("p")] }),
  ];
  const made = fronts(compiled({ tunnels, policies, proxies: [proxy("p")], dns: namesWith({ forwarders }) }));
  expect(made.map(({ egress, upstreams }) => [egress, upstreams.servers.map(({ name }) => name)])).toEqual([
    ["none", []],
    ["direct", ["all", "far"]],
    ["wg-nl", ["far"]],
    // A tunnel's resolver with an address of a LAN: the LAN would see the tunnel's queries.
    ["wg-se", []],
    ["proxy p", ["far"]],
  ]);
  expect(made.slice(1).map(({ conditional }) => conditional[0]?.pool.servers.map(({ name }) => name))).toEqual(
    made.slice(1).map(() => ["own"]),
  );
});
