/** An address of a LAN interface that the gateway sets, with the length of its network: `192.168.50.1/24`. */
export interface LanAddress {
  readonly interface: string;
  readonly address: string;
}

/** An address that the gateway has added. */
export interface AddedAddress extends LanAddress {
  /** Whether the interface was down before: it is taken down again with the address. */
  readonly wasDown: boolean;
}

export interface LanAddresses {
  readonly links: readonly {
    readonly name: string;
    readonly up: boolean;
    readonly addresses: readonly string[];
  }[];
  /** Only these are removed. */
  readonly ours: readonly AddedAddress[];
}
