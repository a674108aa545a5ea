/** A SOCKS5 server on the gateway, for devices with a SOCKS5 client. */
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

/** The settings file of the program. */
export interface SocksListenerSettings {
  readonly listen: SocksListener["listen"];
  /** Addresses of the interface: everything leaves with one of them. A family without one is refused. */
  readonly sources: Sources;
  readonly credentials: SocksListener["credentials"];
  readonly nameservers: readonly string[];
}

export interface Sources {
  readonly v4: string | null;
  readonly v6: string | null;
}

/** Paths inside the sandbox, and the line by which the program reports that it is ready. */
export const socksListenerPaths = {
  settings: "/etc/socks-listener.json",
  node: "/node",
  program: "/socks-listener",
  /** Printed once its port is open. */
  listening: "It listens",
} as const;
