import { aims, attempts } from "../steering/attempts.render.ts";
import { ownUsers } from "../../sandbox/sandbox.model.ts";
import type { Guard, Server } from "../nftables.model.ts";
import { decided, hex, routedMark, routedMask, valid } from "../marks.model.ts";
import { internalPorts } from "../redirect/redirect.model.ts";
import { protectedCounter, sourceRules, sourceSets } from "../sources/sources.render.ts";
import { type NamedSet, interfaces } from "../table.model.ts";

export const guardTable = "inet portcullis_guard";

/** What the guard drops, by cause. Others read these by name, so names stay. */
export const guardCounters = [
  "leak_forward",
  "leak_postrouting",
  "leak_server",
  "leak_output",
  "wrong_interface",
  "unsolicited",
  protectedCounter,
] as const;

/** Sets and chains of the guard. A type or hook that changes gets another name: an older guard may stand when this is loaded. */
const sets = {
  pairs: "mark . ifname",
  egresses: "mark . ifname : verdict",
  inner_hop_servers4: "ipv4_addr . inet_proto . inet_service",
  inner_hop_servers6: "ipv6_addr . inet_proto . inet_service",
  servers4: "ipv4_addr . inet_proto . inet_service",
  servers6: "ipv6_addr . inet_proto . inet_service",
  inner4: "ipv4_addr",
  inner6: "ipv6_addr",
  inner4_at: "ipv4_addr . ifname",
  inner6_at: "ipv6_addr . ifname",
} as const;
const chains = {
  forward: "type filter hook forward priority filter + 10; policy drop;",
  input: "type filter hook input priority filter + 10; policy accept;",
  output: "type filter hook output priority filter + 10; policy accept;",
  postrouting_guard: "type filter hook postrouting priority srcnat + 200; policy accept;",
  servers: "",
  wrong_source: "",
  wrong_interface: "",
  orphaned_socket: "",
  to_uplink: "",
} as const;
const kindOf = (type: string): "map" | "set" => (type.includes(" : ") ? "map" : "set");

/**
 * The gate itself. It stands before the network does and no apply takes it away; only what its sets hold changes.
 * `accept` in another table's chain is not the last word, `drop` here is.
 */
export function renderGuard(guard: Guard): string {
  return [
    `table ${guardTable} {`,
    ...Object.entries(sets).map(([name, type]) => `\t${kindOf(type)} ${name} {\n\t\ttype ${type}\n\t}`),
    // Another engine fills these, before and after steering changes: they are declared here and never emptied.
    ...Object.entries(sourceSets).map(([name, type]) => `\tset ${name} {\n\t\ttype ${type}\n\t}`),
    `\tset tried_leave {\n\t\ttype ether_addr\n\t\tsize ${attempts.maxSenders}\n\t\tflags dynamic,timeout\n\t}`,
    ...guardCounters.map((name) => `\tcounter ${name} { }`),
    ...Object.entries(chains).map(([name, hook]) => `\tchain ${name} { ${hook} }`),
    "}",
    ...Object.keys(chains).map((name) => `flush chain ${guardTable} ${name}`),
    ...Object.entries(sets).map(([name, type]) => `flush ${kindOf(type)} ${guardTable} ${name}`),
    `table ${guardTable} {`,
    ...filledSets(guard),
    ...Object.entries(rulesOf(guard)).map(([name, rules]) =>
      [`\tchain ${name} {`, ...rules.map((rule) => `\t\t${rule}`), "\t}"].join("\n"),
    ),
    "}\n",
  ].join("\n");
}

/** What each chain asks. Whoever wants to know who was dropped puts that before the drop. */
const rulesOf = (guard: Guard): Record<keyof typeof chains, readonly string[]> => ({
  forward: forwardRules(guard),
  input: inputRules(guard),
  output: outputRules(guard),
  postrouting_guard: postroutingRules(guard),
  servers: serverRules(guard),
  wrong_source: wrongSourceRules(guard),
  wrong_interface: wrongInterfaceRules(guard),
  orphaned_socket: orphanedSocketRules,
  to_uplink: sourceRules,
});

/**
 * A valid mark says it all: steering gives it to nothing but what comes from the LAN in its own direction. Every packet
 * comes by here, so nothing is asked twice, and answers, which have no mark, are sorted out first. Whose policy fails open
 * has two ways: what began in the tunnel is not answered from outside.
 */
function forwardRules({ lan, uplinks, pairs, inner }: Guard): string[] {
  const [behind, out] = [interfaces(lan), interfaces(uplinks)];
  const outside = new Set(pairs.filter((it) => uplinks.includes(it.interface)).map(({ egress }) => egress));
  const failsOpen = pairs.some((it) => outside.has(it.egress) && !uplinks.includes(it.interface));
  return [
    ...bothFamilies(inner.length > 0 && failsOpen, (family) => {
      const own = `ct reply ${destination(family)}`;
      const elsewhere = `${own} @inner${family} ${own} . iifname != @inner${family}_at`;
      return `iifname ${out} ct direction reply ${elsewhere} counter name wrong_interface drop`;
    }),
    `ct direction reply oifname ${behind} ct mark and 0x000000ff or ${hex(valid)} . iifname @pairs accept`,
    // Only what leaves by an uplink is asked for its sender: packets into a tunnel do not pay for that.
    `meta mark and ${hex(routedMask)} . oifname vmap @egresses`,
    ...aims.map((aim) => `${aim} counter name leak_forward drop`),
    `iifname ${behind} ${attempts.counted("tried_leave")}`,
    "counter name leak_forward drop",
  ];
}

/**
 * The kernel is told not to look for forged senders, so whoever says it is the gateway itself is found here. A stray
 * packet from outside must not even be answered: the answer would leave in the clear, quoting the packet. Nor may anybody
 * find out by an answer which address a tunnel has.
 *
 * From outside an address is reached through the interface that has it, before `established` is considered: a neighbour on
 * the uplink must not send into a connection that the gateway has through a tunnel or with a device (CVE-2019-14899). The
 * destination of a masqueraded connection's reply has been translated by now; what was on the wire is in the connection.
 */
function inputRules({ lan, uplinks, uplinkPorts, rescue, inner }: Guard): string[] {
  const out = interfaces(uplinks);
  return [
    'iifname != "lo" fib saddr type local fib daddr type local counter name unsolicited drop',
    ...bothFamilies(inner.length > 0, (family) => {
      const elsewhere = `${destination(family)} @inner${family} ${destination(family)} . iifname != @inner${family}_at`;
      return `iifname != "lo" ${elsewhere} counter name wrong_interface drop`;
    }),
    `iifname ${interfaces(["lo", ...lan])} accept`,
    ...bothFamilies(inner.length > 0, (family) => {
      const wire = `ct reply ${destination(family)}`;
      return `ct status snat ${wire} @inner${family} ${wire} . iifname != @inner${family}_at counter name wrong_interface drop`;
    }),
    "ct status ! snat fib daddr . iif type != { local, broadcast, multicast } jump wrong_interface",
    "ct state established,related accept",
    `iifname ${out} udp dport { 68, 546 } accept`,
    ...(uplinkPorts.length === 0 ? [] : [`iifname ${out} tcp dport { ${uplinkPorts.join(", ")} } accept`]),
    ...(rescue ? rescueRules(rescue) : []),
    "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-advert } accept",
    "counter name unsolicited drop",
  ];
}

/** A connection from a private address cannot come from the Internet, whichever interface this is. */
function rescueRules({ interfaces: names, ports }: NonNullable<Guard["rescue"]>): string[] {
  const reached = `tcp dport { ${ports.join(", ")} } accept`;
  return [
    `iifname ${interfaces(names)} ip saddr { 10.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16 } ${reached}`,
    `iifname ${interfaces(names)} ip6 saddr { fc00::/7, fe80::/10 } ${reached}`,
  ];
}

/**
 * An answer that cannot be delivered is not complained of by the uplink: complaints quote it. And what is said in the middle of a
 * connection that nobody has seen the beginning of may belong to anybody.
 */
function outputRules({ lan, uplinks }: Guard): string[] {
  const out = interfaces(uplinks);
  return [
    `ct state invalid,new tcp flags ! syn oifname != ${interfaces(["lo", ...lan])} goto orphaned_socket`,
    `icmp type { destination-unreachable, time-exceeded, parameter-problem } oifname ${out} counter name leak_output drop`,
    `icmpv6 type { destination-unreachable, packet-too-big, time-exceeded, parameter-problem } oifname ${out} counter name leak_output drop`,
    // A redirect names a path around the gateway. The kernel has a setting for IPv4 only.
    "icmpv6 type nd-redirect drop",
  ];
}

/**
 * The last look at what leaves. Where the gateway's own packets go is only sure here: others may have given them a way
 * after they were sent. They leave with the address of the interface they leave by, or not at all. Who looks for its
 * own address has none yet. What stays inside, and what was steered into a tunnel, was looked at when it was forwarded.
 *
 * Each packet of a tunnel comes by here, and nearly all of them by an uplink: what else a rule asks is asked first.
 */
function postroutingRules({ lan, uplinks, innerHopServers, servers }: Guard): string[] {
  const [behind, out] = [interfaces(lan), interfaces(uplinks)];
  return [
    // Most packets take the first of these two, which is the cheaper one for all others.
    `meta mark and ${hex(decided)} != 0 oifname != ${out} accept`,
    `oifname ${behind} accept`,
    `iifname ${behind} oifname ${out} meta mark and ${hex(routedMask)} . oifname != @pairs counter name leak_postrouting drop`,
    // What is not masqueraded shows the device's own address: its rule is gone, or the flow began where it needed none.
    `iifname ${behind} oifname ${out} ct status ! snat counter name leak_postrouting drop`,
    // A hop that runs inside another one would be worth nothing if somebody saw who its server is.
    ...bothFamilies(
      innerHopServers.length > 0,
      (it) => `${endpoint(it)} @inner_hop_servers${it} oifname ${out} counter name leak_postrouting drop`,
    ),
    ...(servers.length === 0
      ? []
      : [
          `meta mark and ${hex(valid | decided)} != ${hex(valid)} oifname ${out} jump servers`,
          `${actingForDevices} oifname ${out} jump servers`,
        ]),
    "ip6 saddr :: accept",
    `meta mark and ${hex(decided)} == 0 oifname != "lo" fib saddr . oif type != local goto wrong_source`,
  ];
}

/**
 * A program that ends leaves sockets behind that have something to say still. They have no user any more, and with the interface
 * of their way the kernel has forgotten their connections too: nothing is left to tell by which way they belong.
 */
const orphanedSocketRules = ["meta skuid >= 0 accept", "counter name leak_output drop"];

/** Of an address that two tunnels have the kernel knows one place only. */
const wrongSourceRules = ({ inner }: Guard): string[] => [
  ...(inner.length === 0 ? [] : ["ip saddr . oifname @inner4_at accept", "ip6 saddr . oifname @inner6_at accept"]),
  "counter name leak_output drop",
];

/** Of an address that two tunnels have the kernel knows one interface only. */
const wrongInterfaceRules = ({ inner }: Guard): string[] => [
  ...(inner.length === 0 ? [] : ["ip daddr . iifname @inner4_at return", "ip6 daddr . iifname @inner6_at return"]),
  "counter name wrong_interface drop",
];

/**
 * Whoever talks to a hop's server is seen to be its customer. The hop's own socket has the mark of its way and was never
 * steered, which nothing has that comes from a device.
 */
const serverRules = ({ servers }: Guard): string[] =>
  bothFamilies(servers.length > 0, (family) => `${endpoint(family)} @servers${family} counter name leak_server drop`);

/** Programs of ours that go where devices tell them to: all but redirectors and resolvers, which have ports indoors. */
const actingForDevices = `meta skuid ${ownUsers.first}-${ownUsers.last} meta skuid != ${ownUsers.first + internalPorts.first}-${ownUsers.first + internalPorts.last}`;

type IpFamily = 4 | 6;
const bothFamilies = (isNeeded: boolean, rule: (family: IpFamily) => string): string[] =>
  isNeeded ? [rule(4), rule(6)] : [];
const destination = (family: IpFamily): string => (family === 4 ? "ip daddr" : "ip6 daddr");
const endpoint = (family: IpFamily): string => `${destination(family)} . meta l4proto . th dport`;

const filledSets = (guard: Guard): string[] =>
  Object.entries(elementsOf(guard))
    .filter(([, held]) => held.length > 0)
    .map(([name, held]) => {
      const type = sets[name as keyof typeof sets];
      return `\t${kindOf(type)} ${name} {\n\t\ttype ${type}\n\t\telements = { ${held.join(", ")} }\n\t}`;
    });

function elementsOf({
  uplinks,
  pairs,
  innerHopServers,
  servers,
  inner,
}: Guard): Record<keyof typeof sets, readonly string[]> {
  const [heldPairs, heldEgresses] = pairSets(pairs, uplinks);
  const [later4, later6] = byFamily(innerHopServers);
  const [servers4, servers6] = byFamily(servers);
  const [inner4, inner6] = byFamily(inner);
  return {
    pairs: heldPairs!.elements.map(({ key }) => key),
    egresses: heldEgresses!.elements.map(({ key, data }) => `${key} : ${data}`),
    inner_hop_servers4: sorted(later4.map(serverText)),
    inner_hop_servers6: sorted(later6.map(serverText)),
    servers4: sorted(servers4.map(serverText)),
    servers6: sorted(servers6.map(serverText)),
    inner4: sorted(inner4.map(({ address }) => address)),
    inner6: sorted(inner6.map(({ address }) => address)),
    inner4_at: sorted(inner4.map(({ address, interface: name }) => `${address} . "${name}"`)),
    inner6_at: sorted(inner6.map(({ address, interface: name }) => `${address} . "${name}"`)),
  };
}

function byFamily<T extends { readonly address: string }>(all: readonly T[]): [T[], T[]] {
  return [all.filter(({ address }) => !address.includes(":")), all.filter(({ address }) => address.includes(":"))];
}

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].toSorted();
/** The two tables that say which egress may leave by which interface. */
export const pairSets = (pairs: Guard["pairs"], uplinks: Guard["uplinks"]): NamedSet[] => [
  { name: "pairs", kind: "set", type: sets.pairs, elements: pairs.map((pair) => ({ key: pairText(pair) })) },
  {
    name: "egresses",
    kind: "map",
    type: sets.egresses,
    elements: pairs.map((pair) => ({
      key: pairText(pair),
      data: uplinks.includes(pair.interface) ? "goto to_uplink" : "accept",
    })),
  },
];
const pairText = ({ egress, interface: name }: Guard["pairs"][number]): string =>
  `${hex(routedMark(egress))} . "${name}"`;
const serverText = ({ address, protocol, port }: Server): string => `${address} . ${protocol} . ${port}`;
