import { type Cidr, formatAddress, parseAddress, parseNetwork } from "../../net/addresses.ts";
import type { Bridge } from "@portcullis/contract/subsystems/bridges";
import type { PublishedProxy } from "@portcullis/contract/subsystems/proxies";
import type { SplittingEndpoint } from "@portcullis/contract/subsystems/splitting";
import { noProbes, type PublishedTunnel } from "@portcullis/contract/subsystems/tunnels";
import { defaultProbeTargets, type WanUplinks } from "@portcullis/contract/subsystems/uplinks";
import { splitEndpoint } from "../links/links.ts";
import type { Intent, IntentBridge, IntentCover, IntentProxy, IntentTunnel, IntentUplinks } from "./intent.ts";

/** The resources of a document that define links. */
export interface LinkResources {
  readonly tunnel: readonly PublishedTunnel[];
  readonly proxy: readonly PublishedProxy[];
  readonly bridge: readonly Omit<Bridge, "status" | "healthy" | "reason" | "coded_reason">[];
  readonly splitting_endpoint: readonly SplittingEndpoint[];
}

export const noLinkResources: LinkResources = { tunnel: [], proxy: [], bridge: [], splitting_endpoint: [] };

export const linksIn = ({
  tunnel: tunnels,
  proxy: proxies,
  bridge: bridges,
  splitting_endpoint: endpoints,
}: LinkResources): Pick<Intent, "tunnels" | "proxies" | "bridges" | "covers"> => ({
  tunnels: tunnels.map((it) => tunnelOf(it, endpoints)),
  proxies: proxies.map(proxyOf),
  bridges: bridges.filter(({ enabled }) => enabled).map(bridgeOf),
  covers: endpoints.flatMap(coverOf),
});

/** Without settings, the uplinks of the bootstrap file. */
export function uplinksIn([settings]: readonly WanUplinks[], interfaces: readonly string[]): IntentUplinks {
  return {
    isProbed: settings !== undefined,
    mode: settings?.wan_failover_mode ?? "manual",
    chosen: settings?.active ?? null,
    list:
      settings?.uplinks.map(({ probe_targets, ...it }) => ({ ...it, targets: probe_targets })) ??
      interfaces.map((name) => ({ name, interface: name, priority: 0, enabled: true, targets: defaultProbeTargets })),
  };
}

/** The key of a decrypted secret in the facts. */
export const secretKey = ({ id, version }: { readonly id: string; readonly version: number }): string =>
  `${id} ${version}`;

function tunnelOf(tunnel: PublishedTunnel, endpoints: readonly SplittingEndpoint[]): IntentTunnel {
  const { id, name, enabled, interface: device, mtu, secret } = tunnel;
  const member = endpoints.find((it) => it.tunnel_id === id && it.role === "member" && it.enabled);
  return {
    id,
    name,
    enabled,
    interface: device,
    mtu,
    weight: member?.weight ?? 1,
    resolvers: resolversOf(tunnel),
    ...probesOf(tunnel),
    secret: secret && secretKey(secret),
    config: configOf(tunnel),
  };
}

const resolversOf = ({ type, config }: PublishedTunnel): string[] =>
  type === "wireguard" ? config.dns.filter((it) => parseAddress(it) !== undefined) : [];

type Probes = Pick<IntentTunnel, "probeTargets" | "fallbackTargets" | "probing">;

/**
 * The target that the operator has set; or else hosts on the other side: the tunnel's resolvers and hosts of its peers. Public
 * servers are probed only if the tunnel routes the Internet and nothing on the other side answers.
 */
function probesOf(tunnel: PublishedTunnel): Probes {
  if (tunnel.probe_target === noProbes) return { probeTargets: [], probing: "none" };
  if (tunnel.probe_target !== null) return { probeTargets: [tunnel.probe_target], probing: "given" };
  if (tunnel.type === "openvpn") return { probeTargets: [], fallbackTargets: defaultProbeTargets };
  const { peers } = tunnel.config;
  const resolvers = resolversOf(tunnel);
  const networks = peers.flatMap(({ allowed_ips }) => allowed_ips.flatMap((it) => parseNetwork(it) ?? []));
  const near = [...resolvers, ...networks.filter(({ bits }) => bits > 0).map(firstHost)];
  return {
    probeTargets: near,
    ...(networks.some(({ bits }) => bits === 0) && { fallbackTargets: defaultProbeTargets }),
  };
}

/** Often the address of the other end. */
export function firstHost({ family, base, bits }: Cidr): string {
  const isOne = bits === (family === 4 ? 32 : 128);
  return formatAddress({ family, value: isOne ? base : base + 1n });
}

function configOf(tunnel: PublishedTunnel): IntentTunnel["config"] {
  if (tunnel.type === "openvpn") {
    const { remotes, directives, blocks } = tunnel.config;
    return { kind: "openvpn", remotes, directives, blocks };
  }
  const { addresses, listen_port, peers } = tunnel.config;
  return {
    kind: "wireguard",
    addresses,
    listenPort: listen_port,
    peers: peers.map(({ public_key, endpoint, allowed_ips, persistent_keepalive }) => ({
      publicKey: public_key,
      endpoint,
      allowedIps: allowed_ips,
      keepaliveSec: persistent_keepalive,
    })),
  };
}

const proxyOf = ({
  id,
  name,
  enabled,
  kind,
  listen,
  address,
  tunnel_id,
  username,
  secret,
}: PublishedProxy): IntentProxy => ({
  id,
  name,
  enabled,
  kind,
  at: splitEndpoint(listen ?? address ?? ""),
  tunnelId: tunnel_id,
  username,
  secret: secret && secretKey(secret),
});

const bridgeOf = ({ interface: name, members, addresses, stp }: LinkResources["bridge"][number]): IntentBridge => ({
  interface: name,
  members,
  addresses,
  stp,
});

const coverOf = ({ id, tunnel_id, role, enabled, target, bytes_per_second }: SplittingEndpoint): IntentCover[] =>
  role === "cover" && enabled && target !== null
    ? [{ id, tunnelId: tunnel_id, target, bytesPerSec: bytes_per_second }]
    : [];
