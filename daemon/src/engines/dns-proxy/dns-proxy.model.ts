import { offers, type PqMode } from "../../net/key-exchange.ts";
import type { Frontend, Upstream } from "../dnsdist/dnsdist.model.ts";

/** One DNS proxy: it takes a frontend's queries on loopback and sends them where dnsdist itself cannot. */
export interface DnsProxy {
  /** The number of its frontend. */
  readonly number: number;
  /** That of the frontend: its packets have the same egress. */
  readonly userId: number;
  readonly port: number;
  /** PEM file of trusted certificate issuers. */
  readonly caFile: string;
  /** The upstreams of the frontend with `usesDnsProxy`, each at its own loopback address. */
  readonly upstreams: readonly Upstream[];
}

/** The settings file of the program. */
export interface DnsProxySettings {
  readonly port: number;
  readonly routes: readonly Route[];
}

export interface Route extends Omit<Upstream, "usesDnsProxy" | "pqMode"> {
  /** The mode of its TLS, and what that offers. */
  readonly tls: { readonly pqMode: PqMode; readonly groups: string; readonly minVersion: "TLSv1.2" | "TLSv1.3" };
  /** Loopback address; queries to it go to this upstream. */
  readonly listen: string;
}

/** The DNS proxy of a frontend; without upstreams if it needs none. */
export function dnsProxyOf({ number, userId, ports, caFile, upstreams, conditional }: Frontend): DnsProxy {
  const all = [upstreams, ...conditional.map(({ pool }) => pool)].flatMap(({ servers }) => servers);
  const byName = new Map(all.filter(({ usesDnsProxy }) => usesDnsProxy).map((it) => [it.name, it]));
  return { number, userId, port: ports.dnsProxy, caFile, upstreams: [...byName.values()] };
}

/**
 * The loopback address of each upstream, at the DNS proxy's port. It depends on all settings of the upstream, not on its
 * position in a list: while only one of the two programs has a change, a query reaches no listener
 * rather than the wrong upstream.
 */
export function dnsProxyAddresses(upstreams: readonly Upstream[]): ReadonlyMap<string, string> {
  const taken = new Set<number>();
  const words = upstreams.map((it) => [it.name, JSON.stringify(routeOf(it))] as const);
  return new Map(
    words
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, text]) => {
        let number = hash(text) % addressCount;
        while (taken.has(number)) number = (number + 1) % addressCount;
        taken.add(number);
        return [name, loopback(number)];
      }),
  );
}

export const routeOf = ({
  name,
  address,
  port,
  protocol,
  serverName,
  path,
  source,
  pqMode,
}: Upstream): Omit<Route, "listen"> => ({
  name,
  address,
  port,
  protocol,
  serverName,
  path,
  source,
  tls: { pqMode, ...offers[pqMode] },
});

/** FNV-1a. */
const hash = (text: string): number =>
  new TextEncoder().encode(text).reduce((sum, byte) => Math.imul(sum ^ byte, 0x0100_0193) >>> 0, 0x811c_9dc5);

/** 127.1.0.1 to 127.254.255.254: other programs use 127.0. */
const loopback = (number: number): string =>
  [127, 1 + Math.floor(number / (256 * 254)), Math.floor(number / 254) % 256, 1 + (number % 254)].join(".");
const addressCount = 254 * 256 * 254;

/** Upstreams whose last state in the output of the proxy is a failure, with its cause. */
export function failuresIn(output: string, { upstreams }: Pick<DnsProxy, "upstreams">): ReadonlyMap<string, string> {
  const lines = output.split("\n");
  return new Map(
    upstreams.flatMap(({ name }) => {
      const state = lines.findLast((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      return state === undefined || state.startsWith(dnsProxyPaths.connected) ? [] : [[name, state]];
    }),
  );
}

/** Paths inside the sandbox, and words that the DNS proxy prints. */
export const dnsProxyPaths = {
  settings: "/etc/dns-proxy.json",
  issuers: "/etc/issuers.pem",
  node: "/node",
  program: "/dns-proxy",
  /** Printed once its ports are open. */
  listening: "It listens",
  /** How the state of an upstream begins that it is connected with. */
  connected: "connected",
} as const;
