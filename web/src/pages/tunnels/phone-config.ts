import type { WireguardConfig } from "@portcullis/contract/subsystems/tunnels";

type Peer = WireguardConfig["peers"][number];

interface Phone {
  readonly privateKey: string;
  /** As assigned by the server's operator, separated by commas. */
  readonly address: string;
  readonly dns: readonly string[];
  readonly peers: readonly Peer[];
}

/** The configuration file of a phone: a separate client of the same server, with its own key. */
export function phoneConfig({ privateKey, address, dns, peers }: Phone): string {
  const own = [
    "[Interface]",
    `PrivateKey = ${privateKey}`,
    `Address = ${itemsIn(address).map(withLength).join(", ")}`,
    ...(dns.length > 0 ? [`DNS = ${dns.join(", ")}`] : []),
  ];
  return `${[own, ...peers.map(peerLines)].map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

const peerLines = ({ public_key, endpoint, allowed_ips, persistent_keepalive }: Peer): string[] => [
  "[Peer]",
  `PublicKey = ${public_key}`,
  `AllowedIPs = ${allowed_ips.join(", ")}`,
  ...(endpoint === null ? [] : [`Endpoint = ${endpoint}`]),
  // A phone changes networks: without keepalives the NAT mapping expires.
  `PersistentKeepalive = ${persistent_keepalive || 25}`,
];

/** Items separated by commas, spaces or lines. */
export const itemsIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

const withLength = (address: string): string =>
  address.includes("/") ? address : `${address}/${address.includes(":") ? 128 : 32}`;

/** Whether a text could be the addresses of a phone. The server decides. */
export function looksLikeAddresses(text: string): boolean {
  const words = itemsIn(text);
  return (
    words.length > 0 &&
    words.every((word) => /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]*:[0-9a-f:.]*)(?:\/\d{1,3})?$/i.test(word))
  );
}
