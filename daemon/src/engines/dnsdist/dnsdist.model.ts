/** One dnsdist: it takes the questions of everybody who leaves by one way, and sends what it cannot answer out by that way. */
export interface Frontend {
  /** Of the way, for people. */
  readonly egress: string;
  /** Unique, and part of file and process names: the number of the egress; 0 for those who leave by none. */
  readonly number: number;
  /** One of `ownUsers`: the kernel gives its packets their way by it. */
  readonly userId: number;
  readonly ports: Ports;
  /** Those who leave by no way are told of the gateway's own zones, and nothing else. */
  readonly isResolving: boolean;
  /** Whether it writes addresses of policies' names into the kernel. That takes a privilege it has no other use for. */
  readonly isMapping: boolean;
  readonly upstreams: Pool;
  readonly conditional: readonly { readonly domain: string; readonly pool: Pool }[];
  /** Domains that NSD answers for. */
  readonly zones: readonly string[];
  /** A filter elsewhere that is asked before our own resolver. */
  readonly external: { readonly address: string; readonly port: number } | null;
  /** Domains whose upstream answers may have private addresses. */
  readonly rebindable: readonly string[];
  readonly isRebindingProtected: boolean;
  /** Questions a second that one source may ask; 0: as many as it likes. */
  readonly ratePerSec: number;
  /** Where certificates' issuers are found. */
  readonly caFile: string;
  /** The daemon, which writes down what was asked. */
  readonly logPort: number;
}

/** On the gateway. All but the first two are for loopback only. */
export interface Ports {
  /** Where clients' questions arrive, redirected by the kernel. */
  readonly frontend: number;
  /** An external filter, and nobody else, asks again here. */
  readonly filtered: number;
  /** Unbound asks here. */
  readonly backend: number;
  readonly console: number;
  readonly unbound: number;
  readonly dnsProxy: number;
}

/** NSD, for all ways: what is in the house's own zones is no secret of a way. */
export const nsdPort = 17_990;
export const logPort = 17_991;

const firstPort = 18_000;
const portsEach = 8;

/** 18000 to 20047. Nobody else on the gateway may have these. */
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
  /** Unique within the front. */
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly protocol: "plain" | "dot" | "doh";
  /** Whom its certificate must name; null: its address. */
  readonly serverName: string | null;
  /** Of DoH. */
  readonly path: string;
  /** The address of ours it is asked from; null: whichever the kernel takes. */
  readonly source: string | null;
  /** Asked by our own forwarder, whose TLS knows what dnsdist's does not; or over TCP, which is all that a SOCKS5 hop carries. */
  readonly usesDnsProxy: boolean;
}
