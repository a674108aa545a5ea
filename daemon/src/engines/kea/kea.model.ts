/** What the server is to do. */
export interface DhcpPlan {
  readonly subnets: readonly DhcpSubnet[];
  /** Interfaces by which it must not send: it has packet sockets, which the guard does not see. */
  readonly closed: readonly string[];
}

/** One network in which addresses are leased. */
export interface DhcpSubnet {
  readonly interface: string;
  /** The index of the interface, and whether it is up: with another one the server must open its sockets again. */
  readonly link: string;
  /** Such as 192.168.1.0/24. */
  readonly network: string;
  /** Clients get it as router. */
  readonly gateway: string;
  readonly resolvers: readonly string[];
  readonly first: string;
  readonly last: string;
  readonly leaseSec: number;
  readonly reservations: readonly Reservation[];
}

export interface Reservation {
  readonly mac: string;
  readonly address: string;
}

export interface Lease {
  readonly address: string;
  readonly mac: string;
  readonly hostname: string | null;
  readonly subnetId: number;
  readonly expiresMs: number;
}
