import type { TunnelConfigInput, WireguardConfig } from "@portcullis/contract/subsystems/tunnels";
import { refuseField } from "../resources.ts";
import { clamped, generateKeys, publicKeyOf } from "./keys.ts";
import type { WireguardProfile } from "./profile.ts";
import { addressesIn, endpointIn, type Listed, networksIn, resolversIn } from "./wireguard-values.ts";

/** The sealed value of a WireGuard tunnel, as JSON. */
export interface WireguardSecrets {
  readonly private_key: string;
  /** By the public key of their peer. */
  readonly preshared_keys: Readonly<Record<string, string>>;
}

interface WireguardParts {
  readonly config: WireguardConfig;
  readonly secrets: WireguardSecrets;
}

/** The request merged with the previous configuration → the visible part and the secrets. */
export function wireguardParts(requested: TunnelConfigInput, before?: WireguardParts): WireguardParts {
  const private_key = clamped(requested.private_key ?? before?.secrets.private_key ?? generateKeys().private_key);
  const public_key = publicKeyOf(private_key);
  const { config, preshared_keys } =
    requested.peers === undefined && before
      ? currentPeers(before)
      : peersOf(requested.peers ?? [], before?.secrets.preshared_keys ?? {});
  if (config.some((peer) => peer.public_key === public_key))
    refuseField("config.peers", "contains the public key of the tunnel itself");
  const addresses = (requested.addresses ?? before?.config.addresses ?? []).flatMap((it) =>
    one("config.addresses", addressesIn(it)),
  );
  if (addresses.length === 0) refuseField("config.addresses", "must contain the gateway's own address");
  return {
    config: {
      addresses: [...new Set(addresses)],
      dns: (requested.dns ?? before?.config.dns ?? []).flatMap((it) => one("config.dns", resolversIn(it))),
      listen_port: requested.listen_port === undefined ? (before?.config.listen_port ?? null) : requested.listen_port,
      public_key,
      peers: config,
    },
    secrets: { private_key, preshared_keys },
  };
}

/** A parsed file in the form of a request. */
export const wireguardInput = (profile: WireguardProfile): TunnelConfigInput => ({
  ...(profile.privateKey !== null && { private_key: profile.privateKey }),
  addresses: [...profile.addresses],
  dns: [...profile.dns],
  listen_port: profile.listenPort,
  peers: profile.peers.map((peer) => ({
    public_key: peer.publicKey,
    preshared_key: peer.presharedKey,
    endpoint: peer.endpoint,
    allowed_ips: [...peer.allowedIps],
    persistent_keepalive: peer.keepaliveSec,
  })),
});

/** The profile of a stored configuration; secrets are empty strings. */
export const wireguardProfile = (config: WireguardConfig, mtu: number | null): WireguardProfile => ({
  privateKey: "",
  addresses: config.addresses,
  dns: config.dns,
  mtu,
  listenPort: config.listen_port,
  peers: config.peers.map((peer) => ({
    publicKey: peer.public_key,
    presharedKey: peer.has_preshared_key ? "" : null,
    endpoint: peer.endpoint,
    allowedIps: peer.allowed_ips,
    keepaliveSec: peer.persistent_keepalive,
  })),
});

const currentPeers = ({ config, secrets: { preshared_keys } }: WireguardParts) => ({
  config: config.peers.map((peer) => ({ ...peer, has_preshared_key: peer.public_key in preshared_keys })),
  preshared_keys,
});

type PeerInput = NonNullable<TunnelConfigInput["peers"]>[number];

function peersOf(peers: readonly PeerInput[], known: Readonly<Record<string, string>>) {
  if (peers.length === 0) refuseField("config.peers", "must contain a peer");
  const keys = peers.map(({ public_key }) => public_key);
  if (new Set(keys).size < keys.length) refuseField("config.peers", "contains a public key twice");
  const preshared = peers.flatMap(({ public_key, preshared_key }) => {
    const key = preshared_key === undefined ? known[public_key] : preshared_key;
    return key == null ? [] : [[public_key, key] as const];
  });
  const preshared_keys = Object.fromEntries(preshared);
  const config = peers.map(({ public_key, endpoint = null, allowed_ips, persistent_keepalive = 0 }) => ({
    public_key,
    endpoint: endpoint === null ? null : callable(endpoint),
    allowed_ips: [...new Set((allowed_ips ?? everything).flatMap((it) => one("config.peers", networksIn(it))))],
    persistent_keepalive,
    has_preshared_key: public_key in preshared_keys,
  }));
  const networks = config.flatMap(({ allowed_ips }) => allowed_ips);
  // WireGuard would silently move a network from one peer to the other.
  if (new Set(networks).size < networks.length) refuseField("config.peers", "contains a network twice in allowed_ips");
  return { config, preshared_keys };
}

const everything = ["0.0.0.0/0", "::/0"];

function callable(text: string): string {
  const { endpoint, problem } = endpointIn(text);
  return endpoint ?? refuseField("config.peers", problem);
}

/** The parsers of files return lists; a field of a request is one value. */
const one = (field: string, { values, problem }: Listed): string[] =>
  problem === null && values.length === 1 ? [...values] : refuseField(field, problem ?? "contains an invalid value");
