import { contains, parseAddress, parseCidr } from "../../net/addresses.ts";
import { userOf } from "../../engines/sandbox/sandbox.model.ts";
import { nsdPort, portsOf } from "../../engines/dnsdist/dnsdist.model.ts";
import { routedMark } from "../../engines/nftables/marks.model.ts";
import { blockEgress, directEgress } from "../../engines/nftables/nftables.model.ts";
import type { DnsRedirect, ProgramRules, TunnelResolver } from "../../engines/nftables/redirect/redirect.model.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent, IntentPolicy, IntentTunnel } from "../input/intent.ts";
import { egressNumber, type KernelIds } from "../egress/kernel-ids.ts";
import { directName, lastHopsIn, type Egresses, egressNameVia } from "../egress/egresses.ts";

/** The resolver of one egress: its programs can use that egress and no other. */
export interface ResolverInstance {
  /** The number of its egress; 0: for blocked devices. */
  readonly number: number;
  /** For display. */
  readonly egress: string;
  /** Of the egress, the preferred one first. */
  readonly interfaces: readonly string[];
  /** The tunnel of the egress, unless that is a foreign interface. */
  readonly tunnel: IntentTunnel | undefined;
  /** The last hop forwards TCP only. */
  readonly isProxy: boolean;
}

/** For blocked devices. It answers only local zones. */
export const noEgress = 0;

/**
 * One for each egress that policies use, up or down: the resolver keeps its state while a tunnel is down.
 */
export function resolverInstancesOf(
  { policies, network, tunnels }: Intent,
  facts: Facts,
  egresses: Egresses,
  kernelIds: KernelIds,
): ResolverInstance[] {
  const lastHops = policies
    .filter(isBySender)
    .flatMap(lastHopsIn(facts.hops))
    .filter(({ name }) => !network.uplinks.includes(name)); // Uplinks share the direct instance.
  const names = [...new Set(lastHops.map(({ name, failsOpen }) => egressNameVia(name, failsOpen)))];
  const led = names.flatMap((name) => {
    const egress = egresses.egresses.find((it) => it.name === name);
    if (!egress) return [];
    const hop = lastHops.find((it) => egressNameVia(it.name, it.failsOpen) === name)!;
    return [
      {
        number: egressNumber(name, kernelIds),
        egress: hop.failsOpen ? `${hop.name}, or direct` : hop.name,
        interfaces: egress.interfaces,
        tunnel: tunnels.find((it) => it.interface === hop.name),
        isProxy: hop.isProxy,
      },
    ];
  });
  const direct = {
    number: directEgress,
    egress: "direct",
    interfaces: [network.wan],
    tunnel: undefined,
    isProxy: false,
  };
  const blocked = { number: noEgress, egress: "none", interfaces: [], tunnel: undefined, isProxy: false };
  return [blocked, direct, ...led.filter(({ number }) => number !== directEgress && number !== blockEgress)].toSorted(
    (a, b) => a.number - b.number,
  );
}

/** A policy by destination does not determine which client sends a query. */
const isBySender = ({ sourceType }: IntentPolicy): boolean => sourceType !== "destination" && sourceType !== "domain";

/** Which clients are redirected to which instance, and by which egress its programs send queries. */
export function dnsRedirectRules(
  intent: Intent,
  instances: readonly ResolverInstance[],
  egresses: Egresses,
  kernelIds: KernelIds,
): DnsRedirect | null {
  if (!intent.dns) return null;
  const existing = new Set(instances.map(({ number }) => number));
  const led = egresses.egresses
    .map(({ name }) => ({ egress: egressNumber(name, kernelIds), isDirect: isUplink(name, intent.network) }))
    .filter(({ egress, isDirect }) => isDirect || existing.has(egress))
    .map(({ egress, isDirect }) => ({ egress, port: portsOf(isDirect ? directEgress : egress).frontend }));
  const tunnelResolvers = intent.dns.prefersTunnelResolvers ? instances.flatMap(tunnelResolversOf) : [];
  return {
    listener: intent.dns.listener,
    resolverPorts: [...led, { egress: blockEgress, port: portsOf(noEgress).frontend }].toSorted(
      (a, b) => a.egress - b.egress,
    ),
    ownPort: portsOf(directEgress).frontend,
    external: intent.dns.external && { ...intent.dns.external, returnPort: portsOf(directEgress).filtered },
    programs: [{ userId: userOf(nsdPort), egress: null }, ...instances.flatMap(programsOf)],
    ...(tunnelResolvers.length > 0 && { tunnelResolvers }),
  };
}

/** For an instance that may also use an uplink: its queries to a resolver inside the tunnel must not leave there. */
const tunnelResolversOf = ({ number, tunnel, interfaces }: ResolverInstance): TunnelResolver[] =>
  tunnel && interfaces.some((name) => name !== tunnel.interface)
    ? tunnel.resolvers.map((address) => ({
        userId: userOf(portsOf(number).frontend),
        address,
        interface: tunnel.interface,
      }))
    : [];

/** All clients that leave by an uplink use the direct instance, whichever uplink it is. */
export const isUplink = (egress: string, { uplinks }: Intent["network"]): boolean =>
  egress === directName ||
  uplinks.some((uplink) => egress === egressNameVia(uplink, false) || egress === egressNameVia(uplink, true));

function programsOf({ number, interfaces }: ResolverInstance): ProgramRules[] {
  const { frontend, unbound } = portsOf(number);
  if (number === noEgress) return [{ userId: userOf(frontend), egress: null }];
  return [
    { userId: userOf(frontend), egress: { mark: routedMark(number), interfaces } },
    { userId: userOf(unbound), egress: null },
  ];
}

/**
 * The source address of queries to a server: that of the egress. null: the kernel chooses, as for servers on a LAN, which need no
 * egress. undefined: the instance has no address of the server's family now.
 */
export function sourceOf(
  { interfaces, isProxy }: ResolverInstance,
  server: string,
  facts: Facts,
  network: Intent["network"],
): string | null | undefined {
  if (isProxy || isOnLan(server, facts, network)) return null;
  const { links } = facts;
  const family = parseAddress(server)?.family;
  return interfaces
    .flatMap((name) => links.filter((link) => link.name === name && link.up))
    .flatMap(({ addresses = [] }) => addresses)
    .find((address) => parseAddress(address)?.family === family && !address.startsWith("fe80:"));
}

/** Whether a server is on a LAN of the gateway. It recurses over its own connection, whichever client sent the query. */
export function isOnLan(server: string, { links }: Pick<Facts, "links">, { lan }: Intent["network"]): boolean {
  const address = parseAddress(server);
  const networks = links.filter(({ name }) => lan.includes(name)).flatMap((link) => link.networks ?? []);
  return networks.some((it) => address && contains(parseCidr(it)!, address));
}
