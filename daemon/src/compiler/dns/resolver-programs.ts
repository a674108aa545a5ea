import { userOf } from "../../engines/confinement/confinement.model.ts";
import { type Forwarder, forwarderOf } from "../../engines/dns-proxy/dns-proxy.model.ts";
import { type Front, logPort, type Pool, portsOf, type Upstream } from "../../engines/dnsdist/dnsdist.model.ts";
import { directEgress } from "../../engines/nftables/nftables.model.ts";
import type { Zone } from "../../engines/nsd/nsd.model.ts";
import type { Validator } from "../../engines/unbound/unbound.model.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent, IntentForwarder, IntentNames } from "../input/intent.ts";
import { isInHouse, nowhere, type Stack, sourceOf } from "./resolver-instances.ts";

/** Every program that has to do with names, but for what becomes of which name: that is the book's affair. */
export interface Resolving {
  readonly fronts: readonly Front[];
  readonly validators: readonly Validator[];
  readonly forwarders: readonly Forwarder[];
  readonly zones: readonly Zone[];
}

export const noResolving: Resolving = { fronts: [], validators: [], forwarders: [], zones: [] };

/** Stacks → the programs they are made of. */
export function resolvers(
  names: IntentNames,
  stacks: readonly Stack[],
  zones: readonly Zone[],
  isMapping: boolean,
  facts: Facts,
  network: Intent["network"],
): Resolving {
  const conditional = [...new Set(names.forwarders.flatMap(({ domains }) => domains))].toSorted();
  const own = zones.map(({ name }) => name).toSorted();
  const fronts = stacks.map((stack) => frontOf(names, stack, own, conditional, isMapping, facts, network));
  return {
    fronts,
    forwarders: fronts.map(forwarderOf),
    validators: stacks
      .filter(({ number }) => number !== nowhere)
      .map(({ number }) => {
        const { unbound, back } = portsOf(number);
        return {
          number,
          userId: userOf(unbound),
          port: unbound,
          back,
          isValidating: names.isValidating,
          anchors: names.anchors,
          insecure: [...new Set([...own, ...conditional])].toSorted(),
          ignoresDates: false,
        };
      }),
    zones,
  };
}

function frontOf(
  names: IntentNames,
  stack: Stack,
  zones: readonly string[],
  conditional: readonly string[],
  isMapping: boolean,
  facts: Facts,
  network: Intent["network"],
): Front {
  const { number } = stack;
  const isResolving = number !== nowhere;
  const general = names.forwarders.filter(({ domains }) => domains.length === 0);
  const everything = tunnelResolvers(names, stack) ?? general;
  // A resolver in the house would ask for whatever it does not know by its own way. For names of its own, which are all that
  // a conditional one is asked for, it need not; for all others only those who leave in the open anyhow may ask it. That a
  // tunnel's resolver has an address of the house by accident does not make it one of the house either.
  const open = everything.filter(({ address }) => number === directEgress || !isInHouse(address, facts, network));
  // A tunnel's own resolver is behind that tunnel. By an uplink its address belongs to another host, if to any.
  const ofTunnel = everything !== general && stack.tunnel ? { ...stack, interfaces: [stack.tunnel.interface] } : stack;
  const poolOf = (servers: readonly IntentForwarder[], through = stack): Pool => ({
    rotation: names.rotation,
    servers: isResolving ? servers.flatMap((it) => upstreamOf(it, through, facts, network)) : [],
  });
  return {
    way: stack.way,
    number,
    userId: userOf(portsOf(number).front),
    ports: portsOf(number),
    isResolving,
    isMapping,
    upstreams: poolOf(open, ofTunnel),
    conditional: isResolving
      ? conditional.map((domain) => ({
          domain,
          pool: poolOf(names.forwarders.filter(({ domains }) => domains.includes(domain))),
        }))
      : [],
    zones,
    external: number === directEgress ? names.external : null,
    rebindable: names.rebindable,
    isRebindingProtected: names.isRebindingProtected,
    ratePerSec: names.ratePerSec,
    caFile: names.caFile,
    logPort,
  };
}

/** Many providers let no other resolver through, and the one a tunnel's file names sees nothing it does not carry anyway. */
function tunnelResolvers({ prefersTunnelResolvers }: IntentNames, { tunnel }: Stack): IntentForwarder[] | undefined {
  if (!prefersTunnelResolvers || !tunnel || tunnel.resolvers.length === 0) return undefined;
  return tunnel.resolvers.map((address) => ({
    id: `${ofTunnel}${address}`,
    address,
    port: 53,
    protocol: "plain",
    serverName: null,
    path: "",
    domains: [],
    isForwarded: false,
  }));
}

const ofTunnel = "tunnel ";
/** Whether an upstream is one that a tunnel's file names. */
export const isTunnelResolver = ({ name }: Pick<Upstream, "name">): boolean => name.startsWith(ofTunnel);

function upstreamOf(forwarder: IntentForwarder, stack: Stack, facts: Facts, network: Intent["network"]): Upstream[] {
  const { id, address, port, protocol, serverName, path } = forwarder;
  const source = sourceOf(stack, address, facts, network);
  // What carries the stack has no address to ask from: whatever the kernel chose instead would belong to another way.
  if (source === undefined) return [];
  // Some versions of dnsdist compare names in certificates, but no addresses.
  const isForwarded = forwarder.isForwarded || stack.isProxy || (protocol !== "plain" && serverName === null);
  return [{ name: id, address, port, protocol, serverName, path, source, isForwarded }];
}
