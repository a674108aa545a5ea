import { contains, parseAddress, parseCidr } from "@portcullis/contract/addresses";
import { userOf } from "../../engines/confinement/confinement.model.ts";
import { nsdPort, portsOf } from "../../engines/dnsdist/dnsdist.model.ts";
import { routedMark } from "../../engines/nftables/marks.model.ts";
import { blockEgress, directEgress } from "../../engines/nftables/nftables.model.ts";
import type { NameRules, ProgramRules, TunnelResolver } from "../../engines/nftables/proxies.model.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent, IntentPolicy, IntentTunnel } from "../input/intent.ts";
import { egressNumber, type Numbers } from "../egress/kernel-ids.ts";
import { directName, lastHopsIn, type Ways, wayName } from "../egress/egresses.ts";

/** A resolver for everybody who leaves by one way: the programs that make it up have that way, and no other. */
export interface Stack {
  /** That of its egress; 0 for those who leave by none. */
  readonly number: number;
  /** For people. */
  readonly way: string;
  /** What carries it, the preferred one first. */
  readonly interfaces: readonly string[];
  /** The tunnel its names leave by, if it is one of ours. */
  readonly tunnel: IntentTunnel | undefined;
  /** Its last hop takes TCP only. */
  readonly isProxy: boolean;
}

/** For those whose way is blocked. They are told what the house itself knows. */
export const nowhere = 0;

/**
 * One for each way that policies send somebody by, whether it carries packets now or not: a tunnel that comes back finds
 * its names where they were.
 */
export function stacksOf({ policies, network, tunnels }: Intent, facts: Facts, ways: Ways, numbers: Numbers): Stack[] {
  const lastHops = policies
    .filter(isBySender)
    .flatMap(lastHopsIn(facts.hops))
    .filter(({ name }) => !network.uplinks.includes(name)); // By name or not, that is the open.
  const names = [...new Set(lastHops.map(({ name, failsOpen }) => wayName(name, failsOpen)))];
  const led = names.flatMap((name) => {
    const way = ways.ways.find((it) => it.name === name);
    if (!way) return [];
    const hop = lastHops.find((it) => wayName(it.name, it.failsOpen) === name)!;
    return [
      {
        number: egressNumber(name, numbers),
        way: hop.failsOpen ? `${hop.name}, or direct` : hop.name,
        interfaces: way.interfaces,
        tunnel: tunnels.find((it) => it.interface === hop.name),
        isProxy: hop.isProxy,
      },
    ];
  });
  const direct = { number: directEgress, way: "direct", interfaces: [network.wan], tunnel: undefined, isProxy: false };
  const blocked = { number: nowhere, way: "nowhere", interfaces: [], tunnel: undefined, isProxy: false };
  return [blocked, direct, ...led.filter(({ number }) => number !== directEgress && number !== blockEgress)].toSorted(
    (a, b) => a.number - b.number,
  );
}

/** Where a packet goes says nothing of who asks for its name. */
const isBySender = ({ sourceType }: IntentPolicy): boolean => sourceType !== "destination" && sourceType !== "domain";

/** What the kernel does for resolvers: who asks which, and by which way each of them asks others. */
export function nameRules(intent: Intent, stacks: readonly Stack[], ways: Ways, numbers: Numbers): NameRules | null {
  if (!intent.names) return null;
  const standing = new Set(stacks.map(({ number }) => number));
  const led = ways.ways
    .map(({ name }) => ({ egress: egressNumber(name, numbers), isDirect: isUplink(name, intent.network) }))
    .filter(({ egress, isDirect }) => isDirect || standing.has(egress))
    .map(({ egress, isDirect }) => ({ egress, port: portsOf(isDirect ? directEgress : egress).front }));
  const tunnelResolvers = intent.names.prefersTunnelResolvers ? stacks.flatMap(tunnelResolversOf) : [];
  return {
    asked: intent.names.asked,
    doors: [...led, { egress: blockEgress, port: portsOf(nowhere).front }].toSorted((a, b) => a.egress - b.egress),
    own: portsOf(directEgress).front,
    external: intent.names.external && { ...intent.names.external, returning: portsOf(directEgress).returning },
    programs: [{ userId: userOf(nsdPort), way: null }, ...stacks.flatMap(programsOf)],
    ...(tunnelResolvers.length > 0 && { tunnelResolvers }),
  };
}

/** Of a stack that may leave by an uplink as well: what it asks a resolver inside the tunnel must not go there. */
const tunnelResolversOf = ({ number, tunnel, interfaces }: Stack): TunnelResolver[] =>
  tunnel && interfaces.some((name) => name !== tunnel.interface)
    ? tunnel.resolvers.map((address) => ({
        userId: userOf(portsOf(number).front),
        address,
        interface: tunnel.interface,
      }))
    : [];

/** Whichever uplink it is, and whether by name or not: those who leave in the open ask one resolver. */
export const isUplink = (way: string, { uplinks }: Intent["network"]): boolean =>
  way === directName || uplinks.some((name) => way === wayName(name, false) || way === wayName(name, true));

function programsOf({ number, interfaces }: Stack): ProgramRules[] {
  const { front, unbound } = portsOf(number);
  if (number === nowhere) return [{ userId: userOf(front), way: null }];
  return [
    { userId: userOf(front), way: { mark: routedMark(number), interfaces } },
    { userId: userOf(unbound), way: null },
  ];
}

/**
 * The address a stack asks from: that of what carries it. null: whichever the kernel takes, as for those in the house, who
 * are asked by no way at all. Nothing: it cannot ask a server of that family now.
 */
export function sourceOf(
  { interfaces, isProxy }: Stack,
  server: string,
  facts: Facts,
  network: Intent["network"],
): string | null | undefined {
  if (isProxy || isInHouse(server, facts, network)) return null;
  const { links } = facts;
  const family = parseAddress(server)?.family;
  return interfaces
    .flatMap((name) => links.filter((link) => link.name === name && link.up))
    .flatMap(({ addresses = [] }) => addresses)
    .find((address) => parseAddress(address)?.family === family && !address.startsWith("fe80:"));
}

/** Whether a server is on a LAN of the gateway. It asks others by a way of its own, whoever asked it. */
export function isInHouse(server: string, { links }: Pick<Facts, "links">, { lan }: Intent["network"]): boolean {
  const address = parseAddress(server);
  const networks = links.filter(({ name }) => lan.includes(name)).flatMap((link) => link.networks ?? []);
  return networks.some((it) => address && contains(parseCidr(it)!, address));
}
