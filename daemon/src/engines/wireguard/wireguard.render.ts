import type { WireguardLink, WireguardPeer } from "./wireguard.model.ts";

interface Choices {
  /** Without a wanted port, the current one: leaving it out would change it. */
  readonly listenPort: number | null;
  /** Peers whose endpoint is set. The others keep theirs, which may have roamed. */
  readonly withEndpoint: (peer: WireguardPeer) => boolean;
}

/** The input of `wg setconf` and `wg syncconf`. It contains keys. */
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
