import type { PqMode } from "../../net/key-exchange.ts";

/** One dnsdist: it takes the queries of all clients with one egress, and forwards what it cannot answer through that egress. */
export interface Frontend {
  /** Name of the egress, for the operator. */
  readonly egress: string;
  /** Unique, and part of file and process names: the number of the egress; 0 for clients without an egress. */
  readonly number: number;
  /** One of `ownUsers`: the kernel assigns the egress of its packets by it. */
  readonly userId: number;
  readonly ports: Ports;
  /** Clients without an egress get answers from local zones only. */
  readonly isResolving: boolean;
  /** Whether it writes addresses of policies' names into the kernel. That needs a privilege it has no other use for. */
  readonly isMapping: boolean;
  readonly upstreams: Pool;
  readonly conditional: readonly { readonly domain: string; readonly pool: Pool }[];
  /** Domains that NSD serves. */
  readonly zones: readonly string[];
  /** An external filter that is queried before our own resolver. */
  readonly external: { readonly address: string; readonly port: number } | null;
  /** Domains whose upstream answers may have private addresses. */
  readonly rebindable: readonly string[];
  readonly isRebindingProtected: boolean;
  /** Queries per second of one client; 0: unlimited. */
  readonly ratePerSec: number;
  /** PEM file of trusted certificate issuers. */
  readonly caFile: string;
  /** Of the daemon's query log. */
  readonly logPort: number;
}

/** On the gateway. All but the first two are for loopback only. */
export interface Ports {
  /** For clients' queries, redirected by the kernel. */
  readonly frontend: number;
  /** For queries of the external filter only. */
  readonly filtered: number;
  /** For queries of Unbound. */
  readonly backend: number;
  readonly console: number;
  readonly unbound: number;
  readonly dnsProxy: number;
}

/** NSD, for all egresses: local zones are the same for all of them. */
export const nsdPort = 17_990;
export const logPort = 17_991;

const firstPort = 18_000;
const portsEach = 8;

/** 18000 to 20047. Reserved on the gateway. */
export const portsOf = (number: number): Ports => {
  const first = firstPort + number * portsEach;
  return {
    frontend: first,
    filtered: first + 1,
    backend: first + 2,
    console: first + 3,
    unbound: first + 4,
    dnsProxy: first + 5,
  };
};

export const frontendPorts = { first: firstPort, last: firstPort + 256 * portsEach - 1 } as const;

export interface Pool {
  readonly rotation: Rotation;
  readonly servers: readonly Upstream[];
}

export type Rotation = "round-robin" | "random" | "failover" | "fastest";

export interface Upstream {
  /** Unique within the frontend. */
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly protocol: "plain" | "dot" | "doh";
  /** The name in its certificate; null: its address. */
  readonly serverName: string | null;
  /** Of DoH. */
  readonly path: string;
  /** Source address of queries; null: the kernel's choice. */
  readonly source: string | null;
  /** Of the TLS of our DNS proxy. */
  readonly pqMode: PqMode;
  /** Queried by our DNS proxy: for TLS features that dnsdist lacks, or over TCP, the only protocol of a SOCKS5 hop. */
  readonly usesDnsProxy: boolean;
}
