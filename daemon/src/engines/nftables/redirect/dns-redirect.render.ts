import { frontendPorts } from "../../dnsdist/dnsdist.model.ts";
import { forced, hex, routedMark, routedMask } from "../marks.model.ts";
import { type Asked, type ExternalFilterRules, indoorPorts, type NameRules } from "./redirect.model.ts";
import { interfaces } from "../table.model.ts";

/** What of a packet says that it asks the gateway for a name. */
export const asking = (asked: Asked): string => `${hereOf(asked)} meta l4proto { tcp, udp } th dport ${asked.port}`;

const hereOf = ({ address }: Asked): string =>
  address === null ? "fib daddr type local" : `${family(address)} daddr ${address}`;

/**
 * Questions of each generation are connections of their own. Who always asks from one port would otherwise be led for ever
 * to the resolver of the way it had first, or, since that flow is cut, nowhere. Answers find the connection of their
 * question in any generation.
 */
export function renewed(asked: Asked, lan: readonly string[], generation: number, isForced: boolean): string {
  // Where somebody's questions are led here whomever they were meant for, so are those of all others: it does no harm.
  const ports = asked.port === namePort ? `${namePort}` : `{ ${namePort}, ${asked.port} }`;
  const questions = isForced ? `udp dport ${ports}` : `udp dport ${asked.port}`;
  const here = isForced ? "" : `${hereOf(asked)} `;
  return `${questions} iifname ${interfaces(lan)} ${here}ct original zone set ${(generation % highestZone) + 1}`;
}
/** Where names are asked for, everywhere. */
export const namePort = 53;
const highestZone = 0xffff;

/** The resolvers' part of the table of our programs: its rules by chain, and what they are looked up in. */
export interface NamesPart {
  readonly bend: readonly string[];
  readonly ownBend: readonly string[];
  readonly input: readonly string[];
  /** Of a program's packets before they are given their way. */
  readonly given: readonly string[];
  readonly confined: readonly string[];
  readonly holders: readonly { readonly name: string; readonly type: string; readonly elements: readonly string[] }[];
}

const family = (address: string): string => (address.includes(":") ? "ip6" : "ip");
const comesFrom = ({ address, returning }: ExternalFilterRules): string =>
  `${family(address)} saddr ${address} meta l4proto { tcp, udp } th dport ${returning}`;
const goesTo = ({ address, port }: ExternalFilterRules): string =>
  `${family(address)} daddr ${address} meta l4proto { tcp, udp } th dport ${port}`;

/** Resolvers inside tunnels, by family; nothing where there are none, so that no packet is compared with an empty set. */
const innerFamilies = ({ tunnelResolvers = [] }: NameRules) =>
  [
    { family: "ip", type: "ipv4_addr", name: "tunnel_resolver4", all: tunnelResolvers.filter((it) => !isV6(it)) },
    { family: "ip6", type: "ipv6_addr", name: "tunnel_resolver6", all: tunnelResolvers.filter(isV6) },
  ].filter(({ all }) => all.length > 0);
const isV6 = ({ address }: { readonly address: string }): boolean => address.includes(":");

const nothing: NamesPart = { bend: [], ownBend: [], input: [], given: [], confined: [], holders: [] };

export function namesPart(names: NameRules | null, lan: readonly string[]): NamesPart {
  if (!names) return nothing;
  const { asked, doors, own, external, programs } = names;
  const behind = interfaces(lan);
  return {
    // Whose way has no resolver gets no answer, least of all from the resolver of another way.
    bend: [
      `iifname ${behind} ${asking(asked)} redirect to :meta mark and ${hex(routedMask)} map @resolver_port`,
      `iifname ${behind} ${asking(asked)} drop`,
      `meta mark and ${hex(forced)} != 0 meta l4proto { tcp, udp } redirect to :meta mark and ${hex(routedMask)} map @resolver_port`,
      `meta mark and ${hex(forced)} != 0 drop`,
    ],
    ownBend: [
      `meta skuid @internal_users accept`,
      ...(asked.address === null
        ? ["ip daddr 127.0.0.1", "ip6 daddr ::1"].map(
            (here) => `${here} meta l4proto { tcp, udp } th dport ${asked.port} redirect to :${own}`,
          )
        : []),
    ],
    // Nobody chooses a resolver by its port: the kernel does, by the way of whoever asks.
    input: [
      ...(external ? [`iifname ${behind} ${comesFrom(external)} accept`] : []),
      `iifname != "lo" meta l4proto { tcp, udp } th dport ${frontendPorts.first}-${frontendPorts.last} ct status and dnat == 0 drop`,
    ],
    given: [`meta skuid @internal_users oifname ${interfaces(["lo", ...lan])} return`],
    confined: [
      ...innerFamilies(names).map(
        ({ family: word, name }) =>
          `meta skuid . ${word} daddr @${name} meta skuid . ${word} daddr . oifname != @${name}_at counter name wrong_egress drop`,
      ),
      ...(external ? [`meta skuid @internal_users oifname "lo" ${goesTo(external)} accept`] : []),
      `meta skuid @internal_users oifname "lo" meta l4proto { tcp, udp } th dport ${indoorPorts.first}-${indoorPorts.last} accept`,
      `meta skuid @internal_users oifname ${behind} accept`,
    ],
    holders: [
      {
        name: "map resolver_port",
        type: "mark : inet_service",
        elements: doors.map(({ egress, port }) => `${hex(routedMark(egress))} : ${port}`),
      },
      { name: "set internal_users", type: "uid", elements: programs.map(({ userId }) => String(userId)) },
      ...innerFamilies(names).flatMap(({ name, type, all }) => [
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
