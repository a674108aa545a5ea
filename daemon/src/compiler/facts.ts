/** What the world looks like, as far as it matters for where packets go. Plain data, so that a case can be written down. */
export interface Facts {
  readonly links: readonly Link[];
  /** Hop → where it leads and whether it carries packets now. A hop that is not listed leads nowhere. */
  readonly hops: readonly HopFact[];
}

export interface Link {
  readonly name: string;
  readonly up: boolean;
  /** Number of a VLAN interface. */
  readonly vlan?: number;
  /** Where its default route leads, by family; a tunnel needs none. */
  readonly gateways?: { readonly v4?: string; readonly v6?: string };
  /** Networks that are reached through it without a gateway. */
  readonly networks?: readonly string[];
}

export interface HopFact {
  readonly type: string;
  readonly target: string;
  readonly interface: string;
  readonly up: boolean;
}
