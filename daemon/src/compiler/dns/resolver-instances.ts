import { contains, parseAddress, parseCidr } from "@portcullis/contract/addresses";
import { userOf } from "../../engines/sandbox/sandbox.model.ts";
import { nsdPort, portsOf } from "../../engines/dnsdist/dnsdist.model.ts";
import { routedMark } from "../../engines/nftables/marks.model.ts";
import { blockEgress, directEgress } from "../../engines/nftables/nftables.model.ts";
import type { NameRules, ProgramRules, TunnelResolver } from "../../engines/nftables/redirect/redirect.model.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent, IntentPolicy, IntentTunnel } from "../input/intent.ts";
import { egressNumber, type KernelIds } from "../egress/kernel-ids.ts";
import { directName, lastHopsIn, type Egresses, egressNameVia } from "../egress/egresses.ts";

/** A resolver for everybody who leaves by one way: the programs that make it up have that way, and no other. */
export interface ResolverInstance {
  /** That of its egress; 0 for those who leave by none. */
  readonly number: number;
  /** For people. */
  readonly egress: string;
  /** What carries it, the preferred one first. */
  readonly interfaces: readonly string[];
  /** The tunnel its names leave by, if it is one of ours. */
  readonly tunnel: IntentTunnel | undefined;
  /** Its last hop takes TCP only. */
  readonly isProxy: boolean;
}

/** For those whose way is blocked. They are told what the house itself knows. */
export const noEgress = 0;

/**
 * One for each way that policies send somebody by, whether it carries packets now or not: a tunnel that comes back finds
 * its names where they were.
 */
export function resolverInstancesOf(
  { policies, network, tunnels }: Intent,
  facts: Facts,
  ways: Egresses,
  kernelIds: KernelIds,
): ResolverInstance[] {
  const lastHops = policies
    .filter(isBySender)
    .flatMap(lastHopsIn(facts.hops))
    .filter(({ name }) => !network.uplinks.includes(name)); // By name or not, that is the open.
  const names = [...new Set(lastHops.map(({ name, failsOpen }) => egressNameVia(name, failsOpen)))];
  const led = names.flatMap((name) => {
    const way = ways.egresses.find((it) => it.name === name);
    if (!way) return [];
    const hop = lastHops.find((it) => egressNameVia(it.name, it.failsOpen) === name)!;
    return [
      {
        number: egressNumber(name, kernelIds),
        egress: hop.failsOpen ? `${hop.name}, or direct` : hop.name,
        interfaces: way.interfaces,
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

/** Where a packet goes says nothing of who asks for its name. */
const isBySender = ({ sourceType }: IntentPolicy): boolean => sourceType !== "destination" && sourceType !== "domain";

/** What the kernel does for resolvers: who asks which, and by which way each of them asks others. */
export function dnsRedirectRules(
  intent: Intent,
  instances: readonly ResolverInstance[],
  ways: Egresses,
  kernelIds: KernelIds,
): NameRules | null {
  if (!intent.dns) return null;
  const existing = new Set(instances.map(({ number }) => number));
  const led = ways.egresses
    .map(({ name }) => ({ egress: egressNumber(name, kernelIds), isDirect: isUplink(name, intent.network) }))
    .filter(({ egress, isDirect }) => isDirect || existing.has(egress))
    .map(({ egress, isDirect }) => ({ egress, port: portsOf(isDirect ? directEgress : egress).frontend }));
  const tunnelResolvers = intent.dns.prefersTunnelResolvers ? instances.flatMap(tunnelResolversOf) : [];
  return {
    asked: intent.dns.listener,
    doors: [...led, { egress: blockEgress, port: portsOf(noEgress).frontend }].toSorted((a, b) => a.egress - b.egress),
    own: portsOf(directEgress).frontend,
    external: intent.dns.external && { ...intent.dns.external, returning: portsOf(directEgress).filtered },
    programs: [{ userId: userOf(nsdPort), way: null }, ...instances.flatMap(programsOf)],
    ...(tunnelResolvers.length > 0 && { tunnelResolvers }),
  };
}

/** Of a stack that may leave by an uplink as well: what it asks a resolver inside the tunnel must not go there. */
const tunnelResolversOf = ({ number, tunnel, interfaces }: ResolverInstance): TunnelResolver[] =>
  tunnel && interfaces.some((name) => name !== tunnel.interface)
    ? tunnel.resolvers.map((address) => ({
        userId: userOf(portsOf(number).frontend),
        address,
        interface: tunnel.interface,
      }))
    : [];

/** Whichever uplink it is, and whether by name or not: those who leave in the open ask one resolver. */
export const isUplink = (egress: string, { uplinks }: Intent["network"]): boolean =>
  egress === directName ||
  uplinks.some((uplink) => egress === egressNameVia(uplink, false) || egress === egressNameVia(uplink, true));

function programsOf({ number, interfaces }: ResolverInstance): ProgramRules[] {
  const { frontend, unbound } = portsOf(number);
  if (number === noEgress) return [{ userId: userOf(frontend), way: null }];
  return [
    { userId: userOf(frontend), way: { mark: routedMark(number), interfaces } },
    { userId: userOf(unbound), way: null },
  ];
}

/**
 * The address a stack asks from: that of what carries it. null: whichever the kernel takes, as for those in the house, who
 * are asked by no way at all. Nothing: it cannot ask a server of that family now.
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

/** Whether a server is on a LAN of the gateway. It asks others by a way of its own, whoever asked it. */
export function isOnLan(server: string, { links }: Pick<Facts, "links">, { lan }: Intent["network"]): boolean {
  const address = parseAddress(server);
  const networks = links.filter(({ name }) => lan.includes(name)).flatMap((link) => link.networks ?? []);
  return networks.some((it) => address && contains(parseCidr(it)!, address));
}
