import { randomBytes } from "node:crypto";

/** A private key of WireGuard that nobody has, in its one spelling. */
export function wireguardKey(): string {
  const bytes = randomBytes(32);
  bytes[0]! &= 248;
  bytes[31] = (bytes[31]! & 127) | 64;
  return bytes.toString("base64");
}

export const peerKey = "537EbHp8dMVTbE+z0jhdpXx+PWH3a82FPv/xpwmSYXQ=";

/** The least a WireGuard tunnel is made of. */
export const wireguardConfig = () => ({
  addresses: ["10.2.0.2/32"],
  peers: [{ public_key: peerKey, endpoint: "nl.example.net:51820" }],
});

/** Something in the form of a certificate or a key: what is inside is OpenVPN's to judge. The content shows in it as it is. */
export function pem(label: string, content: string): string {
  // The first bytes say how many follow: 256.
  const body = `${`MIIBAAAA${content}`.padEnd(347, "A")}=`;
  return `-----BEGIN ${label}-----\n${body.match(/.{1,64}/g)!.join("\n")}\n-----END ${label}-----\n`;
}

export const staticKey = (content: string): string =>
  `-----BEGIN OpenVPN Static key V1-----\n${content.padEnd(512, "0")}\n-----END OpenVPN Static key V1-----\n`;

/** A client's file with these blocks and lines. */
export const openvpnFile = (blocks: Readonly<Record<string, string>>, ...lines: readonly string[]): string =>
  [
    "client",
    "remote-cert-tls server",
    ...lines,
    ...Object.entries(blocks).map(([name, text]) => `<${name}>\n${text}</${name}>`),
    "",
  ].join("\n");
