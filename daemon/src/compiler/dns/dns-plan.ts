import type { Book } from "../../engines/dnsdist/filter-policy.model.ts";
import type { WantedList } from "../../engines/lists/lists.model.ts";
import { type NamedDevice, reverseZones, withDevices } from "../../engines/nsd/devices.model.ts";
import type { Zone } from "../../engines/nsd/nsd.model.ts";
import { type Askers, bookOf, strictestLevel, type Told, wantedLists } from "./filter-policy.ts";
import { type Decisions, effectiveRank } from "../policy/decide.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent } from "../input/intent.ts";
import { type Located, located, type Seen } from "./device-addresses.ts";
import { noResolving, type Resolving, resolvers } from "./resolver-programs.ts";
import type { Numbers } from "../egress/kernel-ids.ts";
import type { NameResources } from "../input/read-dns.ts";
import { remember, settled } from "../memoize.ts";
import { type Stack, stacksOf } from "./resolver-instances.ts";
import { domainNumber } from "../egress/steering.ts";
import type { Ways } from "../egress/egresses.ts";

/** Everything about names. */
export interface Naming {
  /** Who looks them up, and by which way. */
  readonly stacks: readonly Stack[];
  readonly resolving: Resolving;
  /** What becomes of which. */
  readonly book: Book;
  readonly lists: readonly WantedList[];
  /** Devices, each with the addresses it has now. */
  readonly devices: readonly Located[];
  /** How much is written down of somebody who is new, and may turn out to be any of the devices. */
  readonly newcomers: Book["others"]["log"];
}

type Said = NameResources & Askers & { readonly seen?: readonly Seen[] };

/** As long as nothing that matters changes, each part of its answer is the same object. */
export function namer(): (
  said: Said,
  intent: Intent,
  facts: Facts,
  decisions: Decisions,
  ways: Ways,
  numbers: Numbers,
  bits: ReadonlyMap<string, number>,
) => Naming {
  const sameStacks = settled<readonly Stack[]>();
  const sameResolving = settled<Resolving>();
  const sameRoutes = settled<Book["routes"]>();
  const sameLists = settled<readonly WantedList[]>();
  const sameTold = settled<readonly Told[]>();
  const sameExcepted = settled<readonly string[]>();
  const sameSeen = settled<readonly Seen[]>();
  const locate = remember(located);
  const fill = remember(zonesOf);
  const sameNetworks = settled<readonly string[]>();
  const write = remember(
    (
      routes: Book["routes"],
      lists: readonly WantedList[],
      isFiltering: boolean,
      told: readonly Told[],
      excepted: readonly string[],
      ...parts: Parts
    ) => bookOf(together(parts), together(parts), routes, lists, isFiltering, told, excepted),
  );
  return ({ seen = [], ...resources }, intent, facts, { ranked }, ways, numbers, bits) => {
    const { names } = intent;
    if (!names) return { ...nobodyAsks, devices: resources.device };
    const macs = new Set(resources.device.map(({ mac }) => mac));
    const devices = locate(resources.device, sameSeen(seen.filter(({ mac }) => macs.has(mac))));
    const said = { ...resources, device: devices };
    const { lan } = intent.network;
    const networks = sameNetworks(
      facts.links.filter(({ name }) => lan.includes(name)).flatMap((it) => it.networks ?? []),
    );
    const stacks = sameStacks(stacksOf(intent, facts, ways, numbers));
    const routes = sameRoutes(routesOf(ranked, numbers));
    const lists = sameLists(wantedLists(said.dns_list ?? [], bits));
    const isMapping = routes.length > 0;
    return {
      stacks,
      resolving: sameResolving(
        resolvers(names, stacks, fill(names.zones, devices, networks), isMapping, facts, intent.network),
      ),
      book: write(
        routes,
        lists,
        names.isFiltering,
        sameTold(toldIn(intent)),
        sameExcepted(exceptedIn(intent)),
        ...partsOf(said),
      ),
      lists,
      devices,
      newcomers: strictestLevel(said),
    };
  };
}

/** Whom an exception lets out to everywhere it lets out of the controls as well. */
const exceptedIn = ({ exceptions }: Intent): string[] =>
  exceptions
    .filter(({ effect, destinations }) => effect === "direct" && destinations.length === 0)
    .map(({ deviceId }) => deviceId);

/** Where no names are answered nothing about them needs to be known. */
const nobodyAsks: Omit<Naming, "devices"> = {
  stacks: [],
  resolving: noResolving,
  book: {
    isFiltering: false,
    clients: [],
    others: { layers: [], lists: 0, log: "full" },
    layers: [],
    lists: [],
    routes: [],
  },
  lists: [],
  newcomers: "full",
};

/** With the names of devices in those that want them, and their addresses in reverse, unless somebody made that zone. */
function zonesOf(
  zones: NonNullable<Intent["names"]>["zones"],
  all: readonly Located[],
  networks: readonly string[],
): Zone[] {
  if (!zones.some(({ isFilled }) => isFilled)) return zones.map(({ zone }) => zone);
  const devices = all.map(({ name, ips }): NamedDevice => ({ name, addresses: ips }));
  const [home] = zones.filter(({ zone, isFilled }) => isFilled && !isReverse(zone));
  const reversed = home ? reverseZones({ zone: home.zone, devices, networks }) : [];
  const made = zones.map(({ zone, isFilled }) => {
    if (!isFilled) return zone;
    if (!isReverse(zone)) return withDevices(zone, devices);
    const pointers = reversed.find(({ name }) => name === zone.name)?.records ?? [];
    return { ...zone, records: [...zone.records, ...pointers] };
  });
  return [...made, ...reversed.filter(({ name }) => !made.some((zone) => zone.name === name))];
}

const isReverse = ({ name }: Zone): boolean => /(^|\.)(in-addr|ip6)\.arpa$/.test(name);

const toldIn = ({ exceptions }: Intent): Told[] =>
  exceptions.flatMap(({ id, deviceId, answers }) => (answers ? [{ id, deviceId, answers }] : []));

/** The domains of policies, each with what the kernel calls it. */
const routesOf = (ranked: Decisions["ranked"], numbers: Numbers): Book["routes"] =>
  ranked
    .filter(({ policy }) => policy.sourceType === "domain")
    .map((it) => ({
      domain: it.policy.sourceValue.toLowerCase().replace(/^\*\./, "").replace(/\.$/, ""),
      number: domainNumber(it.policy.id, numbers),
      rank: effectiveRank(it),
    }));

const read = [
  "dns_filter_rule",
  "dns_allow_entry",
  "dns_block_entry",
  "dns_rewrite",
  "dns_list",
  "device",
  "device_group",
  "privacy_class",
  "trust_class",
  "privacy",
] as const;

/** Lists of a document, of which those that did not change are the same objects as before. */
type Parts = readonly (readonly unknown[] | undefined)[];

const partsOf = (said: Said): Parts => read.map((kind) => said[kind]);
const together = (parts: Parts): Said =>
  Object.fromEntries(read.map((kind, place) => [kind, parts[place]])) as unknown as Said;
