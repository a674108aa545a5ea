import { formatAddress, parseAddress } from "@portcullis/contract/addresses";
import type { BridgeLink } from "../../engines/bridge/bridge.model.ts";
import type { CoverStream } from "../../engines/cover/cover.model.ts";
import { userOf } from "../../engines/sandbox/sandbox.model.ts";
import type { SocksListener } from "../../engines/dante/dante.model.ts";
import { routedMark } from "../../engines/nftables/marks.model.ts";
import { directEgress, type Guard, type Server } from "../../engines/nftables/nftables.model.ts";
import type { OpenvpnClient } from "../../engines/openvpn/openvpn.model.ts";
import type { Redirector } from "../../engines/redsocks/redsocks.model.ts";
import { tunnelUserOf } from "../../engines/tun/tun.model.ts";
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
import { reservedNetworks } from "./reserved-networks.ts";

/** What must exist before a packet can be sent through it: each hop a policy may name, and what devices connect through. */
export interface Links {
  readonly bridge: readonly BridgeLink[];
  readonly wireguard: readonly WireguardLink[];
  readonly openvpn: readonly OpenvpnClient[];
  readonly redsocks: readonly Redirector[];
  readonly dante: readonly SocksListener[];
  readonly cover: readonly CoverStream[];
}

/** Intent → hops that exist. One whose keys or server are not known yet is left out: it cannot carry anything. */
export function compileLinks(intent: Intent, facts: Facts, kernelIds: KernelIds): Links {
  const tunnels = intent.tunnels.filter(({ enabled }) => enabled);
  return {
    bridge: intent.bridges.map((it) => bridgeLink(it, intent)),
    wireguard: tunnels.flatMap((it) => wireguardLink(it, intent, facts, kernelIds)),
    openvpn: openvpnClients(tunnels, intent, facts, kernelIds),
    redsocks: upstreams(intent).flatMap((it) => redirector(it, facts, kernelIds)),
    dante: listeners(intent).flatMap((it) => listener(it, intent, facts)),
    cover: intent.covers.flatMap((it) => coverStream(it, tunnels, kernelIds)),
  };
}

/**
 * Whoever asked for a bridge was told what cannot be its port, but the bootstrap file may have been edited since, or an older
 * state come back. Devices behind a bridge reach its other ports without meeting the gate.
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

/** WireGuard would greet nobody, and wait five seconds before it tries again. */
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
  /** null in tunnels whose server knows them by their certificate. */
  readonly username?: string | null;
  readonly password?: string | null;
}

function redirector(proxy: IntentProxy, facts: Facts, kernelIds: KernelIds): Redirector[] {
  const port = kernelIds.redirectors.get(proxy.id);
  const address = addressOf(proxy.at.host, facts);
  const credentials = credentialsOf(proxy, facts);
  const hop = facts.hops.find(({ own }) => own?.id === proxy.id);
  const before = outerHopOf(proxy.id, facts);
  // Behind another proxy, or behind nobody, it could not reach its server. One that no policy names any more may still have
  // connections that began inside a tunnel; by the uplink, everybody could see whom they are with.
  const isReachable = hop !== undefined && (before === undefined || isInterface(before));
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
 * The interface a listener's connections leave by. Its tunnel may be switched off: then they leave by none. By the uplink
 * only for who knows a password: any device that can reach it would be in the clear, those under protection too.
 */
export function listenerInterface(
  { tunnelId, username }: IntentProxy,
  { tunnels, network }: Pick<Intent, "tunnels" | "network">,
): string | undefined {
  if (tunnelId === null) return username === null ? undefined : network.wan;
  return tunnels.find(({ id, enabled }) => id === tunnelId && enabled)?.interface;
}

/** Names that clients hand a listener are asked by its own way: of the tunnel's resolvers, or the gateway's. */
const resolversOf = ({ tunnelId }: IntentProxy, { tunnels, network }: Intent): readonly string[] =>
  tunnelId === null ? (network.resolvers ?? []) : (tunnels.find(({ id }) => id === tunnelId)?.resolvers ?? []);

/** Undefined while its password cannot be opened: a listener without one would let everybody in. */
function credentialsOf({ username, secret }: IntentProxy, { secrets }: Facts) {
  if (username === null) return null;
  const password = secret === null ? undefined : secrets?.[secret];
  return password === undefined ? undefined : { username, password };
}

function secretOf<T>({ secret }: { readonly secret: string | null }, { secrets }: Facts): T | undefined {
  const text = secret === null ? undefined : secrets?.[secret];
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** The interface a hop's own packets travel inside of; nothing: they leave by the uplink. */
export const outerHopOf = (id: string, { hops }: Facts): string | undefined =>
  hops.find(({ own }) => own?.id === id)?.own?.outerHop?.interface;

/** By which way a hop's own packets leave. */
export function outerHopMark(id: string, facts: Facts, kernelIds: KernelIds): number {
  const before = outerHopOf(id, facts);
  return routedMark(before === undefined ? directEgress : egressNumber(before, kernelIds));
}

/** What WireGuard puts around a packet when its server has an IPv6 address. */
const overhead = 80;
const [defaultMtu, minMtu] = [1500, 1280];

/** As large as fits into what carries it, tunnel in tunnel. */
export function mtuOf(tunnel: IntentTunnel, intent: Pick<Intent, "tunnels" | "network">, facts: Facts): number {
  if (tunnel.mtu !== null) return tunnel.mtu;
  const before = outerHopOf(tunnel.id, facts);
  const outer = intent.tunnels.find((it) => it.interface === before && it !== tunnel);
  const linkMtu = facts.links.find(({ name }) => name === (before ?? intent.network.wan))?.mtu ?? defaultMtu;
  return Math.max(minMtu, (outer ? mtuOf(outer, intent, facts) : linkMtu) - overhead);
}

function addressOf(host: string, { addresses }: Facts): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return /^[\d.]+$|:/.test(bare) ? bare : addresses?.[bare.toLowerCase()];
}

/** An endpoint with its name looked up; null while nobody knows it. */
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

/** Names that must be looked up before hops can begin. */
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

/** Servers of all hops: of those that run inside another one, and of those that are called by the uplink. */
export interface HopServers {
  readonly firstHop: readonly Server[];
  readonly innerHop: readonly Server[];
}

/** One that is both a first hop's and a later one's must be called by the uplink, so it counts as a first one's. */
export function hopServers(intent: Intent, facts: Facts): HopServers {
  const placed = [
    ...intent.tunnels
      .filter(({ enabled }) => enabled)
      .map(({ id, config }) => ({ id, servers: serversOf(config, facts) })),
    ...upstreams(intent).map(({ id, at }) => ({ id, servers: serverAt(at.host, at.port, "tcp", facts) })),
  ].map(({ id, servers }) => ({ servers, isLater: outerHopOf(id, facts) !== undefined }));
  const distinct = (isLater: boolean): Map<string, Server> =>
    new Map(
      placed
        .filter((it) => it.isLater === isLater)
        .flatMap(({ servers }) => servers)
        .map((it) => [`${it.address} ${it.protocol} ${it.port}`, it]),
    );
  const [first, later] = [distinct(false), distinct(true)];
  return { firstHop: [...first.values()], innerHop: [...later].filter(([key]) => !first.has(key)).map(([, it]) => it) };
}

/**
 * Addresses of tunnels, ours and others', and every interface that has one: providers give one address to all tunnels of a
 * customer. Those a file names are known before the tunnel is up.
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
