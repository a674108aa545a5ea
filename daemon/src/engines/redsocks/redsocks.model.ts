/** Forwards TCP connections that were redirected to its port to a SOCKS5 server. */
export interface Redirector {
  /** Of the proxy it leads to. */
  readonly name: string;
  /** Where redirected connections arrive, on the gateway. */
  readonly port: number;
  readonly server: { readonly address: string; readonly port: number };
  readonly credentials: { readonly username: string; readonly password: string } | null;
}
