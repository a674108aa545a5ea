/** What the clients of one LAN interface are advertised. */
export interface Advertisement {
  readonly interface: string;
  /** The index of the interface: one that is created again has another, and radvd must join its groups again. */
  readonly index: number;
  readonly lifetimeSec: number;
  /** Networks of 64 bits, such as fd00::/64. */
  readonly prefixes: readonly string[];
  readonly resolvers: readonly string[];
}

/**
 * The user of the program. It is none of `ownUsers`, because it acts for no device: the guard lets it send router
 * advertisements into LANs, and nothing else.
 */
export const advertiserUser = 1_900_071_000;
