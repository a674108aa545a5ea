/** One WireGuard interface as it should be. Keys are here in the clear: this is never printed and never stored. */
export interface WireguardLink {
  readonly interface: string;
  readonly privateKey: string;
  /** With the length of their network. */
  readonly addresses: readonly string[];
  readonly mtu: number;
  readonly listenPort: number | null;
  /** Of its own packets: their egress. */
  readonly mark: number;
  /** The user its program runs as, where the kernel has no WireGuard; no other program has it. */
  readonly userId: number;
  readonly peers: readonly WireguardPeer[];
}

export interface WireguardPeer {
  readonly publicKey: string;
  readonly presharedKey: string | null;
  /** Address and port; names have been looked up. null: unknown, or the peer connects to us. */
  readonly endpoint: string | null;
  readonly allowedIps: readonly string[];
  readonly keepaliveSec: number;
}
