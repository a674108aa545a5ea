import { formatAddress, parseAddress } from "../../net/addresses.ts";
import type { BridgeLink } from "../../engines/bridge/bridge.model.ts";
import type { LanAddress } from "../../engines/lan-address/lan-address.model.ts";
import type { DhcpPlan } from "../../engines/kea/kea.model.ts";
import type { Advertisement } from "../../engines/radvd/radvd.model.ts";
import type { CoverStream } from "../../engines/cover/cover.model.ts";
import { userOf } from "../../engines/sandbox/sandbox.model.ts";
import type { SocksListener } from "../../engines/socks-listener/socks-listener.model.ts";
import { routedMark } from "../../engines/nftables/marks.model.ts";
import { directEgress, type Guard, type Server } from "../../engines/nftables/nftables.model.ts";
import type { OpenvpnClient } from "../../engines/openvpn/openvpn.model.ts";
import type { Redirector } from "../../engines/redsocks/redsocks.model.ts";
import { tunnelUserOf } from "../../engines/tun/tun.model.ts";
import type { VlanLink } from "../../engines/vlan/vlan.model.ts";
import type { WireguardLink } from "../../engines/wireguard/wireguard.model.ts";
import { type Facts, isInterface } from "../input/facts.ts";
import {
  type Intent,
  type IntentBridge,
  type IntentCover,
  type IntentProxy,
  type IntentTunnel,
  type OpenvpnPlan,
  outsideOf,
  type WireguardPlan,
} from "../input/intent.ts";
import { egressNumber, type KernelIds } from "../egress/kernel-ids.ts";
import { advertisements } from "./advertisements.ts";
import { dhcpPlan } from "./dhcp.ts";
import { reservedNetworks } from "./reserved-networks.ts";

/**
 * The desired links: each possible hop of a policy, bridges, VLANs, addresses of LANs, local proxies, cover traffic, the DHCP server and router
 * advertisements.
 */
export interface Links {
  readonly bridge: readonly BridgeLink[];
  readonly vlan: readonly VlanLink[];
  readonly lanAddress: readonly LanAddress[];
  readonly wireguard: readonly WireguardLink[];
  readonly openvpn: readonly OpenvpnClient[];
  readonly redsocks: readonly Redirector[];
  readonly socksListener: readonly SocksListener[];
  readonly cover: readonly CoverStream[];
  readonly kea: DhcpPlan;
  readonly radvd: readonly Advertisement[];
}

/** A link whose keys or server address are not known yet is left out. */
export function compileLinks(intent: Intent, facts: Facts, kernelIds: KernelIds): Links {
  const tunnels = intent.tunnels.filter(({ enabled }) => enabled);
  return {
    bridge: intent.bridges.map((it) => bridgeLink(it, intent)),
    vlan: intent.network.vlans ?? [],
    lanAddress: lanAddresses(intent),
    wireguard: tunnels.flatMap((it) => wireguardLink(it, intent, facts, kernelIds)),
    openvpn: openvpnClients(tunnels, intent, facts, kernelIds),
    redsocks: upstreams(intent).flatMap((it) => redirector(it, facts, kernelIds)),
    socksListener: listeners(intent).flatMap((it) => listener(it, intent, facts)),
    cover: intent.covers.flatMap((it) => coverStream(it, tunnels, kernelIds)),
    kea: dhcpPlan(intent, facts),
    radvd: advertisements(intent, facts),
  };
}

/**
 * The API rejects ports that a bridge may not have, but the bootstrap file may have been edited since, or a snapshot restored.
 * Devices behind a bridge reach its other ports without passing the guard.
 */
function bridgeLink(
  { interface: name, members, addresses, stp }: IntentBridge,
  { network, uplinks, tunnels }: Intent,
): BridgeLink {
  const gated = new Set([...outsideOf(network), ...[...uplinks.list, ...tunnels].map((it) => it.interface)]);
  return {
    interface: name,
    members: members.filter((it) => !gated.has(it)),
    refused: members.filter((it) => gated.has(it)),
    addresses,
    stp,
  };
}

/** The addresses of a bridge or VLAN are those of its own settings. */
function lanAddresses({ network, bridges }: Intent): LanAddress[] {
  const own = [...bridges, ...(network.vlans ?? [])].map((it) => it.interface);
  return (network.lanAddresses ?? []).filter((it) => !own.includes(it.interface));
}

function coverStream(
  { id, tunnelId, target, bytesPerSec }: IntentCover,
  tunnels: readonly IntentTunnel[],
  kernelIds: KernelIds,
): CoverStream[] {
  const tunnel = tunnels.find((it) => it.id === tunnelId);
  if (!tunnel) return [];
  const mark = routedMark(egressNumber(tunnel.interface, kernelIds));
  return [{ name: id, interface: tunnel.interface, mark, target, bytesPerSec }];
}

export const upstreams = ({ proxies }: Pick<Intent, "proxies">): IntentProxy[] =>
  proxies.filter(({ kind, enabled }) => kind === "upstream" && enabled);
export const listeners = ({ proxies }: Pick<Intent, "proxies">): IntentProxy[] =>
  proxies.filter(({ kind, enabled }) => kind === "local" && enabled);

function wireguardLink(tunnel: IntentTunnel, intent: Intent, facts: Facts, kernelIds: KernelIds): WireguardLink[] {
  const { config } = tunnel;
  const keys = secretOf<{ private_key: string; preshared_keys?: Record<string, string> }>(tunnel, facts);
  if (config.kind !== "wireguard" || !keys || isUnknown(config, facts)) return [];
  return [
    {
      interface: tunnel.interface,
      privateKey: keys.private_key,
      addresses: config.addresses,
      mtu: mtuOf(tunnel, intent, facts),
      listenPort: config.listenPort,
      mark: outerHopMark(tunnel.id, facts, kernelIds),
      userId: tunnelUserOf(egressNumber(tunnel.interface, kernelIds)),
      peers: config.peers.map(({ publicKey, endpoint, allowedIps, keepaliveSec }) => ({
        publicKey,
        presharedKey: keys.preshared_keys?.[publicKey] ?? null,
        endpoint: endpoint === null ? null : addressed(endpoint, facts),
        allowedIps,
        keepaliveSec,
      })),
    },
  ];
}

/** Without an endpoint, WireGuard could not start a handshake, and would wait five seconds before the next attempt. */
function isUnknown({ peers }: WireguardPlan, facts: Facts): boolean {
  const endpoints = peers.flatMap(({ endpoint }) => endpoint ?? []);
  return endpoints.length > 0 && endpoints.every((it) => addressed(it, facts) === null);
}

function openvpnClients(
  tunnels: readonly IntentTunnel[],
  intent: Intent,
  facts: Facts,
  kernelIds: KernelIds,
): OpenvpnClient[] {
  const clients = tunnels.flatMap((it) => openvpnClient(it, intent, facts, kernelIds));
  if (clients.length === 0) return [];
  const { firstHop, innerHop } = hopServers(intent, facts);
  const reserved = reservedNetworks(intent, facts, [...firstHop, ...innerHop]);
  return clients.map((it) => ({ ...it, reserved }));
}

type UnreservedClient = Omit<OpenvpnClient, "reserved">;

function openvpnClient(tunnel: IntentTunnel, intent: Intent, facts: Facts, kernelIds: KernelIds): UnreservedClient[] {
  const { config } = tunnel;
  if (config.kind !== "openvpn") return [];
  const secret = tunnel.secret === null ? {} : secretOf<OpenvpnSecret>(tunnel, facts);
  const remotes = config.remotes.flatMap(({ host, port, protocol }) => {
    const address = addressOf(host, facts);
    return address === undefined ? [] : [{ address, port, protocol }];
  });
  if (!secret || remotes.length === 0) return [];
  const { username, password } = secret;
  return [
    {
      interface: tunnel.interface,
      remotes,
      directives: config.directives,
      blocks: { ...config.blocks, ...secret.blocks },
      credentials: username == null || password == null ? null : { username, password },
      mtu: mtuOf(tunnel, intent, facts),
      mark: outerHopMark(tunnel.id, facts, kernelIds),
      userId: tunnelUserOf(egressNumber(tunnel.interface, kernelIds)),
    },
  ];
}

interface OpenvpnSecret {
  readonly blocks?: Readonly<Record<string, string>>;
  /** null if the server authenticates the client by its certificate. */
  readonly username?: string | null;
  readonly password?: string | null;
}

function redirector(proxy: IntentProxy, facts: Facts, kernelIds: KernelIds): Redirector[] {
  const port = kernelIds.redirectors.get(proxy.id);
  const address = addressOf(proxy.at.host, facts);
  const credentials = credentialsOf(proxy, facts);
  const hop = facts.hops.find(({ own }) => own?.id === proxy.id);
  const outer = outerHopOf(proxy.id, facts);
  // Behind another proxy or an unknown hop it could not reach its server. A proxy that no policy uses any more may still have
  // connections that began inside a tunnel; by the uplink, their destination would be visible.
  const isReachable = hop !== undefined && (outer === undefined || isInterface(outer));
  if (port === undefined || address === undefined || credentials === undefined || !isReachable) return [];
  return [{ name: proxy.id, port, server: { address, port: proxy.at.port }, credentials }];
}

function listener(proxy: IntentProxy, intent: Intent, facts: Facts): SocksListener[] {
  const leaves = listenerInterface(proxy, intent);
  const credentials = credentialsOf(proxy, facts);
  if (leaves === undefined || credentials === undefined) return [];
  return [
    {
      name: proxy.id,
      listen: { address: proxy.at.host, port: proxy.at.port },
      interface: leaves,
      credentials,
      userId: userOf(proxy.at.port),
      nameservers: resolversOf(proxy, intent),
    },
  ];
}

/**
 * The interface by which a listener's connections leave; undefined while its tunnel is disabled. The uplink requires a password:
 * otherwise any device that can reach the listener, a protected one too, would leave in the clear.
 */
export function listenerInterface(
  { tunnelId, username }: IntentProxy,
  { tunnels, network }: Pick<Intent, "tunnels" | "network">,
): string | undefined {
  if (tunnelId === null) return username === null ? undefined : network.wan;
  return tunnels.find(({ id, enabled }) => id === tunnelId && enabled)?.interface;
}

/** A listener resolves names by its own egress: at the tunnel's resolvers, or the gateway's. */
const resolversOf = ({ tunnelId }: IntentProxy, { tunnels, network }: Intent): readonly string[] =>
  tunnelId === null ? (network.resolvers ?? []) : (tunnels.find(({ id }) => id === tunnelId)?.resolvers ?? []);

/** Undefined while the password cannot be decrypted: a listener without one would accept any client. */
function credentialsOf({ username, secret }: IntentProxy, { secrets }: Facts) {
  if (username === null) return null;
  const password = secret === null ? undefined : secrets?.[secret];
  return password === undefined ? undefined : { username, password };
}

function secretOf<T>({ secret }: { readonly secret: string | null }, { secrets }: Facts): T | undefined {
  const text = secret === null ? undefined : secrets?.[secret];
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** The interface through which a hop's own packets leave; undefined: the uplink. */
export const outerHopOf = (id: string, { hops }: Facts): string | undefined =>
  hops.find(({ own }) => own?.id === id)?.own?.outerHop?.interface;

/** The mark of a hop's own packets. */
export function outerHopMark(id: string, facts: Facts, kernelIds: KernelIds): number {
  const outer = outerHopOf(id, facts);
  return routedMark(outer === undefined ? directEgress : egressNumber(outer, kernelIds));
}

/** Of WireGuard over IPv6. */
const overhead = 80;
const [defaultMtu, minMtu] = [1500, 1280];

/** The MTU of the outer hop or uplink, less the overhead. */
export function mtuOf(tunnel: IntentTunnel, intent: Pick<Intent, "tunnels" | "network">, facts: Facts): number {
  if (tunnel.mtu !== null) return tunnel.mtu;
  const outer = outerHopOf(tunnel.id, facts);
  const outerTunnel = intent.tunnels.find((it) => it.interface === outer && it !== tunnel);
  const linkMtu = facts.links.find(({ name }) => name === (outer ?? intent.network.wan))?.mtu ?? defaultMtu;
  return Math.max(minMtu, (outerTunnel ? mtuOf(outerTunnel, intent, facts) : linkMtu) - overhead);
}

function addressOf(host: string, { addresses }: Facts): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return /^[\d.]+$|:/.test(bare) ? bare : addresses?.[bare.toLowerCase()];
}

/** An endpoint with the address of its hostname; null while that is unknown. */
function addressed(endpoint: string, facts: Facts): string | null {
  const { host, port } = splitEndpoint(endpoint);
  const address = addressOf(host, facts);
  if (address === undefined) return null;
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

export function splitEndpoint(endpoint: string): { host: string; port: number } {
  const colon = endpoint.lastIndexOf(":");
  return { host: endpoint.slice(0, colon).replace(/^\[(.*)\]$/, "$1"), port: Number(endpoint.slice(colon + 1)) };
}

/** Hostnames that must be resolved before links can start. */
export function serverHostnames({ tunnels, proxies }: Pick<Intent, "tunnels" | "proxies">): string[] {
  const hosts = [
    ...tunnels.filter(({ enabled }) => enabled).flatMap(({ config }) => hostsOf(config)),
    ...upstreams({ proxies }).map(({ at }) => at.host),
  ];
  return [...new Set(hosts.filter((host) => !/^[\d.]+$|:/.test(host)).map((host) => host.toLowerCase()))];
}

export const hostsOf = (config: WireguardPlan | OpenvpnPlan): string[] =>
  (config.kind === "wireguard"
    ? config.peers.flatMap(({ endpoint }) => (endpoint === null ? [] : [splitEndpoint(endpoint).host]))
    : config.remotes.map(({ host }) => host)
  ).map((host) => host.toLowerCase());

/** Servers of first hops, which are contacted by the uplink, and of hops inside another one. */
export interface HopServers {
  readonly firstHop: readonly Server[];
  readonly innerHop: readonly Server[];
}

/** A server of both kinds must be reachable by the uplink, so it counts as a first hop's. */
export function hopServers(intent: Intent, facts: Facts): HopServers {
  const placed = [
    ...intent.tunnels
      .filter(({ enabled }) => enabled)
      .map(({ id, config }) => ({ id, servers: serversOf(config, facts) })),
    ...upstreams(intent).map(({ id, at }) => ({ id, servers: serverAt(at.host, at.port, "tcp", facts) })),
  ].map(({ id, servers }) => ({ servers, isInner: outerHopOf(id, facts) !== undefined }));
  const distinct = (isInner: boolean): Map<string, Server> =>
    new Map(
      placed
        .filter((it) => it.isInner === isInner)
        .flatMap(({ servers }) => servers)
        .map((it) => [`${it.address} ${it.protocol} ${it.port}`, it]),
    );
  const [first, later] = [distinct(false), distinct(true)];
  return { firstHop: [...first.values()], innerHop: [...later].filter(([key]) => !first.has(key)).map(([, it]) => it) };
}

/**
 * Addresses of tunnels, ours and foreign ones, with every interface that has them: providers give one address to all tunnels of
 * a customer. Configured ones are known before the tunnel is up.
 */
export function innerAddresses({ tunnels, network }: Intent, { links, hops }: Facts): Guard["inner"] {
  const reserved = new Set([...network.lan, ...outsideOf(network)]);
  const own = tunnels.filter(({ enabled }) => enabled);
  const names = new Set([...own, ...hops].map((it) => it.interface).filter((name) => !reserved.has(name)));
  const planned = own.flatMap(({ interface: name, config }) =>
    (config.kind === "wireguard" ? config.addresses : []).map((it) => ({
      address: it.replace(/\/\d+$/, ""),
      interface: name,
    })),
  );
  const seen = links.flatMap(({ name, addresses = [] }) => addresses.map((address) => ({ address, interface: name })));
  const all = [...planned, ...seen].flatMap(({ address, ...at }) => {
    const parsed = parseAddress(address);
    return parsed ? [{ address: formatAddress(parsed), ...at }] : [];
  });
  const inner = new Set(all.filter((it) => names.has(it.interface)).map(({ address }) => address));
  return all.filter(({ address }) => inner.has(address));
}

const serversOf = (config: WireguardPlan | OpenvpnPlan, facts: Facts): Server[] =>
  config.kind === "wireguard"
    ? config.peers.flatMap(({ endpoint }) => {
        if (endpoint === null) return [];
        const { host, port } = splitEndpoint(endpoint);
        return serverAt(host, port, "udp", facts);
      })
    : config.remotes.flatMap(({ host, port, protocol }) => serverAt(host, port, protocol, facts));

function serverAt(host: string, port: number, protocol: Server["protocol"], facts: Facts): Server[] {
  const known = [addressOf(host, facts), ...(facts.former?.[host.toLowerCase()] ?? [])];
  return known.filter((it) => it !== undefined).map((address) => ({ address, protocol, port }));
}
