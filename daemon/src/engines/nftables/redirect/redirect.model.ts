/** The redirect table as data: what is redirected to our programs, who may reach them, and their egress. */
export interface Redirect {
  /** Interfaces behind which devices live. */
  readonly lan: readonly string[];
  readonly redirectors: readonly RedirectorRules[];
  readonly listeners: readonly ListenerRules[];
  /** null: there is no resolver. */
  readonly dns: DnsRedirect | null;
}

/** For resolvers: which resolver gets whose queries, and the egress of each. */
export interface DnsRedirect {
  readonly listener: DnsListener;
  /** Egress of the client → port of the resolver with that egress. */
  readonly resolverPorts: readonly { readonly egress: number; readonly port: number }[];
  /** Of the resolver for the gateway's own queries. */
  readonly ownPort: number;
  readonly external: ExternalFilterRules | null;
  readonly programs: readonly ProgramRules[];
  /** Resolvers inside a tunnel that a program may query through that tunnel only, although it may leave by an uplink too. */
  readonly tunnelResolvers?: readonly TunnelResolver[];
}

export interface TunnelResolver {
  readonly userId: number;
  readonly address: string;
  readonly interface: string;
}

/** An external DNS filter, on another host or on the gateway. */
export interface ExternalFilterRules {
  readonly address: string;
  /** Where it accepts queries. */
  readonly port: number;
  /** The port of the gateway where it sends its queries. No other host may use it. */
  readonly returnPort: number;
}

/** Where the gateway accepts DNS queries. */
export interface DnsListener {
  readonly port: number;
  /** null: all addresses of the gateway. */
  readonly address: string | null;
}

/** A program that exchanges packets with our other programs, and perhaps with other hosts through one egress. */
export interface ProgramRules {
  /** One of `ownUsers`. */
  readonly userId: number;
  /**
   * Everything it sends to other hosts leaves through it, or is dropped; null: it sends nothing to other hosts. An egress without
   * interfaces takes TCP only, redirected to the redirector of that mark.
   */
  readonly egress: { readonly mark: number; readonly interfaces: readonly string[] } | null;
}

export const isRedirected = ({ egress }: ProgramRules): boolean => egress?.interfaces.length === 0;

/** Ports that our programs use among each other. */
export const internalPorts = { first: 17_000, last: 20_047 } as const;
export const internalPortNumbers: readonly number[] = Array.from(
  { length: internalPorts.last - internalPorts.first + 1 },
  (_, index) => internalPorts.first + index,
);

/** A program on the gateway that forwards connections to a SOCKS5 server. */
export interface RedirectorRules {
  readonly name: string;
  /** Their TCP over IPv4 is redirected to it. */
  readonly egresses: readonly number[];
  readonly port: number;
  readonly server: { readonly address: string; readonly port: number };
  /** Of the outer hop: its server is reached through it, or not at all. */
  readonly mark: number;
  readonly interface: string;
}

/** A SOCKS5 server on the gateway. */
export interface ListenerRules {
  readonly name: string;
  readonly port: number;
  /** One of `ownUsers`. */
  readonly userId: number;
  /** Of its egress: everything it sends leaves through it, or is dropped. */
  readonly mark: number;
  readonly interface: string;
}

/** Names of counters. Ports and users are unique and fit into any name. */
export const redirectorCounters = ({ port }: { readonly port: number }) => ({
  received: `redirector_${port}_received`,
  sent: `redirector_${port}_sent`,
});
export const listenerCounters = ({ userId }: { readonly userId: number }) => ({
  received: `listener_${userId}_received`,
  sent: `listener_${userId}_sent`,
});
