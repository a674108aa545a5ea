import { randomBytes } from "node:crypto";

/** A random private key of WireGuard, in canonical form. */
export function wireguardKey(): string {
  const bytes = randomBytes(32);
  bytes[0]! &= 248;
  bytes[31] = (bytes[31]! & 127) | 64;
  return bytes.toString("base64");
}

export const peerKey = "537EbHp8dMVTbE+z0jhdpXx+PWH3a82FPv/xpwmSYXQ=";

/** A minimal WireGuard tunnel. */
export const wireguardConfig = () => ({
  addresses: ["10.2.0.2/32"],
  peers: [{ public_key: peerKey, endpoint: "nl.example.net:51820" }],
});

/** PEM with valid framing and arbitrary content, which appears in it unchanged. */
export function pem(label: string, content: string): string {
  // The DER header declares 256 bytes.
  const body = `${`MIIBAAAA${content}`.padEnd(347, "A")}=`;
  return `-----BEGIN ${label}-----\n${body.match(/.{1,64}/g)!.join("\n")}\n-----END ${label}-----\n`;
}

export const staticKey = (content: string): string =>
  `-----BEGIN OpenVPN Static key V1-----\n${content.padEnd(512, "0")}\n-----END OpenVPN Static key V1-----\n`;

/** A client configuration with these blocks and lines. */
export const openvpnFile = (blocks: Readonly<Record<string, string>>, ...lines: readonly string[]): string =>
  [
    "client",
    "remote-cert-tls server",
    ...lines,
    ...Object.entries(blocks).map(([name, text]) => `<${name}>\n${text}</${name}>`),
    "",
  ].join("\n");
