import type { WireguardLink, WireguardPeer } from "./wireguard.model.ts";

interface Choices {
  /** Where none is asked for, the one it has: to leave it out would give it another. */
  readonly listenPort: number | null;
  /** Peers whose endpoint is told. The others keep the one they have, which may be one they moved to. */
  readonly withEndpoint: (peer: WireguardPeer) => boolean;
}

/** What `wg setconf` and `wg syncconf` read. It holds keys. */
export function renderConf(link: WireguardLink, { listenPort, withEndpoint }: Choices): string {
  const port = link.listenPort ?? listenPort;
  const head = [
    "[Interface]",
    `PrivateKey = ${link.privateKey}`,
    `FwMark = 0x${(link.mark >>> 0).toString(16)}`,
    ...(port === null || port === 0 ? [] : [`ListenPort = ${port}`]),
  ];
  const peers = link.peers.flatMap((peer) => ["", ...peerLines(peer, withEndpoint(peer))]);
  return `${[...head, ...peers].join("\n")}\n`;
}

const peerLines = (peer: WireguardPeer, withEndpoint: boolean): string[] => [
  "[Peer]",
  `PublicKey = ${peer.publicKey}`,
  ...(peer.presharedKey === null ? [] : [`PresharedKey = ${peer.presharedKey}`]),
  `AllowedIPs = ${peer.allowedIps.join(", ")}`,
  ...(withEndpoint && peer.endpoint !== null ? [`Endpoint = ${peer.endpoint}`] : []),
  `PersistentKeepalive = ${peer.keepaliveSec}`,
];
