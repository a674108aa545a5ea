import { contains, parseAddress, parseCidr } from "../../net/addresses.ts";
import {
  redirectTable,
  boundPriority,
  icmpErrorPriority,
  replyPriority,
  type Family,
  farPriority,
  groupPriority,
  lanPriority,
  lanTable,
  lastMetric,
  lastPriority,
  noEgressPriority,
  nearPriority,
  neighbourPriority,
  ownPriority,
  type Route,
  type Routing,
  type Rule,
  rulePriority,
  tableOf,
  unmarkedPriority,
} from "../../engines/iproute/iproute.model.ts";
import { ownUsers, portOf, userOf } from "../../engines/sandbox/sandbox.model.ts";
import { groupMask, routedMark, routedMask, valid } from "../../engines/nftables/marks.model.ts";
import { blockEgress, directEgress, localEgress } from "../../engines/nftables/nftables.model.ts";
import { isRedirected, type Redirect } from "../../engines/nftables/redirect/redirect.model.ts";
import type { Facts } from "../input/facts.ts";
import { type Network, outsideOf } from "../input/intent.ts";
import { egressNumber, type KernelIds } from "./kernel-ids.ts";
import type { Egresses } from "./egresses.ts";

interface NumberedEgress {
  readonly egress: number;
  readonly interfaces: readonly string[];
}

/**
 * Routing rules and tables. Every table ends in `unreachable`. Packets from the LAN without a valid mark reach only the LAN,
 * never the main table, which has the uplink's networks.
 */
export function compileRouting(
  { egresses }: Egresses,
  network: Network,
  facts: Facts,
  proxies: Redirect,
  kernelIds: KernelIds,
): Routing {
  const all = egresses
    .map(({ name, interfaces }) => ({ egress: egressNumber(name, kernelIds), interfaces }))
    .toSorted((a, b) => a.egress - b.egress);
  const families: readonly Family[] = [4, 6];
  return {
    rules: families.flatMap((family) => [
      ...rules(family, all, network.lan),
      ...ownAddressRules(family, all, network, facts),
      ...(family === 6 ? boundRules(all, network, facts) : []),
      ...servicePortRules(family, proxies),
      ...programRules(family, proxies),
      ...icmpErrorRules(family),
      ...(network.uplinks.length > 1 || network.unused !== undefined ? uplinkRules(family) : []),
    ]),
    routes: families.flatMap((family) => [
      ...all.flatMap((egress) => table(family, egress, facts)),
      ...lanRoutes(family, network.lan, facts),
      ...redirectedRoutes(family, proxies),
    ]),
  };
}

/** With more egresses, marks are compared in two steps: the kernel walks the rules one by one, for every packet. */
const maxUngrouped = 16;

function rules(family: Family, egresses: readonly NumberedEgress[], lan: readonly string[]): Rule[] {
  const marked = (egress: number) => ({ value: routedMark(egress), mask: routedMask });
  const numbers = [...egresses.map(({ egress }) => egress), ...(lan.length === 1 ? [] : [localEgress]), blockEgress];
  const groups = egresses.length > maxUngrouped ? [...new Set(numbers.map((egress) => egress >> 4))] : [];
  return [
    // Packets without a mark (replies, the gateway's own) skip the comparison with every mark.
    { family, priority: unmarkedPriority, mark: { value: 0, mask: valid }, action: { goto: lanPriority } },
    ...groups.map((group) => ({
      family,
      priority: groupPriority(group),
      mark: { value: routedMark(group << 4), mask: groupMask },
      action: { goto: rulePriority(numbers.find((egress) => egress >> 4 === group)!) },
    })),
    ...egresses.map(({ egress }) => ({
      family,
      priority: rulePriority(egress),
      mark: marked(egress),
      action: { lookup: tableOf(egress) },
    })),
    ...(lan.length === 1
      ? []
      : [
          {
            family,
            priority: rulePriority(localEgress),
            mark: marked(localEgress),
            action: { lookup: lanTable },
          },
        ]),
    { family, priority: rulePriority(blockEgress), mark: marked(blockEgress), action: "prohibit" as const },
    { family, priority: lanPriority, action: { lookup: lanTable } },
    ...lan.map((iif, index) => ({ family, priority: lastPriority - index, iif, action: "prohibit" as const })),
  ];
}

/**
 * The gateway's own packets with the address of a tunnel leave by that tunnel or not at all. If another program removes all
 * nftables rules, replies to devices match no connection; the gateway's resets would leave in the clear by the uplink.
 */
function ownAddressRules(
  family: Family,
  egresses: readonly NumberedEgress[],
  { wan, uplinks }: Network,
  { links }: Facts,
): Rule[] {
  // A single uplink needs no rule: the main table has its route.
  const senders = uplinks.length > 1 ? links : links.filter(({ name }) => name !== wan);
  return senders.flatMap(({ name, addresses = [] }) => {
    const egress = egressBy(name, egresses);
    if (!egress) return [];
    return addresses
      .filter((address) => parseAddress(address)?.family === family)
      .map((from) => ({ family, priority: ownPriority, from, action: { lookup: tableOf(egress.egress) } }));
  });
}

/** Of the egresses that prefer an interface, the one with the fewest others. */
const egressBy = (name: string, egresses: readonly NumberedEgress[]): NumberedEgress | undefined =>
  egresses
    .filter(({ interfaces }) => interfaces[0] === name)
    .toSorted((a, b) => a.interfaces.length - b.interfaces.length || b.egress - a.egress)[0];

const linkLocalText = "fe80::/10";
const linkLocal = parseCidr(linkLocalText)!;

/**
 * If another program offloads a flow to a flowtable, the kernel chooses its route when a reply passes, which has no mark: it
 * looks up a route through the reply's interface. For IPv4 the interface is mandatory. For IPv6 it is a preference, and
 * another route is accepted, so that the device's packets would leave by the uplink from then on. Neighbours and the
 * gateway on the link are looked up in the main table: the kernel resolves a gateway before it accepts a route through
 * it, and the table that is being filled does not have it yet.
 */
function boundRules(egresses: readonly NumberedEgress[], network: Network, { links }: Facts): Rule[] {
  const outside = new Set(outsideOf(network));
  const names = new Set(
    egresses.flatMap(({ interfaces }) => interfaces.slice(0, 1)).filter((name) => !outside.has(name)),
  );
  const bound = [...names].map((oif): Rule => {
    const { egress } = egressBy(oif, egresses)!;
    return { family: 6, priority: boundPriority, oif, action: { lookup: tableOf(egress) } };
  });
  const main = { lookup: "main", but: "default" } as const;
  const nearby = [...names].flatMap((oif) => {
    const gateway = links.find(({ name }) => name === oif)?.gateways?.v6;
    const near = gateway === undefined || contains(linkLocal, parseAddress(gateway)!) ? [] : [gateway];
    return [linkLocalText, ...near].map(
      (to): Rule => ({ family: 6, priority: neighbourPriority, to, oif, action: main }),
    );
  });
  return [...nearby, ...bound];
}

/**
 * Packets that a program sends from its listening port are replies to a device. They use the LAN table or are dropped; the
 * egress of the program's user is not for them. A LAN that has just lost its addresses and regained them has no routes for
 * a moment; without nftables rules, replies and the resets of an ending program would leave by the uplink. The rule also
 * names the user, because other programs may use the same port number with another protocol.
 */
const servicePortRules = (family: Family, { redirectors, listeners, dns }: Redirect): Rule[] =>
  [
    ...redirectors.map(({ port }) => ({ userId: userOf(port), sourcePort: port })),
    ...listeners.map(({ userId, port }) => ({ userId, sourcePort: port })),
    ...(dns?.programs ?? []).flatMap(({ userId, egress }) => (egress ? [{ userId, sourcePort: portOf(userId) }] : [])),
    ...(dns?.external ? [{ userId: userOf(dns.ownPort), sourcePort: dns.external.returnPort }] : []),
  ].map(({ userId, sourcePort }): Rule => {
    const priority = replyPriority;
    return { ...rulesOfUser(userId, family), priority, sourcePort, action: "prohibit" };
  });

/**
 * Each program has its own user, and each user its egress, even if no nftables rule is left. Programs without an egress
 * reach the LAN, by the rules before, and nothing else.
 */
const programRules = (family: Family, { redirectors, listeners, dns }: Redirect): Rule[] =>
  [
    ...redirectors.map(({ port, mark }) => ({ userId: userOf(port), mark })),
    ...listeners,
    ...(dns?.programs ?? []).flatMap((it) =>
      it.egress && !isRedirected(it) ? [{ userId: it.userId, mark: it.egress.mark }] : [],
    ),
  ]
    .map(({ userId, mark }) => ({ userId, table: tableOf(mark & 0xff) }))
    .concat((dns?.programs ?? []).filter(isRedirected).map(({ userId }) => ({ userId, table: redirectTable })))
    .map(({ userId, table: number }): Rule => ({ ...rulesOfUser(userId, family), action: { lookup: number } }))
    // Programs without an egress, and programs that are no longer desired.
    .concat({ family, priority: noEgressPriority, users: [ownUsers.first, ownUsers.last], action: "prohibit" });

const rulesOfUser = (userId: number, family: Family): Omit<Rule, "action"> => ({
  family,
  priority: ownPriority,
  users: [userId, userId],
});

/**
 * ICMP errors of the kernel quote the packet, and go to its sender. Those to the LAN are routed by earlier rules; all others
 * are dropped, even if no nftables rule is left.
 */
const icmpErrorRules = (family: Family): Rule[] =>
  icmpErrors[family].map((icmp) => ({ family, priority: icmpErrorPriority, iif: "lo", icmp, action: "prohibit" }));
const icmpErrors: Readonly<Record<Family, readonly (readonly [number, number])[]>> = {
  // Unreachable; time exceeded, bad parameter.
  4: [
    [3, 3],
    [11, 12],
  ],
  // The same, and too big.
  6: [[1, 4]],
};

/**
 * The gateway's own connections through a proxy are redirected before they leave. A socket needs a route all the same; this
 * one ends at the gateway, even if the redirect rules are missing.
 */
function redirectedRoutes(family: Family, { dns }: Redirect): Route[] {
  if (!dns?.programs.some(isRedirected)) return [];
  const route = { family, table: redirectTable, to: "default" };
  const last = { ...route, ...end };
  return family === 4 ? [last, { ...route, metric: 10, nextHop: { device: "lo" } }] : [last];
}

/**
 * The gateway's own packets leave by the active uplink. The main table may prefer another, even a disabled one.
 */
const uplinkRules = (family: Family): Rule[] => [
  { family, priority: nearPriority, iif: "lo", action: { lookup: "main", but: "default" } },
  { family, priority: farPriority, iif: "lo", action: { lookup: tableOf(directEgress) } },
];

/** The preferred interface first. The kernel uses the next one when an interface is removed, without the daemon. */
function table(family: Family, { egress, interfaces }: NumberedEgress, { links }: Facts): Route[] {
  const route = { family, table: tableOf(egress), to: "default" };
  const present = interfaces.flatMap((name, order) => {
    const link = links.find((it) => it.name === name && it.up && (family === 4 || it.ipv6 !== false));
    const via = family === 4 ? link?.gateways?.v4 : link?.gateways?.v6;
    return link
      ? [{ ...route, metric: 10 * (order + 1), nextHop: { device: name, ...(via !== undefined && { via }) } }]
      : [];
  });
  return [{ ...route, ...end }, ...present];
}

/** Each LAN network ends in `unreachable`: packets to its devices never follow another route of the main table. */
function lanRoutes(family: Family, lan: readonly string[], { links }: Facts): Route[] {
  const reached = links
    .filter(({ name }) => lan.includes(name))
    .flatMap(({ name, up, networks = [] }) => networks.map((to) => ({ to, device: name, up })))
    .filter(({ to }) => parseCidr(to)?.family === family);
  const route = { family, table: lanTable };
  return [
    ...[...new Set(reached.map(({ to }) => to))].map((to): Route => ({ ...route, to, ...end })),
    ...reached.flatMap(({ to, device, up }): Route[] =>
      up ? [{ ...route, to, metric: 10, nextHop: { device } }] : [],
    ),
  ];
}

const end = { metric: lastMetric, nextHop: "unreachable" } as const;
