import { userOf } from "../../engines/sandbox/sandbox.model.ts";
import { type DnsProxy, dnsProxyOf } from "../../engines/dns-proxy/dns-proxy.model.ts";
import { type Frontend, logPort, type Pool, portsOf, type Upstream } from "../../engines/dnsdist/dnsdist.model.ts";
import { directEgress } from "../../engines/nftables/nftables.model.ts";
import type { Zone } from "../../engines/nsd/nsd.model.ts";
import type { Validator } from "../../engines/unbound/unbound.model.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent, IntentForwarder, IntentDns } from "../input/intent.ts";
import { isOnLan, noEgress, type ResolverInstance, sourceOf } from "./resolver-instances.ts";

/** Every program that has to do with names, but for what becomes of which name: that is the book's affair. */
export interface ResolverPrograms {
  readonly frontends: readonly Frontend[];
  readonly validators: readonly Validator[];
  readonly forwarders: readonly DnsProxy[];
  readonly zones: readonly Zone[];
}

export const noResolverPrograms: ResolverPrograms = { frontends: [], validators: [], forwarders: [], zones: [] };

/** Stacks → the programs they are made of. */
export function resolverPrograms(
  dns: IntentDns,
  instances: readonly ResolverInstance[],
  zones: readonly Zone[],
  isMapping: boolean,
  facts: Facts,
  network: Intent["network"],
): ResolverPrograms {
  const conditional = [...new Set(dns.forwarders.flatMap(({ domains }) => domains))].toSorted();
  const own = zones.map(({ name }) => name).toSorted();
  const frontends = instances.map((stack) => frontendOf(dns, stack, own, conditional, isMapping, facts, network));
  return {
    frontends,
    forwarders: frontends.map(dnsProxyOf),
    validators: instances
      .filter(({ number }) => number !== noEgress)
      .map(({ number }) => {
        const { unbound, backend } = portsOf(number);
        return {
          number,
          userId: userOf(unbound),
          port: unbound,
          frontendPort: backend,
          isValidating: dns.isValidating,
          anchors: dns.anchors,
          insecure: [...new Set([...own, ...conditional])].toSorted(),
          ignoresDates: false,
        };
      }),
    zones,
  };
}

function frontendOf(
  dns: IntentDns,
  instance: ResolverInstance,
  zones: readonly string[],
  conditional: readonly string[],
  isMapping: boolean,
  facts: Facts,
  network: Intent["network"],
): Frontend {
  const { number } = instance;
  const isResolving = number !== noEgress;
  const general = dns.forwarders.filter(({ domains }) => domains.length === 0);
  const everything = tunnelResolvers(dns, instance) ?? general;
  // A resolver in the house would ask for whatever it does not know by its own way. For names of its own, which are all that
  // a conditional one is asked for, it need not; for all others only those who leave in the open anyhow may ask it. That a
  // tunnel's resolver has an address of the house by accident does not make it one of the house either.
  const open = everything.filter(({ address }) => number === directEgress || !isOnLan(address, facts, network));
  // A tunnel's own resolver is behind that tunnel. By an uplink its address belongs to another host, if to any.
  const ofTunnel =
    everything !== general && instance.tunnel ? { ...instance, interfaces: [instance.tunnel.interface] } : instance;
  const poolOf = (servers: readonly IntentForwarder[], through = instance): Pool => ({
    rotation: dns.rotation,
    servers: isResolving ? servers.flatMap((it) => upstreamOf(it, through, facts, network)) : [],
  });
  return {
    egress: instance.egress,
    number,
    userId: userOf(portsOf(number).frontend),
    ports: portsOf(number),
    isResolving,
    isMapping,
    upstreams: poolOf(open, ofTunnel),
    conditional: isResolving
      ? conditional.map((domain) => ({
          domain,
          pool: poolOf(dns.forwarders.filter(({ domains }) => domains.includes(domain))),
        }))
      : [],
    zones,
    external: number === directEgress ? dns.external : null,
    rebindable: dns.rebindable,
    isRebindingProtected: dns.isRebindingProtected,
    ratePerSec: dns.ratePerSec,
    caFile: dns.caFile,
    logPort,
  };
}

/** Many providers let no other resolver through, and the one a tunnel's file names sees nothing it does not carry anyway. */
function tunnelResolvers(
  { prefersTunnelResolvers }: IntentDns,
  { tunnel }: ResolverInstance,
): IntentForwarder[] | undefined {
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

function upstreamOf(
  forwarder: IntentForwarder,
  instance: ResolverInstance,
  facts: Facts,
  network: Intent["network"],
): Upstream[] {
  const { id, address, port, protocol, serverName, path } = forwarder;
  const source = sourceOf(instance, address, facts, network);
  // What carries the stack has no address to ask from: whatever the kernel chose instead would belong to another way.
  if (source === undefined) return [];
  // Some versions of dnsdist compare names in certificates, but no addresses.
  const isForwarded = forwarder.isForwarded || instance.isProxy || (protocol !== "plain" && serverName === null);
  return [{ name: id, address, port, protocol, serverName, path, source, usesDnsProxy: isForwarded }];
}
