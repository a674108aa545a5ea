import { parseAddress, parseCidr } from "@portcullis/contract/addresses";
import {
  bentTable,
  type Family,
  farPriority,
  groupPriority,
  lanPriority,
  lanTable,
  lastMetric,
  lastPriority,
  nearPriority,
  ownPriority,
  type Route,
  type Routing,
  type Rule,
  rulePriority,
  tableOf,
  unmarkedPriority,
} from "../engines/iproute/iproute.model.ts";
import { userOf } from "../engines/confinement/confinement.model.ts";
import { groupMask, routedMark, routedMask, valid } from "../engines/nftables/marks.model.ts";
import { blockEgress, directEgress, localEgress } from "../engines/nftables/nftables.model.ts";
import { isBent, type Proxies } from "../engines/nftables/proxies.model.ts";
import type { Facts } from "./facts.ts";
import type { Network } from "./intent.ts";
import { egressNumber, type Numbers } from "./numbers.ts";
import type { Ways } from "./ways.ts";

/** A way with its number. */
interface Numbered {
  readonly egress: number;
  readonly interfaces: readonly string[];
}

/**
 * Decisions → rules and tables. Every table ends in `unreachable`, and what comes from the LAN without a valid mark
 * finds only the LAN itself: never the main table, where the uplink's own networks are.
 */
export function route({ ways }: Ways, network: Network, facts: Facts, proxies: Proxies, numbers: Numbers): Routing {
  const all = ways
    .map(({ name, interfaces }) => ({ egress: egressNumber(name, numbers), interfaces }))
    .toSorted((a, b) => a.egress - b.egress);
  const families: readonly Family[] = [4, 6];
  return {
    rules: families.flatMap((family) => [
      ...rules(family, all, network.lan),
      ...ownRules(family, all, network, facts),
      ...programRules(family, proxies),
      ...(network.uplinks.length > 1 || network.unused !== undefined ? uplinkRules(family) : []),
    ]),
    routes: families.flatMap((family) => [
      ...all.flatMap((way) => table(family, way, facts)),
      ...lanRoutes(family, network.lan, facts),
      ...bentRoutes(family, proxies),
    ]),
  };
}

/** From so many ways on, marks are compared in two steps: rules are walked one by one, and each costs every packet. */
const fewWays = 16;

function rules(family: Family, ways: readonly Numbered[], lan: readonly string[]): Rule[] {
  const marked = (egress: number) => ({ value: routedMark(egress), mask: routedMask });
  const numbers = [...ways.map(({ egress }) => egress), ...(lan.length === 1 ? [] : [localEgress]), blockEgress];
  const groups = ways.length > fewWays ? [...new Set(numbers.map((egress) => egress >> 4))] : [];
  return [
    // What carries no mark (answers, the gateway's own packets) need not be compared with every mark there is.
    { family, priority: unmarkedPriority, mark: { value: 0, mask: valid }, action: { goto: lanPriority } },
    ...groups.map((group) => ({
      family,
      priority: groupPriority(group),
      mark: { value: routedMark(group << 4), mask: groupMask },
      action: { goto: rulePriority(numbers.find((egress) => egress >> 4 === group)!) },
    })),
    ...ways.map(({ egress }) => ({
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
function ownRules(family: Family, ways: readonly Numbered[], { wan, uplinks }: Network, { links }: Facts): Rule[] {
  const wayOf = (name: string): Numbered | undefined =>
    ways
      .filter(({ interfaces }) => interfaces[0] === name)
      .toSorted((a, b) => a.interfaces.length - b.interfaces.length || b.egress - a.egress)[0];
  // A single uplink needs no rule: the main table leads there anyhow.
  const spoken = uplinks.length > 1 ? links : links.filter(({ name }) => name !== wan);
  return spoken.flatMap(({ name, addresses = [] }) => {
    const way = wayOf(name);
    if (!way) return [];
    return addresses
      .filter((address) => parseAddress(address)?.family === family)
      .map((from) => ({ family, priority: ownPriority, from, action: { lookup: tableOf(way.egress) } }));
  });
}

/** Programs that carry connections have users of their own, and each user its way, also if no rule of nftables is left. */
const programRules = (family: Family, { redirectors, listeners, names }: Proxies): Rule[] =>
  [
    ...redirectors.map(({ port, mark }) => ({ userId: userOf(port), mark })),
    ...listeners,
    ...(names?.programs ?? []).flatMap((it) =>
      it.way && !isBent(it) ? [{ userId: it.userId, mark: it.way.mark }] : [],
    ),
  ]
    .map(({ userId, mark }) => ({ userId, table: tableOf(mark & 0xff) }))
    .concat((names?.programs ?? []).filter(isBent).map(({ userId }) => ({ userId, table: bentTable })))
    .map(({ userId, table: number }) => ({ family, priority: ownPriority, userId, action: { lookup: number } }));

/**
 * By a way whose last hop is a proxy no packet of our own leaves: connections are bent before they could. A socket wants a
 * route all the same; this one ends at the gateway, whatever becomes of the rules that bend.
 */
function bentRoutes(family: Family, { names }: Proxies): Route[] {
  if (!names?.programs.some(isBent)) return [];
  const place = { family, table: bentTable, to: "default" };
  const end = { ...place, metric: lastMetric, way: "unreachable" as const };
  return family === 4 ? [end, { ...place, metric: 10, way: { device: "lo" } }] : [end];
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
function table(family: Family, { egress, interfaces }: Numbered, { links }: Facts): Route[] {
  const place = { family, table: tableOf(egress), to: "default" };
  const present = interfaces.flatMap((name, order) => {
    const link = links.find((it) => it.name === name && it.up);
    const via = family === 4 ? link?.gateways?.v4 : link?.gateways?.v6;
    return link
      ? [{ ...place, metric: 10 * (order + 1), way: { device: name, ...(via !== undefined && { via }) } }]
      : [];
  });
  return [{ ...place, metric: lastMetric, way: "unreachable" }, ...present];
}

const lanRoutes = (family: Family, lan: readonly string[], { links }: Facts): Route[] =>
  links
    .filter(({ name, up }) => lan.includes(name) && up)
    .flatMap(({ name, networks = [] }) =>
      networks
        .filter((network) => parseCidr(network)?.family === family)
        .map((to) => ({ family, table: lanTable, to, metric: 10, way: { device: name } })),
    );
