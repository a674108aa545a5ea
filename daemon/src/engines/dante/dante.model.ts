/** A SOCKS5 server on the gateway, for devices that speak SOCKS5 themselves. */
export interface SocksListener {
  readonly name: string;
  readonly listen: { readonly address: string; readonly port: number };
  /** The interface its connections leave by. */
  readonly interface: string;
  readonly credentials: { readonly username: string; readonly password: string } | null;
  /** Its own user: the kernel recognizes its packets by it and confines them to their egress. */
  readonly userId: number;
  /** Resolvers for names in requests of clients, queried through the listener's egress. Without any, names are refused. */
  readonly nameservers?: readonly string[];
}
