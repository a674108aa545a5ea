import type { Frontend, Upstream } from "../dnsdist/dnsdist.model.ts";

/** One forwarder of ours: it takes a front's questions on loopback and asks where dnsdist's own means do not reach. */
export interface DnsProxy {
  /** The number of its front. */
  readonly number: number;
  /** The front's own: what it sends goes the same way. */
  readonly userId: number;
  readonly port: number;
  /** Where certificates' issuers are found. */
  readonly caFile: string;
  /** Those of the front with `isForwarded`, each by an address of its own. */
  readonly upstreams: readonly Upstream[];
}

/** What the program is told. */
export interface DnsProxySettings {
  readonly port: number;
  readonly routes: readonly Route[];
}

export interface Route extends Omit<Upstream, "usesDnsProxy"> {
  /** On loopback: whoever asks there asks this upstream. */
  readonly listen: string;
}

/** The forwarder a front needs; without upstreams if it needs none. */
export function dnsProxyOf({ number, userId, ports, caFile, upstreams, conditional }: Frontend): DnsProxy {
  const all = [upstreams, ...conditional.map(({ pool }) => pool)].flatMap(({ servers }) => servers);
  const byName = new Map(all.filter(({ usesDnsProxy }) => usesDnsProxy).map((it) => [it.name, it]));
  return { number, userId, port: ports.dnsProxy, caFile, upstreams: [...byName.values()] };
}

/**
 * Where the front asks each of a forwarder's upstreams, at the forwarder's port. An address goes with everything that is
 * known of an upstream, not with its place in a list: while one of both programs knows of a change and the other does not
 * yet, a question finds nobody, rather than somebody it was not meant for.
 */
export function dnsProxyAddresses(upstreams: readonly Upstream[]): ReadonlyMap<string, string> {
  const taken = new Set<number>();
  const words = upstreams.map((it) => [it.name, JSON.stringify(routeOf(it))] as const);
  return new Map(
    words
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, text]) => {
        let number = hash(text) % places;
        while (taken.has(number)) number = (number + 1) % places;
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
}: Upstream): Omit<Route, "listen"> => ({
  name,
  address,
  port,
  protocol,
  serverName,
  path,
  source,
});

/** FNV-1a. */
const hash = (text: string): number =>
  new TextEncoder().encode(text).reduce((sum, byte) => Math.imul(sum ^ byte, 0x0100_0193) >>> 0, 0x811c_9dc5);

/** 127.1.0.1 to 127.254.255.254, so that what others have in 127.0 stays theirs. */
const loopback = (number: number): string =>
  [127, 1 + Math.floor(number / (256 * 254)), Math.floor(number / 254) % 256, 1 + (number % 254)].join(".");
const places = 254 * 256 * 254;

/** Where a confined forwarder finds its things, and by which words it tells that it is ready. */
export const dnsProxyPaths = {
  settings: "/etc/dns-proxy.json",
  issuers: "/etc/issuers.pem",
  node: "/node",
  program: "/dns-proxy",
  /** Said once its doors are open. */
  listening: "It listens",
} as const;
