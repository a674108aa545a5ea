import { userOf } from "../../engines/sandbox/sandbox.model.ts";
import { type DnsProxy, dnsProxyOf } from "../../engines/dns-proxy/dns-proxy.model.ts";
import { type Frontend, logPort, type Pool, portsOf, type Upstream } from "../../engines/dnsdist/dnsdist.model.ts";
import { directEgress } from "../../engines/nftables/nftables.model.ts";
import type { Zone } from "../../engines/nsd/nsd.model.ts";
import type { Validator } from "../../engines/unbound/unbound.model.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent, IntentForwarder, IntentDns } from "../input/intent.ts";
import { isOnLan, noEgress, type ResolverInstance, sourceOf } from "./resolver-instances.ts";

/** The programs of all resolver instances, without the filter policy that they share. */
export interface ResolverPrograms {
  readonly frontends: readonly Frontend[];
  readonly validators: readonly Validator[];
  readonly forwarders: readonly DnsProxy[];
  readonly zones: readonly Zone[];
}

export const noResolverPrograms: ResolverPrograms = { frontends: [], validators: [], forwarders: [], zones: [] };

/** Instances → their programs. */
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
  // A resolver on a LAN recurses over its own connection. For its own domains, the only ones a conditional forwarder gets,
  // it need not; as a general upstream it is used only for clients that leave directly. A tunnel's resolver whose address
  // happens to be in a LAN's network is excluded as well.
  const open = everything.filter(({ address }) => number === directEgress || !isOnLan(address, facts, network));
  // A tunnel's own resolver is reachable through that tunnel only. By an uplink its address belongs to another host.
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

/** Many providers block other resolvers, and a tunnel's own resolver sees only names of traffic that the tunnel forwards anyway. */
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
    pqMode: "default",
  }));
}

const ofTunnel = "tunnel ";
/** Whether an upstream comes from a tunnel's configuration. */
export const isTunnelResolver = ({ name }: Pick<Upstream, "name">): boolean => name.startsWith(ofTunnel);

function upstreamOf(
  forwarder: IntentForwarder,
  instance: ResolverInstance,
  facts: Facts,
  network: Intent["network"],
): Upstream[] {
  const { id, address, port, protocol, serverName, path, pqMode } = forwarder;
  const source = sourceOf(instance, address, facts, network);
  // The egress has no source address: one that the kernel chose instead would belong to another egress.
  if (source === undefined) return [];
  // Some versions of dnsdist check names in certificates, but not addresses.
  const isForwarded = forwarder.isForwarded || instance.isProxy || (protocol !== "plain" && serverName === null);
  return [{ name: id, address, port, protocol, serverName, path, source, pqMode, usesDnsProxy: isForwarded }];
}
