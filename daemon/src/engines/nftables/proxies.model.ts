/** What the kernel does for proxies: what is sent to them, who may reach them, and by which way they leave. */
export interface Proxies {
  /** Interfaces behind which devices live. */
  readonly lan: readonly string[];
  readonly redirectors: readonly RedirectorRules[];
  readonly listeners: readonly ListenerRules[];
}

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
