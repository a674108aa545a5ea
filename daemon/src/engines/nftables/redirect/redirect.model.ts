/** What the kernel does for proxies: what is sent to them, who may reach them, and by which way they leave. */
export interface Proxies {
  /** Interfaces behind which devices live. */
  readonly lan: readonly string[];
  readonly redirectors: readonly RedirectorRules[];
  readonly listeners: readonly ListenerRules[];
  /** Without a resolver nobody is answered. */
  readonly names: NameRules | null;
}

/** Of those who look names up: who is asked by whom, and by which way they ask others. */
export interface NameRules {
  readonly asked: Asked;
  /** Way of whoever asks → port of the resolver that leaves by it. */
  readonly doors: readonly { readonly egress: number; readonly port: number }[];
  /** Of the one the gateway itself asks. */
  readonly own: number;
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

/** Of a filter elsewhere, or beside us on the gateway. */
export interface ExternalFilterRules {
  readonly address: string;
  /** Where it is asked. */
  readonly port: number;
  /** Where on the gateway it asks again. Nobody else may. */
  readonly returning: number;
}

/** Where on the gateway names are asked for. */
export interface Asked {
  readonly port: number;
  /** null: at each of its addresses. */
  readonly address: string | null;
}

/** Of a program that talks to its like on the gateway, and perhaps to others by one way. */
export interface ProgramRules {
  /** One of `ownUsers`. */
  readonly userId: number;
  /**
   * Everything it sends to others leaves by that, or not at all; null: it has nothing to say to others. A way without
   * interfaces takes connections only, which are bent to the redirector of that mark.
   */
  readonly way: { readonly mark: number; readonly interfaces: readonly string[] } | null;
}

export const isBent = ({ way }: ProgramRules): boolean => way?.interfaces.length === 0;

/** Ports by which programs of ours talk to each other. */
export const indoorPorts = { first: 17_000, last: 20_047 } as const;
export const indoorPortNumbers: readonly number[] = Array.from(
  { length: indoorPorts.last - indoorPorts.first + 1 },
  (_, place) => indoorPorts.first + place,
);

/** Of a program on the gateway that carries connections to a SOCKS5 server elsewhere. */
export interface RedirectorRules {
  readonly name: string;
  /** Whose TCP over IPv4 is redirected to it. */
  readonly egresses: readonly number[];
  readonly port: number;
  readonly server: { readonly address: string; readonly port: number };
  /** Of the way before it: by that its server is reached, or not at all. */
  readonly mark: number;
  readonly interface: string;
}

/** Of a SOCKS5 server on the gateway. */
export interface ListenerRules {
  readonly name: string;
  readonly port: number;
  /** One of `ownUsers`. */
  readonly userId: number;
  /** Of its way: by that everything it sends leaves, or not at all. */
  readonly mark: number;
  readonly interface: string;
}

/** Names of what counts. Ports and users are unique and fit into any name. */
export const redirectorCounters = ({ port }: { readonly port: number }) => ({
  received: `redirector_${port}_received`,
  sent: `redirector_${port}_sent`,
});
export const listenerCounters = ({ userId }: { readonly userId: number }) => ({
  received: `listener_${userId}_received`,
  sent: `listener_${userId}_sent`,
});
