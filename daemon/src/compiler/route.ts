import { parseAddress, parseCidr } from "@portcullis/contract/addresses";
import {
  type Family,
  lanPriority,
  lanTable,
  lastMetric,
  lastPriority,
  ownPriority,
  type Route,
  type Routing,
  type Rule,
  rulePriority,
  tableOf,
  unmarkedPriority,
} from "../engines/iproute/iproute.model.ts";
import { routedMark, routedMask, valid } from "../engines/nftables/marks.model.ts";
import { blockEgress, localEgress } from "../engines/nftables/nftables.model.ts";
import type { Decisions } from "./decide.ts";
import type { Facts } from "./facts.ts";
import type { Network } from "./intent.ts";
import { directName, egressesOf, egressNumber, type Numbers } from "./numbers.ts";

/** One way out: the number packets are marked with, and the interfaces that carry it, the preferred one first. */
interface Way {
  readonly egress: number;
  readonly interfaces: readonly string[];
}

/**
 * Decisions → rules and tables. Every table ends in `unreachable`, and what comes from the LAN without a valid mark
 * finds only the LAN itself: never the main table, where the uplink's own networks are.
 */
export function route(ranked: Decisions["ranked"], network: Network, facts: Facts, numbers: Numbers): Routing {
  const ways: Way[] = [
    { egress: egressNumber(directName, numbers), interfaces: [network.wan] },
    ...egressesOf({ ranked }).flatMap((it) =>
      it.kind === "way"
        ? [
            {
              egress: egressNumber(it.name, numbers),
              interfaces: it.failsOpen ? [it.interface, network.wan] : [it.interface],
            },
          ]
        : [],
    ),
  ];
  const families: readonly Family[] = [4, 6];
  return {
    rules: families.flatMap((family) => [
      ...rules(family, ways, network.lan),
      ...ownRules(
        family,
        ways.filter(({ interfaces }) => interfaces[0] !== network.wan),
        facts,
      ),
    ]),
    routes: families.flatMap((family) => [
      ...ways.flatMap((way) => table(family, way, facts)),
      ...lanRoutes(family, network.lan, facts),
    ]),
  };
}

function rules(family: Family, ways: readonly Way[], lan: readonly string[]): Rule[] {
  const marked = (egress: number) => ({ value: routedMark(egress), mask: routedMask });
  return [
    // What carries no mark (answers, the gateway's own packets) need not be compared with every mark there is.
    { family, priority: unmarkedPriority, mark: { value: 0, mask: valid }, action: { goto: lanPriority } },
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
function ownRules(family: Family, ways: readonly Way[], { links }: Facts): Rule[] {
  const wayOf = (name: string): Way | undefined =>
    ways
      .filter(({ interfaces }) => interfaces[0] === name)
      .toSorted((a, b) => a.interfaces.length - b.interfaces.length)[0];
  return links.flatMap(({ name, addresses = [] }) => {
    const way = wayOf(name);
    if (!way) return [];
    return addresses
      .filter((address) => parseAddress(address)?.family === family)
      .map((from) => ({ family, priority: ownPriority, from, action: { lookup: tableOf(way.egress) } }));
  });
}

/** The preferred interface first; the next only takes over when the one before is gone, without anybody having to notice. */
function table(family: Family, { egress, interfaces }: Way, { links }: Facts): Route[] {
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
