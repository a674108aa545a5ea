import { contains, parseAddress, parseCidr } from "@portcullis/contract/addresses";
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
import { isBent, type Proxies } from "../../engines/nftables/redirect/redirect.model.ts";
import type { Facts } from "../input/facts.ts";
import { type Network, outsideOf } from "../input/intent.ts";
import { egressNumber, type KernelIds } from "./kernel-ids.ts";
import type { Egresses } from "./egresses.ts";

/** A way with its number. */
interface NumberedEgress {
  readonly egress: number;
  readonly interfaces: readonly string[];
}

/**
 * Decisions → rules and tables. Every table ends in `unreachable`, and what comes from the LAN without a valid mark
 * finds only the LAN itself: never the main table, where the uplink's own networks are.
 */
export function compileRouting(
  { egresses }: Egresses,
  network: Network,
  facts: Facts,
  proxies: Proxies,
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
      ...all.flatMap((way) => table(family, way, facts)),
      ...lanRoutes(family, network.lan, facts),
      ...redirectedRoutes(family, proxies),
    ]),
  };
}

/** From so many ways on, marks are compared in two steps: rules are walked one by one, and each costs every packet. */
const maxUngrouped = 16;

function rules(family: Family, egresses: readonly NumberedEgress[], lan: readonly string[]): Rule[] {
  const marked = (egress: number) => ({ value: routedMark(egress), mask: routedMask });
  const numbers = [...egresses.map(({ egress }) => egress), ...(lan.length === 1 ? [] : [localEgress]), blockEgress];
  const groups = egresses.length > maxUngrouped ? [...new Set(numbers.map((egress) => egress >> 4))] : [];
  return [
    // What carries no mark (answers, the gateway's own packets) need not be compared with every mark there is.
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
    ...lan.map((iif, place) => ({ family, priority: lastPriority - place, iif, action: "prohibit" as const })),
  ];
}

/**
 * What the gateway itself says with the address of a tunnel leaves by that tunnel or not at all. When somebody takes all
 * rules of nftables away, answers to devices are strangers to the gateway; its resets would go in the clear by the uplink.
 */
function ownAddressRules(
  family: Family,
  egresses: readonly NumberedEgress[],
  { wan, uplinks }: Network,
  { links }: Facts,
): Rule[] {
  // A single uplink needs no rule: the main table leads there anyhow.
  const senders = uplinks.length > 1 ? links : links.filter(({ name }) => name !== wan);
  return senders.flatMap(({ name, addresses = [] }) => {
    const egress = egressBy(name, egresses);
    if (!egress) return [];
    return addresses
      .filter((address) => parseAddress(address)?.family === family)
      .map((from) => ({ family, priority: ownPriority, from, action: { lookup: tableOf(egress.egress) } }));
  });
}

/** Of those that begin with an interface, the one that leads nowhere else. */
const egressBy = (name: string, egresses: readonly NumberedEgress[]): NumberedEgress | undefined =>
  egresses
    .filter(({ interfaces }) => interfaces[0] === name)
    .toSorted((a, b) => a.interfaces.length - b.interfaces.length || b.egress - a.egress)[0];

const linkLocalText = "fe80::/10";
const linkLocal = parseCidr(linkLocalText)!;

/**
 * A flow that another program hands past all rules (a flowtable) is given its way there when an answer comes by, which has
 * no mark: the kernel asks for a route that leaves by where the answer came from. For IPv4 that is binding. For IPv6 it
 * is a wish, and any other route will do, so that the device's packets would go by the uplink from then on. Neighbours
 * and the gateway on the link itself are where the main table says: the kernel looks for a gateway before it takes a
 * route by it, and the table that is just being filled does not know it.
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
 * What a program of ours says from the port it is called at is meant for a device, which it has found in the LAN's table by
 * now or nowhere: its user's way is not for that. A LAN that has just lost its addresses and got them back has no routes
 * there for a moment; without rules of nftables answers, and farewells of a program that ends, would leave by the uplink.
 * Programs of others may speak from a port of the same number, which over another protocol is another port.
 */
const servicePortRules = (family: Family, { redirectors, listeners, names }: Proxies): Rule[] =>
  [
    ...redirectors.map(({ port }) => ({ userId: userOf(port), sourcePort: port })),
    ...listeners.map(({ userId, port }) => ({ userId, sourcePort: port })),
    ...(names?.programs ?? []).flatMap(({ userId, way }) => (way ? [{ userId, sourcePort: portOf(userId) }] : [])),
    ...(names?.external ? [{ userId: userOf(names.own), sourcePort: names.external.returning }] : []),
  ].map(({ userId, sourcePort }) => ({
    ...rulesOfUser(userId, family),
    priority: replyPriority,
    sourcePort,
    action: "prohibit",
  }));

/**
 * Programs that carry connections have users of their own, and each user its way, also if no rule of nftables is left. Who
 * has nothing to say to others finds the house, by the rules before, and nothing else.
 */
const programRules = (family: Family, { redirectors, listeners, names }: Proxies): Rule[] =>
  [
    ...redirectors.map(({ port, mark }) => ({ userId: userOf(port), mark })),
    ...listeners,
    ...(names?.programs ?? []).flatMap((it) =>
      it.way && !isBent(it) ? [{ userId: it.userId, mark: it.way.mark }] : [],
    ),
  ]
    .map(({ userId, mark }) => ({ userId, table: tableOf(mark & 0xff) }))
    .concat((names?.programs ?? []).filter(isBent).map(({ userId }) => ({ userId, table: redirectTable })))
    .map(({ userId, table: number }): Rule => ({ ...rulesOfUser(userId, family), action: { lookup: number } }))
    // Who has nothing to say, or whom nobody wants any more, has no way at all.
    .concat({ family, priority: noEgressPriority, users: [ownUsers.first, ownUsers.last], action: "prohibit" });

const rulesOfUser = (userId: number, family: Family): Omit<Rule, "action"> => ({
  family,
  priority: ownPriority,
  users: [userId, userId],
});

/**
 * What the kernel complains of (nobody there, too old, too big) quotes the packet it complains of, and goes to its sender.
 * Towards the LAN it has found its way before; there is no other for it, also if no rule of nftables is left.
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
 * By a way whose last hop is a proxy no packet of our own leaves: connections are bent before they could. A socket wants a
 * route all the same; this one ends at the gateway, whatever becomes of the rules that bend.
 */
function redirectedRoutes(family: Family, { names }: Proxies): Route[] {
  if (!names?.programs.some(isBent)) return [];
  const route = { family, table: redirectTable, to: "default" };
  const last = { ...route, ...end };
  return family === 4 ? [last, { ...route, metric: 10, nextHop: { device: "lo" } }] : [last];
}

/**
 * What the gateway itself has to say leaves by the uplink that is used now. The main table may prefer another, and even one
 * that is switched off.
 */
const uplinkRules = (family: Family): Rule[] => [
  { family, priority: nearPriority, iif: "lo", action: { lookup: "main", but: "default" } },
  { family, priority: farPriority, iif: "lo", action: { lookup: tableOf(directEgress) } },
];

/** The preferred interface first; the next only takes over when the one before is gone, without anybody having to notice. */
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

/** Behind the routes into a LAN is their end: what is meant for its devices goes there, whatever the main table knows of them. */
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
