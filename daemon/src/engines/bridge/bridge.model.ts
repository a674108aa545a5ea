/** One bridge of the kernel as it should be. */
export interface BridgeLink {
  readonly interface: string;
  readonly members: readonly string[];
  /** Configured members that must not be members. */
  readonly refused: readonly string[];
  /** With the length of their network. */
  readonly addresses: readonly string[];
  readonly stp: boolean;
}

/** An interface as it is, as far as bridges are concerned. */
export interface ObservedLink {
  readonly name: string;
  readonly isBridge: boolean;
  /** Whether the bridge uses STP. */
  readonly stp: boolean;
  readonly up: boolean;
  /** Whether the link has a carrier; for a bridge, whether one of its members has. */
  readonly carrier: boolean;
  readonly master: string | null;
  /** What its bridge does with it: forwarding, blocking, listening, learning or disabled. */
  readonly portState: string | null;
  /** Configured addresses: neither link-local nor dynamic ones. */
  readonly addresses: readonly string[];
}

export interface Bridges {
  readonly links: readonly ObservedLink[];
  /** Bridges we created. No other bridge is removed or loses members. */
  readonly ours: readonly string[];
  /** Settings that send packets between members through the forward rules. Not every kernel has them. */
  readonly filtering: readonly string[];
}

/** Packets between members of a bridge are not forwarded by IP: redirect rules must not match them. */
export const filteringKeys = [
  "net.bridge.bridge-nf-call-iptables",
  "net.bridge.bridge-nf-call-ip6tables",
  "net.bridge.bridge-nf-call-arptables",
] as const;
