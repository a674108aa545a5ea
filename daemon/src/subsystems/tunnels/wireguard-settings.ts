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

/** What was asked on top of what stood → what anybody may see, and what nobody may. */
export function wireguardParts(asked: TunnelConfigInput, before?: WireguardParts): WireguardParts {
  const private_key = clamped(asked.private_key ?? before?.secrets.private_key ?? generateKeys().private_key);
  const public_key = publicKeyOf(private_key);
  const { config, preshared_keys } =
    asked.peers === undefined && before
      ? currentPeers(before)
      : peersOf(asked.peers ?? [], before?.secrets.preshared_keys ?? {});
  if (config.some((peer) => peer.public_key === public_key))
    refuseField("config.peers", "holds the public key of the tunnel itself");
  const addresses = (asked.addresses ?? before?.config.addresses ?? []).flatMap((it) =>
    one("config.addresses", addressesIn(it)),
  );
  if (addresses.length === 0) refuseField("config.addresses", "must hold the tunnel's own address");
  return {
    config: {
      addresses: [...new Set(addresses)],
      dns: (asked.dns ?? before?.config.dns ?? []).flatMap((it) => one("config.dns", resolversIn(it))),
      listen_port: asked.listen_port === undefined ? (before?.config.listen_port ?? null) : asked.listen_port,
      public_key,
      peers: config,
    },
    secrets: { private_key, preshared_keys },
  };
}

/** A file that was read, in the words of a request. */
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

/** The other way round, for a file: where there is a secret stands only that there is one. */
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
  if (peers.length === 0) refuseField("config.peers", "must hold the other side");
  const keys = peers.map(({ public_key }) => public_key);
  if (new Set(keys).size < keys.length) refuseField("config.peers", "holds a public key twice");
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
  // WireGuard would take a network silently from the one peer and give it to the other.
  if (new Set(networks).size < networks.length) refuseField("config.peers", "holds a network twice in allowed_ips");
  return { config, preshared_keys };
}

const everything = ["0.0.0.0/0", "::/0"];

function callable(text: string): string {
  const { endpoint, problem } = endpointIn(text);
  return endpoint ?? refuseField("config.peers", problem);
}

/** The readers of files know lists; a field of a request holds one value. */
const one = (field: string, { values, problem }: Listed): string[] =>
  problem === null && values.length === 1 ? [...values] : refuseField(field, problem ?? "holds a value that is none");
