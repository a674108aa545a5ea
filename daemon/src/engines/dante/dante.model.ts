/** A SOCKS5 server on the gateway, for devices that speak SOCKS5 themselves. */
export interface SocksListener {
  readonly name: string;
  readonly listen: { readonly address: string; readonly port: number };
  /** The interface its connections leave by. */
  readonly interface: string;
  readonly credentials: { readonly username: string; readonly password: string } | null;
  /** Its own user: by that the kernel knows its packets and holds them to their way. */
  readonly userId: number;
  /** Who is asked, by the listener's own way, for names that clients hand it. Without any, it knows no names. */
  readonly nameservers?: readonly string[];
}
