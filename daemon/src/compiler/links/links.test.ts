import { expect, test } from "vitest";
import {
  allUp,
  intentWith,
  network,
  numbersFor,
  policy,
  proxy,
  proxyHop,
  tunnel,
  vpn,
} from "../../../../testing/intent.ts";
import { routedMark } from "../../engines/nftables/marks.model.ts";
import { blockEgress, directEgress } from "../../engines/nftables/nftables.model.ts";
import { compileLinks, hopServers, innerAddresses, mtuOf, serverHostnames, splitEndpoint } from "./links.ts";
import { decide } from "../policy/decide.ts";
import { factsFor, type ObservedState } from "../input/facts.ts";
import type { Intent, IntentTunnel, OpenvpnPlan } from "../input/intent.ts";
import { egressNumber, neededIds } from "../egress/kernel-ids.ts";
import { compileRedirect } from "./redirect.ts";
import { egressesOf } from "../egress/egresses.ts";

const keys = JSON.stringify({ private_key: "private", preshared_keys: { "key of se": "shared" } });
const server = (host: string) => ({
  kind: "wireguard" as const,
  addresses: ["10.9.0.2/32"],
  listenPort: null,
  peers: [{ publicKey: "key of se", endpoint: `${host}:51820`, allowedIps: ["0.0.0.0/0"], keepaliveSec: 25 }],
});
const [nl, se, de] = [tunnel("nl"), tunnel("se", { config: server("192.0.2.2") }), tunnel("de")];
const ovpnPlan: OpenvpnPlan = {
  kind: "openvpn",
  remotes: [
    { host: "unknown.example", port: 1194, protocol: "udp" },
    { host: "VPN.example", port: 443, protocol: "tcp" },
  ],
  directives: [{ name: "cipher", args: ["AES-256-GCM"] }],
  blocks: { ca: "public" },
};
const ovpn = tunnel("ovpn", { interface: "ovpn-x", config: ovpnPlan });

/** Everything that follows from an intent in a world where all are up. */
function compiled(over: Partial<Intent>, around: Partial<ObservedState> = {}) {
  const intent = intentWith(over);
  const known = [...intent.tunnels, ...intent.proxies];
  const secrets = Object.fromEntries(intent.tunnels.map(({ secret }) => [secret ?? "", keys]));
  const world: ObservedState = {
    links: [{ name: "wan0", up: true, mtu: 1500 }],
    conditions: allUp(known),
    secrets,
    ...around,
  };
  const facts = factsFor(intent, world);
  const { ranked } = decide(intent, facts);
  const egresses = egressesOf(ranked, intent, facts);
  const kernelIds = numbersFor(neededIds(ranked, egresses, intent.proxies));
  const links = compileLinks(intent, facts, kernelIds);
  const { redsocks } = links;
  const redirect = compileRedirect({ intent, facts, redsocks, instances: [], egresses, kernelIds });
  return { intent, facts, kernelIds, links, redirect };
}
const chain = { tunnels: [nl, se, de], policies: [policy("p", { hops: vpn("nl", "se", "de") })] };

test("links: the MTU of nested tunnels is 1420, 1340, and never below the minimum of IPv6", () => {
  expect(compiled(chain).links.wireguard.map(({ mtu }) => mtu)).toEqual([1420, 1340, 1280]);
  const small = compiled(chain, { links: [{ name: "wan0", up: true, mtu: 1380 }] });
  expect(small.links.wireguard.map(({ mtu }) => mtu)).toEqual([1300, 1280, 1280]);
  const { intent, facts } = compiled({ ...chain, tunnels: [{ ...nl, mtu: 1400 }, se, de] });
  expect(mtuOf(se, intent, facts)).toBe(1320);
  expect(mtuOf(se, intent, { ...facts, links: [], hops: [] })).toBe(1420);
});

test("links: each hop's own packets have the mark of its outer hop", () => {
  const { links, kernelIds } = compiled(chain);
  expect(links.wireguard.map(({ mark }) => mark)).toEqual([
    routedMark(directEgress),
    routedMark(egressNumber("wg-nl", kernelIds)),
    routedMark(egressNumber("wg-se", kernelIds)),
  ]);
});

test("links: inside an unknown hop, own packets have no egress", () => {
  const { links } = compiled({ tunnels: [nl], policies: [policy("p", { hops: vpn("ppp0", "nl") })] });
  expect(links.wireguard.map(({ mark }) => mark)).toEqual([routedMark(blockEgress)]);
});

test("links: keys come from decrypted secrets; a tunnel without keys is left out", () => {
  expect(compiled({ tunnels: [se] }).links.wireguard[0]).toMatchObject({
    privateKey: "private",
    peers: [{ presharedKey: "shared", endpoint: "192.0.2.2:51820" }],
  });
  expect(compiled({ tunnels: [se, ovpn] }, { secrets: {} }).links).toMatchObject({ wireguard: [], openvpn: [] });
  expect(compiled({ tunnels: [{ ...se, enabled: false }] }).links.wireguard).toEqual([]);
});

test("links: WireGuard waits for the address of its endpoint, OpenVPN starts with the remotes that are known", () => {
  const named = { tunnels: [tunnel("se", { config: server("VPN.example") }), ovpn] };
  const { links } = compiled(named, { addresses: { "vpn.example": "2001:db8::5" } });
  expect(links.wireguard[0]!.peers[0]!.endpoint).toBe("[2001:db8::5]:51820");
  expect(links.openvpn[0]!.remotes).toEqual([{ address: "2001:db8::5", port: 443, protocol: "tcp" }]);
  expect(compiled(named).links).toMatchObject({ wireguard: [], openvpn: [] });
});

test("links: OpenVPN's secret blocks are added to the others, and half a credential is none", () => {
  const opened = (secret: object) =>
    compiled(
      { tunnels: [ovpn] },
      { addresses: { "vpn.example": "192.0.2.5" }, secrets: { [ovpn.secret!]: JSON.stringify(secret) } },
    ).links.openvpn[0];
  expect(opened({ blocks: { key: "sealed" }, username: "ada", password: "x" })).toMatchObject({
    blocks: { ca: "public", key: "sealed" },
    credentials: { username: "ada", password: "x" },
  });
  expect(opened({ username: "ada" })!.credentials).toBeNull();
  expect(opened({ blocks: {}, username: null, password: null })!.credentials).toBeNull();
});

test.each([
  ["192.0.2.1:51820", { host: "192.0.2.1", port: 51820 }],
  ["[2001:db8::1]:1194", { host: "2001:db8::1", port: 1194 }],
  ["vpn.example:443", { host: "vpn.example", port: 443 }],
])("links: an endpoint is a host and a port: %s", (text, parts) => expect(splitEndpoint(text)).toEqual(parts));

test("links: hostnames of enabled links are resolved once, in lower case", () => {
  const tunnels = [
    ovpn,
    tunnel("a", { config: server("vpn.EXAMPLE") }),
    tunnel("b", { config: server("off.example"), enabled: false }),
  ];
  const proxies = [proxy("p", { at: { host: "proxy.example", port: 1 } }), proxy("q")];
  expect(serverHostnames({ tunnels, proxies })).toEqual(["unknown.example", "vpn.example", "proxy.example"]);
});

test("links: servers of inner hops are separate, except one that is also a first hop's", () => {
  const servers = (tunnels: readonly IntentTunnel[]) => {
    const { intent, facts } = compiled({ ...chain, tunnels });
    const { firstHop, innerHop } = hopServers(intent, facts);
    return { firstHop: firstHop.map(({ address }) => address), innerHop: innerHop.map(({ address }) => address) };
  };
  expect(servers([nl, se, tunnel("de", { config: server("192.0.2.3") })])).toEqual({
    firstHop: ["192.0.2.1"],
    innerHop: ["192.0.2.2", "192.0.2.3"],
  });
  expect(servers([nl, se, tunnel("de", { config: server("192.0.2.1") })])).toEqual({
    firstHop: ["192.0.2.1"],
    innerHop: ["192.0.2.2"],
  });
});

test("links: the server of an unused tunnel is a first hop's, because it is contacted by the uplink", () => {
  const { intent, facts } = compiled({ tunnels: [nl, tunnel("off", { config: server("192.0.2.9"), enabled: false })] });
  expect(hopServers(intent, facts)).toEqual({
    firstHop: [{ address: "192.0.2.1", protocol: "udp", port: 51820 }],
    innerHop: [],
  });
});

test("links: inner addresses are those of tunnels, with every interface that has them, without LANs and uplinks", () => {
  const config = { ...server("192.0.2.1"), addresses: ["10.64.0.2/32", "FD00:64::2/128"] };
  const tunnels = [tunnel("nl", { config }), tunnel("off", { config, enabled: false })];
  const { intent } = compiled({ tunnels });
  const [nlAt, lan] = [intent.tunnels[0]!.interface, intent.network.lan[0]!];
  const links = [
    { name: lan, up: true, addresses: ["10.0.0.1", "10.64.0.2"] },
    { name: intent.network.wan, up: true, addresses: ["203.0.113.9"] },
    { name: "tun7", up: true, addresses: ["10.8.0.6"] },
    { name: "eth9", up: true, addresses: ["10.9.0.1"] },
  ];
  const hops = [{ type: "vpn", target: "tun7", interface: "tun7", up: true }];
  expect(innerAddresses(intent, { links, hops })).toEqual([
    { address: "10.64.0.2", interface: nlAt },
    { address: "fd00:64::2", interface: nlAt },
    { address: "10.64.0.2", interface: lan },
    { address: "10.8.0.6", interface: "tun7" },
  ]);
});

test("redirect: a proxy's server is reached by its outer hop, and only its own egresses are redirected to it", () => {
  const office = proxy("office");
  const { redirect, kernelIds } = compiled({
    tunnels: [nl],
    proxies: [office],
    policies: [
      policy("strict", { hops: [...vpn("nl"), proxyHop("office")] }),
      policy("open", { hops: [...vpn("nl"), proxyHop("office")], failPolicy: "fail-open" }),
    ],
  });
  expect(redirect.redirectors).toEqual([
    {
      name: office.id,
      egresses: [egressNumber("/direct or proxy office", kernelIds), egressNumber("proxy office", kernelIds)],
      port: kernelIds.redirectors.get(office.id),
      server: { address: "192.0.2.80", port: 1080 },
      mark: routedMark(egressNumber("wg-nl", kernelIds)),
      interface: "wg-nl",
    },
  ]);
});

test("redirect: a proxy whose name is a prefix of another's does not get the other's connections", () => {
  const { redirect, kernelIds } = compiled({
    proxies: [proxy("a"), proxy("a or b")],
    policies: [policy("p", { hops: [proxyHop("a or b")] }), policy("q", { hops: [proxyHop("a")] })],
  });
  expect(redirect.redirectors.map(({ egresses }) => egresses)).toEqual([
    [egressNumber("proxy a", kernelIds)],
    [egressNumber("proxy a or b", kernelIds)],
  ]);
});

test("links: a proxy inside another proxy or an unknown hop is not started", () => {
  const proxies = [proxy("first"), proxy('second "proxy" with a long name')];
  const policies = [policy("p", { hops: proxies.map(({ name }) => proxyHop(name)) })];
  const { links, redirect } = compiled({ proxies, policies });
  expect(links.redsocks.map(({ name }) => name)).toEqual([proxies[0]!.id]);
  expect(redirect.redirectors.map((it) => it.interface)).toEqual(["wan0"]);
  const orphaned = [policy("p", { hops: [...vpn("gone"), proxyHop("first")] })];
  expect(compiled({ proxies, policies: orphaned }).links.redsocks).toEqual([]);
});

test("redirect: a proxy without a policy has no program and no route; a disabled policy counts", () => {
  const named = [policy("p", { hops: [...vpn("nl"), proxyHop("office")] })];
  const redirectors = (over: Partial<Intent>) => {
    const { redirect } = compiled({ tunnels: [nl], proxies: [proxy("office")], ...over });
    return redirect.redirectors.map((it) => it.interface);
  };
  expect(redirectors({ policies: named })).toEqual(["wg-nl"]);
  expect(redirectors({ disabledPolicies: named })).toEqual(["wg-nl"]);
  expect(redirectors({})).toEqual([]);
});

test("links: a listener leaves by its tunnel with the tunnel's resolvers, or not at all", () => {
  const socks = proxy("socks", { kind: "local", tunnelId: nl.id, at: { host: "10.0.0.1", port: 1080 } });
  const resolving = { ...nl, resolvers: ["10.64.0.1"] };
  const { links, redirect, kernelIds } = compiled({ tunnels: [resolving], proxies: [socks] });
  expect(links.socksListener).toMatchObject([{ interface: "wg-nl", nameservers: ["10.64.0.1"] }]);
  expect(redirect.listeners).toMatchObject([
    { port: 1080, interface: "wg-nl", mark: routedMark(egressNumber("wg-nl", kernelIds)) },
  ]);
  const off = compiled({ tunnels: [{ ...nl, enabled: false }], proxies: [socks] });
  expect(off.links.socksListener).toEqual([]);
  expect(off.redirect.listeners).toEqual([]);
});

test("links: a listener on the uplink requires a password", () => {
  const listening = (over: object) => {
    const socks = proxy("socks", { kind: "local", at: { host: "10.0.0.1", port: 1080 }, ...over });
    return compiled({ proxies: [socks] }, { secrets: { "password 1": "x" } });
  };
  const direct = listening({ username: "ada", secret: "password 1" });
  expect(direct.links.socksListener).toMatchObject([
    { interface: "wan0", credentials: { username: "ada", password: "x" } },
  ]);
  expect(direct.redirect.listeners).toMatchObject([{ interface: "wan0", mark: routedMark(directEgress) }]);
  const open = listening({});
  expect(open.links.socksListener).toEqual([]);
  expect(open.redirect.listeners).toEqual([]);
});

test("links: a password without a username, or not decrypted, is no credential", () => {
  const named = proxy("p", { username: "ada", secret: "password 1" });
  const first = (secrets: Record<string, string>, it = named) =>
    compiled({ proxies: [it], policies: [policy("p", { hops: [proxyHop("p")] })] }, { secrets }).links.redsocks[0]!
      .credentials;
  expect(first({ "password 1": "x" })).toEqual({ username: "ada", password: "x" });
  expect(first({ "password 1": "x" }, { ...named, username: null })).toBeNull();
});

test("links: cover traffic has the mark of its tunnel, and ends with it", () => {
  const covers = [{ id: "c", tunnelId: nl.id, target: "192.0.2.9", bytesPerSec: 100 }];
  const { links, kernelIds } = compiled({ tunnels: [nl], covers });
  expect(links.cover).toMatchObject([{ interface: "wg-nl", mark: routedMark(egressNumber("wg-nl", kernelIds)) }]);
  expect(compiled({ tunnels: [{ ...nl, enabled: false }], covers }).links.cover).toEqual([]);
});

test("links: an uplink, used or not, or a tunnel never becomes a port of a bridge", () => {
  const listed = { name: "mobile", interface: "wan2", priority: 1, enabled: false, targets: [] };
  const members = ["eth1", "wan0", "wan1", "wan2", "wg-nl", "wg-off", "eth2"];
  const { links } = compiled({
    network: { ...network, uplinks: ["wan0"], unused: ["wan1"] },
    uplinks: { isProbed: true, mode: "manual", chosen: null, list: [listed] },
    tunnels: [nl, tunnel("off", { enabled: false })],
    bridges: [{ interface: "br0", members, addresses: ["10.0.0.1/24"], stp: true }],
  });
  expect(links.bridge).toEqual([
    {
      interface: "br0",
      members: ["eth1", "eth2"],
      refused: ["wan0", "wan1", "wan2", "wg-nl", "wg-off"],
      addresses: ["10.0.0.1/24"],
      stp: true,
    },
  ]);
});
