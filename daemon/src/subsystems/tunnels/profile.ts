/** What a WireGuard `.conf` says. */
export interface WireguardProfile {
  readonly privateKey: string | null;
  /** With the length of their network. */
  readonly addresses: readonly string[];
  readonly dns: readonly string[];
  readonly mtu: number | null;
  readonly listenPort: number | null;
  readonly peers: readonly {
    readonly publicKey: string;
    readonly presharedKey: string | null;
    /** Host and port; the host may be a name, an IPv6 address stands in brackets. */
    readonly endpoint: string | null;
    readonly allowedIps: readonly string[];
    readonly keepaliveSec: number;
  }[];
}

/** What an `.ovpn` says, as far as it is harmless. */
export interface OpenvpnProfile {
  readonly remotes: readonly { readonly host: string; readonly port: number; readonly protocol: "udp" | "tcp" }[];
  readonly directives: readonly { readonly name: string; readonly args: readonly string[] }[];
  /** Certificates, which anybody may see: ca, cert, extra-certs, crl-verify. */
  readonly blocks: Readonly<Record<string, string>>;
  /** What nobody may see: key, tls-auth, tls-crypt, tls-crypt-v2, pkcs12. */
  readonly secretBlocks: Readonly<Record<string, string>>;
  /** The server asks for a name and a password. */
  readonly requiresCredentials: boolean;
  readonly credentials: { readonly username: string; readonly password: string } | null;
}

/** A file that was read, or why it was not. */
export type Reading<P> =
  | {
      readonly kind: "read";
      readonly profile: P;
      /** What it says that has no meaning here, each as a sentence. */
      readonly notes: readonly string[];
    }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

export interface Refusal {
  /** From 1; null where it is of the whole file. */
  readonly line: number | null;
  readonly problem: string;
}
