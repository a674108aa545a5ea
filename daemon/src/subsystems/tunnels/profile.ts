import { type Reason } from "@portcullis/contract/reason";
/** The content of a WireGuard `.conf`. */
export interface WireguardProfile {
  readonly privateKey: string | null;
  /** With prefix length. */
  readonly addresses: readonly string[];
  readonly dns: readonly string[];
  readonly mtu: number | null;
  readonly listenPort: number | null;
  readonly peers: readonly {
    readonly publicKey: string;
    readonly presharedKey: string | null;
    /** Host and port; the host may be a name, an IPv6 address is in brackets. */
    readonly endpoint: string | null;
    readonly allowedIps: readonly string[];
    readonly keepaliveSec: number;
  }[];
}

/** The allowed content of an `.ovpn`. */
export interface OpenvpnProfile {
  readonly remotes: readonly { readonly host: string; readonly port: number; readonly protocol: "udp" | "tcp" }[];
  readonly directives: readonly { readonly name: string; readonly args: readonly string[] }[];
  /** Certificates, which are not secret: ca, cert, extra-certs, crl-verify. */
  readonly blocks: Readonly<Record<string, string>>;
  /** Secrets: key, tls-auth, tls-crypt, tls-crypt-v2, pkcs12. */
  readonly secretBlocks: Readonly<Record<string, string>>;
  /** The server requires username and password. */
  readonly requiresCredentials: boolean;
  readonly credentials: { readonly username: string; readonly password: string } | null;
}

/** A parsed file, or why it was refused. */
export type ParseResult<P> =
  | {
      readonly kind: "read";
      readonly profile: P;
      /** Ignored directives, each as a sentence. */
      readonly notes: readonly Reason[];
    }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

export interface Refusal {
  /** From 1; null: the whole file. */
  readonly line: number | null;
  readonly problem: string;
}
