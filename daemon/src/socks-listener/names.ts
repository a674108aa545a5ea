import { Resolver } from "node:dns/promises";
import { isIP, isIPv6 } from "node:net";
import type { SocksListenerSettings, Sources } from "../engines/socks-listener/socks-listener.model.ts";

export interface Names {
  /** The addresses of a host that can be reached; an address is its own. Empty if it has none. */
  addressesOf(host: string): Promise<readonly string[]>;
}

/** What a session needs. */
export interface Needs {
  readonly settings: SocksListenerSettings;
  readonly names: Names;
}

/**
 * Sends queries itself, to the configured servers only: the C library could pass a name to another program of the machine, whose
 * queries leave by another egress.
 */
export function openNames({ nameservers, sources }: Pick<SocksListenerSettings, "nameservers" | "sources">): Names {
  const usable = nameservers.filter((it) => sourceFor(it, sources) !== undefined);
  const resolver = new Resolver({ timeout: 2000, tries: 3, maxTimeout: 5000 });
  if (usable.length > 0) resolver.setServers(usable.map((it) => (isIPv6(it) ? `[${it}]` : it)));
  resolver.setLocalAddress(sources.v4 ?? "0.0.0.0", sources.v6 ?? "::");

  async function resolved(name: string): Promise<string[]> {
    if (usable.length === 0) return [];
    const answers = await Promise.allSettled([
      ...(sources.v4 === null ? [] : [resolver.resolve4(name)]),
      ...(sources.v6 === null ? [] : [resolver.resolve6(name)]),
    ]);
    return answers.flatMap((it) => (it.status === "fulfilled" ? it.value : []));
  }

  return {
    addressesOf: async (host) =>
      (isIP(host) === 0 ? await resolved(host) : [host]).filter((it) => sourceFor(it, sources) !== undefined),
  };
}

/** The address of the egress from which a destination can be reached. */
export const sourceFor = (destination: string, { v4, v6 }: Sources): string | undefined =>
  (isIPv6(destination) ? v6 : v4) ?? undefined;
