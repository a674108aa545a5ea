/** One VLAN interface of the kernel as it should be. */
export interface VlanLink {
  readonly interface: string;
  /** The interface on which its tagged packets arrive. */
  readonly parent: string;
  /** The number in the tag. */
  readonly id: number;
  /** With the length of their network. */
  readonly addresses: readonly string[];
}

/** An interface as it is, as far as VLANs are concerned. */
export interface ObservedLink {
  readonly name: string;
  readonly up: boolean;
  /** Whether the link, and the interface below it, has a link. */
  readonly hasLink: boolean;
  /** undefined: it is no VLAN. */
  readonly vlan: { readonly parent: string | null; readonly id: number } | undefined;
  /** Configured addresses: neither link-local nor dynamic ones. */
  readonly addresses: readonly string[];
}

export interface Vlans {
  readonly links: readonly ObservedLink[];
  /** VLAN interfaces that we created. No other one is removed or loses an address. */
  readonly ours: readonly string[];
}
