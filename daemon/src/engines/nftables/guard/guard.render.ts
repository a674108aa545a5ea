import { aims, attempts } from "../steering/attempts.render.ts";
import { advertiserUser } from "../../radvd/radvd.model.ts";
import { ownUsers } from "../../sandbox/sandbox.model.ts";
import { type Guard, localEgress, type Server } from "../nftables.model.ts";
import { decided, hex, routedMark, routedMask, valid } from "../marks.model.ts";
import { internalPorts } from "../redirect/redirect.model.ts";
import { protectedCounter, sourceRules, sourceSets } from "../sources/sources.render.ts";
import { type NamedSet, interfaces } from "../table.model.ts";

export const guardTable = "inet portcullis_guard";

/** Packets between segments that may not reach each other. */
export const isolatedCounter = "isolated";

/** What the guard drops, by cause. Other modules read these by name. */
export const guardCounters = [
  "leak_forward",
  "leak_postrouting",
  "leak_server",
  "leak_output",
  "wrong_interface",
  "unsolicited",
  isolatedCounter,
  protectedCounter,
] as const;

/** Sets and chains of the guard. A changed type or hook needs another name: an older guard may exist when this is loaded. */
const sets = {
  pairs: "mark . ifname",
  egresses: "mark . ifname : verdict",
  inner_hop_servers4: "ipv4_addr . inet_proto . inet_service",
  inner_hop_servers6: "ipv6_addr . inet_proto . inet_service",
  servers4: "ipv4_addr . inet_proto . inet_service",
  servers6: "ipv6_addr . inet_proto . inet_service",
  lan_pairs: "ifname . ifname",
  lan4: "ipv4_addr",
  lan6: "ipv6_addr",
  lan4_at: "ipv4_addr . ifname",
  lan6_at: "ipv6_addr . ifname",
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
  advertiser: "",
  to_uplink: "",
  between_lans: "",
  isolated: "",
} as const;
const kindOf = (type: string): "map" | "set" => (type.includes(" : ") ? "map" : "set");

/**
 * The guard. It exists before the network is up, and no apply removes it; only the elements of its sets change.
 * An `accept` in another table does not override a `drop` here.
 */
export function renderGuard(guard: Guard): string {
  return [
    `table ${guardTable} {`,
    ...Object.entries(sets).map(([name, type]) => `\t${kindOf(type)} ${name} {\n\t\ttype ${type}\n\t}`),
    // Another engine fills these before and after steering changes: they are declared here and never flushed.
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

/** The rules of each chain. */
const rulesOf = (guard: Guard): Record<keyof typeof chains, readonly string[]> => ({
  forward: forwardRules(guard),
  input: inputRules(guard),
  output: outputRules(guard),
  postrouting_guard: postroutingRules(guard),
  servers: serverRules(guard),
  wrong_source: wrongSourceRules(guard),
  wrong_interface: wrongInterfaceRules(guard),
  orphaned_socket: orphanedSocketRules,
  advertiser: advertiserRules(guard),
  to_uplink: sourceRules,
  between_lans: betweenLansRules(guard),
  isolated: isolatedRules(guard),
});

/**
 * A valid mark is sufficient: steering sets it only on packets from the LAN in the original direction. Every packet passes
 * here, so nothing is compared twice, and replies, which have no mark, come first. A connection of a fail-open policy
 * may use two interfaces: one that began in the tunnel accepts no replies from an uplink.
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
    // Only packets to an uplink are checked for their sender: packets into a tunnel are spared.
    `meta mark and ${hex(routedMask)} . oifname vmap @egresses`,
    ...aims.map((aim) => `${aim} counter name leak_forward drop`),
    `iifname ${behind} ${attempts.counted("tried_leave")}`,
    "counter name leak_forward drop",
  ];
}

const betweenLansRules = ({ lanPairs }: Guard): string[] =>
  lanPairs.length === 0 ? [] : ["iifname . oifname @lan_pairs accept", "goto isolated"];

/** A refused connection fails at once. The limit is for forged senders: each packet of theirs would cause an answer to another device. */
const isolatedRules = ({ lanPairs }: Guard): string[] =>
  lanPairs.length === 0
    ? []
    : [
        `counter name ${isolatedCounter}`,
        "limit rate over 200/second burst 500 packets drop",
        "meta l4proto tcp reject with tcp reset",
        "reject with icmpx admin-prohibited",
      ];

/**
 * The kernel's own check for forged senders is off, so packets with a source address of the gateway are dropped here. A stray
 * packet from outside must not be answered: the answer would leave in the clear, quoting the packet. Nor may an answer
 * reveal the address of a tunnel.
 *
 * From outside an address is reached through the interface that has it, before `established` is considered: a neighbour on
 * the uplink must not send into a connection that the gateway has through a tunnel or with a device (CVE-2019-14899). The
 * destination of a masqueraded connection's reply has been translated by now; what was on the wire is in the connection.
 */
function inputRules({ lan, uplinks, uplinkPorts, rescue, lanAddresses, inner }: Guard): string[] {
  const out = interfaces(uplinks);
  return [
    'iifname != "lo" fib saddr type local fib daddr type local counter name unsolicited drop',
    ...bothFamilies(inner.length > 0, (family) => {
      const elsewhere = `${destination(family)} @inner${family} ${destination(family)} . iifname != @inner${family}_at`;
      return `iifname != "lo" ${elsewhere} counter name wrong_interface drop`;
    }),
    // A segment that may not reach another may not reach the gateway by the other's address either.
    ...bothFamilies(lanAddresses.length > 0, (family) => {
      const elsewhere = `${destination(family)} @lan${family} ${destination(family)} . iifname != @lan${family}_at`;
      return `iifname ${interfaces(lan)} ${elsewhere} goto isolated`;
    }),
    // The kernel delivers what the gateway advertises to itself, too, and would list it as another router.
    "icmpv6 type nd-router-advert fib saddr type local drop",
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
 * ICMP errors about a reply do not leave by an uplink: they quote it. And a packet in the middle of a connection
 * that conntrack does not know may belong to any egress.
 */
function outputRules({ lan, uplinks }: Guard): string[] {
  const out = interfaces(uplinks);
  return [
    `meta skuid ${advertiserUser} goto advertiser`,
    `ct state invalid,new tcp flags ! syn oifname != ${interfaces(["lo", ...lan])} goto orphaned_socket`,
    `icmp type { destination-unreachable, time-exceeded, parameter-problem } oifname ${out} counter name leak_output drop`,
    `icmpv6 type { destination-unreachable, packet-too-big, time-exceeded, parameter-problem } oifname ${out} counter name leak_output drop`,
    // A redirect shows a path around the gateway. The kernel has a setting for IPv4 only.
    "icmpv6 type nd-redirect drop",
  ];
}

/**
 * The program that advertises the router has a raw socket, with which it could send anything, marked for any egress. No other chain
 * reroutes ICMPv6, so its interface is final here.
 */
const advertiserRules = ({ lan }: Guard): string[] => [
  `oifname ${interfaces(lan)} ip6 daddr { ff02::1, fe80::/10 } icmpv6 type nd-router-advert accept`,
  "counter name leak_output drop",
];

/**
 * The last check before a packet leaves. Only here is the interface of the gateway's own packets final: other rules may have
 * rerouted them. They leave with the address of their interface, or are dropped. Duplicate address detection has no
 * address yet. Packets into the LAN, and packets steered into a tunnel, were checked when they were forwarded.
 *
 * Each packet of a tunnel passes here, nearly all of them to an uplink: a rule compares everything else first.
 */
function postroutingRules({ lan, uplinks, innerHopServers, servers }: Guard): string[] {
  const [behind, out] = [interfaces(lan), interfaces(uplinks)];
  return [
    // Most packets match the first of these two, which is also the cheaper one for the others.
    `meta mark and ${hex(decided)} != 0 oifname != ${out} accept`,
    `oifname ${behind} accept`,
    `iifname ${behind} oifname ${out} meta mark and ${hex(routedMask)} . oifname != @pairs counter name leak_postrouting drop`,
    // A packet without masquerading shows the device's address: the rule is gone, or the flow began where it needed none.
    `iifname ${behind} oifname ${out} ct status ! snat counter name leak_postrouting drop`,
    // A nested hop is useless if an observer of the uplink sees its server.
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
 * A program that ends leaves sockets with unsent data. They have no user, and with the interface
 * of their egress the kernel has lost their connections: nothing identifies their egress.
 */
const orphanedSocketRules = ["meta skuid >= 0 accept", "counter name leak_output drop"];

/** For an address of two tunnels, the kernel's lookup returns one interface only. */
const wrongSourceRules = ({ inner }: Guard): string[] => [
  ...(inner.length === 0 ? [] : ["ip saddr . oifname @inner4_at accept", "ip6 saddr . oifname @inner6_at accept"]),
  "counter name leak_output drop",
];

/** For an address of two tunnels, the kernel's lookup returns one interface only. */
const wrongInterfaceRules = ({ inner }: Guard): string[] => [
  ...(inner.length === 0 ? [] : ["ip daddr . iifname @inner4_at return", "ip6 daddr . iifname @inner6_at return"]),
  "counter name wrong_interface drop",
];

/**
 * Packets to a hop's server reveal its customer. The hop's own socket has the mark of its egress and was never
 * steered, unlike anything from a device.
 */
const serverRules = ({ servers }: Guard): string[] =>
  bothFamilies(servers.length > 0, (family) => `${endpoint(family)} @servers${family} counter name leak_server drop`);

/** Our programs whose destinations are chosen by devices: all but redirectors and resolvers, which have internal ports. */
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
  lanPairs,
  lanAddresses,
  innerHopServers,
  servers,
  inner,
}: Guard): Record<keyof typeof sets, readonly string[]> {
  const [heldPairs, heldEgresses] = pairSets(pairs, uplinks);
  const [later4, later6] = byFamily(innerHopServers);
  const [servers4, servers6] = byFamily(servers);
  const [lan4, lan6] = byFamily(lanAddresses);
  const [inner4, inner6] = byFamily(inner);
  return {
    pairs: heldPairs!.elements.map(({ key }) => key),
    egresses: heldEgresses!.elements.map(({ key, data }) => `${key} : ${data}`),
    inner_hop_servers4: sorted(later4.map(serverText)),
    inner_hop_servers6: sorted(later6.map(serverText)),
    servers4: sorted(servers4.map(serverText)),
    servers6: sorted(servers6.map(serverText)),
    lan_pairs: lanPairs.map(({ from, to }) => `"${from}" . "${to}"`),
    lan4: sorted(lan4.map(({ address }) => address)),
    lan6: sorted(lan6.map(({ address }) => address)),
    lan4_at: sorted(lan4.map(placeText)),
    lan6_at: sorted(lan6.map(placeText)),
    inner4: sorted(inner4.map(({ address }) => address)),
    inner6: sorted(inner6.map(({ address }) => address)),
    inner4_at: sorted(inner4.map(placeText)),
    inner6_at: sorted(inner6.map(placeText)),
  };
}

function byFamily<T extends { readonly address: string }>(all: readonly T[]): [T[], T[]] {
  return [all.filter(({ address }) => !address.includes(":")), all.filter(({ address }) => address.includes(":"))];
}

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].toSorted();
/** The set and the map of the interfaces that each egress may use. */
export const pairSets = (pairs: Guard["pairs"], uplinks: Guard["uplinks"]): NamedSet[] => [
  { name: "pairs", kind: "set", type: sets.pairs, elements: pairs.map((pair) => ({ key: pairText(pair) })) },
  {
    name: "egresses",
    kind: "map",
    type: sets.egresses,
    elements: pairs.map((pair) => ({
      key: pairText(pair),
      data: verdictOf(pair, uplinks),
    })),
  },
];
function verdictOf({ egress, interface: name }: Guard["pairs"][number], uplinks: Guard["uplinks"]): string {
  if (egress === localEgress) return "goto between_lans";
  return uplinks.includes(name) ? "goto to_uplink" : "accept";
}

const pairText = ({ egress, interface: name }: Guard["pairs"][number]): string =>
  `${hex(routedMark(egress))} . "${name}"`;
const placeText = ({ address, interface: name }: Guard["inner"][number]): string => `${address} . "${name}"`;
const serverText = ({ address, protocol, port }: Server): string => `${address} . ${protocol} . ${port}`;
