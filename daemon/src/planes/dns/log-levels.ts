import { contains, parseAddress, parseCidr } from "../../net/addresses.ts";
import type { Compiled } from "../inputs.ts";
import { memoize } from "../../compiler/memoize.ts";

type LogLevel = Compiled["dns"]["unknownClientLogLevel"];

export type Levelled = Pick<Compiled, "dns" | "neighbours"> & {
  readonly facts: Pick<Compiled["facts"], "links">;
  readonly intent: { readonly network: Pick<Compiled["intent"]["network"], "lan"> };
};

/** The log level of queries from an address. */
export interface LogLevels {
  /** Of the device that has the address now. */
  readonly known: (address: string) => LogLevel;
  /**
   * The same for a new query. A client that is not in the neighbour table yet may be any of the devices: until it is
   * identified, the strictest level of all devices applies.
   */
  readonly cautious: (address: string) => LogLevel;
}

export function logLevels(compiled: () => Levelled | undefined): LogLevels {
  const levelsIn = memoize(
    (policy: Levelled["dns"]["filterPolicy"]) => new Map(policy.clients.map(({ network, log }) => [network, log])),
  );
  const identifiedIn = memoize(
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
      // Resolvers run while the daemon does not; clients of that time are not identified yet.
      if (!now) return "none";
      const { filterPolicy, devices, unknownClientLogLevel } = now.dns;
      const level = levelsIn(filterPolicy).get(address);
      if (level !== undefined || unknownClientLogLevel === "full") return level ?? "full";
      return identifiedIn(devices, now.neighbours).has(address) || !isOnLink(address, now)
        ? "full"
        : unknownClientLogLevel;
    },
  };
}

/** Only on-link addresses other than our own can appear in the neighbour table. */
function isOnLink(text: string, { facts: { links }, intent: { network } }: Levelled): boolean {
  const address = parseAddress(text);
  const lans = links.filter(({ name }) => network.lan.includes(name));
  if (!address || lans.some(({ addresses = [] }) => addresses.includes(text))) return false;
  const networks = ["fe80::/10", ...lans.flatMap((link) => link.networks ?? [])];
  return networks.some((it) => contains(parseCidr(it)!, address));
}
