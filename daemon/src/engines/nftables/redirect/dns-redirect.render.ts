import { frontendPorts } from "../../dnsdist/dnsdist.model.ts";
import { forced, hex, routedMark, routedMask } from "../marks.model.ts";
import { type DnsListener, type ExternalFilterRules, internalPorts, type DnsRedirect } from "./redirect.model.ts";
import { interfaces } from "../table.model.ts";

/** Matches DNS queries to the gateway. */
export const dnsQuery = (listener: DnsListener): string =>
  `${addressOf(listener)} meta l4proto { tcp, udp } th dport ${listener.port}`;

const addressOf = ({ address }: DnsListener): string =>
  address === null ? "fib daddr type local" : `${family(address)} daddr ${address}`;

/**
 * Queries of each generation are separate connections. A client that always uses the same source port would otherwise stay
 * with the resolver of its first egress, or get no answer because that flow is cut. Replies match the connection of their
 * query in any generation.
 */
export function zoneOfGeneration(
  listener: DnsListener,
  lan: readonly string[],
  generation: number,
  isForced: boolean,
): string {
  // If the queries of one device are redirected whatever their destination, the zone is set for all devices: it does no harm.
  const ports = listener.port === dnsPort ? `${dnsPort}` : `{ ${dnsPort}, ${listener.port} }`;
  const queries = isForced ? `udp dport ${ports}` : `udp dport ${listener.port}`;
  const here = isForced ? "" : `${addressOf(listener)} `;
  return `${queries} iifname ${interfaces(lan)} ${here}ct original zone set ${(generation % highestZone) + 1}`;
}
/** Where dns are listener for, everywhere. */
export const dnsPort = 53;
const highestZone = 0xffff;

/** The resolvers' part of the redirect table: its rules by chain, and its sets and maps. */
export interface DnsPart {
  readonly preroutingRedirect: readonly string[];
  readonly outputRedirect: readonly string[];
  readonly input: readonly string[];
  /** For a program's packets, before they get the mark of their egress. */
  readonly assignEgress: readonly string[];
  readonly checkEgress: readonly string[];
  readonly sets: readonly { readonly name: string; readonly type: string; readonly elements: readonly string[] }[];
}

const family = (address: string): string => (address.includes(":") ? "ip6" : "ip");
const comesFrom = ({ address, returnPort }: ExternalFilterRules): string =>
  `${family(address)} saddr ${address} meta l4proto { tcp, udp } th dport ${returnPort}`;
const goesTo = ({ address, port }: ExternalFilterRules): string =>
  `${family(address)} daddr ${address} meta l4proto { tcp, udp } th dport ${port}`;

/** Resolvers inside tunnels, by family; nothing where there are none, so that no packet is compared with an empty set. */
const innerFamilies = ({ tunnelResolvers = [] }: DnsRedirect) =>
  [
    { family: "ip", type: "ipv4_addr", name: "tunnel_resolver4", all: tunnelResolvers.filter((it) => !isV6(it)) },
    { family: "ip6", type: "ipv6_addr", name: "tunnel_resolver6", all: tunnelResolvers.filter(isV6) },
  ].filter(({ all }) => all.length > 0);
const isV6 = ({ address }: { readonly address: string }): boolean => address.includes(":");

const nothing: DnsPart = {
  preroutingRedirect: [],
  outputRedirect: [],
  input: [],
  assignEgress: [],
  checkEgress: [],
  sets: [],
};

export function dnsPart(dns: DnsRedirect | null, lan: readonly string[]): DnsPart {
  if (!dns) return nothing;
  const { listener, resolverPorts, ownPort, external, programs } = dns;
  const behind = interfaces(lan);
  return {
    // A client whose egress has no resolver gets no answer, least of all from the resolver of another egress.
    preroutingRedirect: [
      `iifname ${behind} ${dnsQuery(listener)} redirect to :meta mark and ${hex(routedMask)} map @resolver_port`,
      `iifname ${behind} ${dnsQuery(listener)} drop`,
      `meta mark and ${hex(forced)} != 0 meta l4proto { tcp, udp } redirect to :meta mark and ${hex(routedMask)} map @resolver_port`,
      `meta mark and ${hex(forced)} != 0 drop`,
    ],
    outputRedirect: [
      `meta skuid @internal_users accept`,
      ...(listener.address === null
        ? ["ip daddr 127.0.0.1", "ip6 daddr ::1"].map(
            (here) => `${here} meta l4proto { tcp, udp } th dport ${listener.port} redirect to :${ownPort}`,
          )
        : []),
    ],
    // A client cannot choose a resolver by its port: the kernel does, by the egress of the client.
    input: [
      ...(external ? [`iifname ${behind} ${comesFrom(external)} accept`] : []),
      `iifname != "lo" meta l4proto { tcp, udp } th dport ${frontendPorts.first}-${frontendPorts.last} ct status and dnat == 0 drop`,
    ],
    assignEgress: [`meta skuid @internal_users oifname ${interfaces(["lo", ...lan])} return`],
    checkEgress: [
      ...innerFamilies(dns).map(
        ({ family: word, name }) =>
          `meta skuid . ${word} daddr @${name} meta skuid . ${word} daddr . oifname != @${name}_at counter name wrong_egress drop`,
      ),
      ...(external ? [`meta skuid @internal_users oifname "lo" ${goesTo(external)} accept`] : []),
      `meta skuid @internal_users oifname "lo" meta l4proto { tcp, udp } th dport ${internalPorts.first}-${internalPorts.last} accept`,
      `meta skuid @internal_users oifname ${behind} accept`,
    ],
    sets: [
      {
        name: "map resolver_port",
        type: "mark : inet_service",
        elements: resolverPorts.map(({ egress, port }) => `${hex(routedMark(egress))} : ${port}`),
      },
      { name: "set internal_users", type: "uid", elements: programs.map(({ userId }) => String(userId)) },
      ...innerFamilies(dns).flatMap(({ name, type, all }) => [
        { name: `set ${name}`, type: `uid . ${type}`, elements: all.map((it) => `${it.userId} . ${it.address}`) },
        {
          name: `set ${name}_at`,
          type: `uid . ${type} . ifname`,
          elements: all.map((it) => `${it.userId} . ${it.address} . "${it.interface}"`),
        },
      ]),
    ],
  };
}
