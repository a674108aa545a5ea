import { contains, parseAddress, parseCidr } from "@portcullis/contract/addresses";
import type { Compiled } from "../inputs.ts";
import { memoize } from "../../compiler/memoize.ts";

type LogLevel = Compiled["dns"]["unknownClientLogLevel"];

export type Levelled = Pick<Compiled, "dns" | "neighbours"> & {
  readonly facts: Pick<Compiled["facts"], "links">;
  readonly intent: { readonly network: Pick<Compiled["intent"]["network"], "lan"> };
};

/** How much of what is asked from an address is written down. */
export interface LogLevels {
  /** As far as anybody knows whose it is. */
  readonly known: (address: string) => LogLevel;
  /**
   * The same for what is asked now. A neighbour nobody has told us of yet may be any of the devices: until it is known which,
   * no more is written down of it than of the most private one.
   */
  readonly cautious: (address: string) => LogLevel;
}

export function logLevels(compiled: () => Levelled | undefined): LogLevels {
  const levelsIn = memoize(
    (book: Levelled["dns"]["filterPolicy"]) => new Map(book.clients.map(({ network, log }) => [network, log])),
  );
  const familiarIn = memoize(
    (devices: Levelled["dns"]["devices"], neighbours: Levelled["neighbours"]) =>
      new Set([...devices.flatMap(({ ips }) => ips), ...neighbours.map(({ address }) => address)]),
  );
  return {
    known: (address) => {
      const now = compiled();
      return (now && levelsIn(now.dns.filterPolicy).get(address)) ?? "full";
    },
    cautious: (address) => {
      const now = compiled();
      // Resolvers go on while the daemon is away; those who asked meanwhile have not been looked up yet.
      if (!now) return "none";
      const { filterPolicy, devices, unknownClientLogLevel } = now.dns;
      const said = levelsIn(filterPolicy).get(address);
      if (said !== undefined || unknownClientLogLevel === "full") return said ?? "full";
      return familiarIn(devices, now.neighbours).has(address) || !isNextDoor(address, now)
        ? "full"
        : unknownClientLogLevel;
    },
  };
}

/** Whoever is not behind a LAN's own cable never becomes a neighbour, and neither do we. */
function isNextDoor(text: string, { facts: { links }, intent: { network } }: Levelled): boolean {
  const address = parseAddress(text);
  const lans = links.filter(({ name }) => network.lan.includes(name));
  if (!address || lans.some(({ addresses = [] }) => addresses.includes(text))) return false;
  const networks = ["fe80::/10", ...lans.flatMap((link) => link.networks ?? [])];
  return networks.some((it) => contains(parseCidr(it)!, address));
}
