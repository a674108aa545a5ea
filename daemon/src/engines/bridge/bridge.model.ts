/** One bridge of the kernel as it should be. */
export interface BridgeLink {
  readonly interface: string;
  readonly members: readonly string[];
  /** Who was asked to be a member and must not be one. */
  readonly refused: readonly string[];
  /** With the length of their network. */
  readonly addresses: readonly string[];
  readonly stp: boolean;
}

/** An interface as it is, as far as bridges are concerned. */
export interface ObservedLink {
  readonly name: string;
  readonly isBridge: boolean;
  /** Whether a bridge listens for loops. */
  readonly stp: boolean;
  readonly up: boolean;
  /** Whether there is somebody at the other end; for a bridge, at one of its members. */
  readonly carrier: boolean;
  readonly master: string | null;
  /** What its bridge does with it: forwarding, blocking, listening, learning or disabled. */
  readonly portState: string | null;
  /** Those somebody chose: neither link-local ones nor those that come and go by themselves. */
  readonly addresses: readonly string[];
}

export interface Bridges {
  readonly links: readonly ObservedLink[];
  /** Bridges we made. No other is ever taken away, and nothing is taken out of it. */
  readonly ours: readonly string[];
  /** Settings that make packets between members pass the rules for forwarded ones. Not every kernel has them. */
  readonly filtering: readonly string[];
}

/** Packets between members of a bridge are not forwarded ones: rules that redirect would tear them away. */
export const filteringKeys = [
  "net.bridge.bridge-nf-call-iptables",
  "net.bridge.bridge-nf-call-ip6tables",
  "net.bridge.bridge-nf-call-arptables",
] as const;
