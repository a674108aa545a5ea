import type { FilterPolicy } from "../../engines/dnsdist/filter-policy.model.ts";
import type { WantedList } from "../../engines/lists/lists.model.ts";
import { type NamedDevice, reverseZones, withDevices } from "../../engines/nsd/devices.model.ts";
import type { Zone } from "../../engines/nsd/nsd.model.ts";
import {
  type ClientResources,
  filterPolicyOf,
  unknownClientLogLevel,
  type ForcedAnswers,
  wantedLists,
} from "./filter-policy.ts";
import { type Decisions, effectiveRank } from "../policy/decide.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent } from "../input/intent.ts";
import { type LocatedDevice, withObservedAddresses, type ObservedAddress } from "./device-addresses.ts";
import { noResolverPrograms, type ResolverPrograms, resolverPrograms } from "./resolver-programs.ts";
import type { KernelIds } from "../egress/kernel-ids.ts";
import type { DnsResources } from "../input/read-dns.ts";
import { memoize, reuseEqual } from "../memoize.ts";
import { type ResolverInstance, resolverInstancesOf } from "./resolver-instances.ts";
import { domainNumber } from "../egress/steering.ts";
import type { Egresses } from "../egress/egresses.ts";

/** Everything about names. */
export interface DnsPlan {
  /** Who looks them up, and by which way. */
  readonly instances: readonly ResolverInstance[];
  readonly programs: ResolverPrograms;
  /** What becomes of which. */
  readonly filterPolicy: FilterPolicy;
  readonly lists: readonly WantedList[];
  /** Devices, each with the addresses it has now. */
  readonly devices: readonly LocatedDevice[];
  /** How much is written down of somebody who is new, and may turn out to be any of the devices. */
  readonly unknownClientLogLevel: FilterPolicy["others"]["log"];
}

type DnsInput = DnsResources & ClientResources & { readonly seen?: readonly ObservedAddress[] };

/** As long as nothing that matters changes, each part of its answer is the same object. */
export function dnsPlanner(): (
  said: DnsInput,
  intent: Intent,
  facts: Facts,
  decisions: Decisions,
  ways: Egresses,
  kernelIds: KernelIds,
  bits: ReadonlyMap<string, number>,
) => DnsPlan {
  const sameInstances = reuseEqual<readonly ResolverInstance[]>();
  const samePrograms = reuseEqual<ResolverPrograms>();
  const sameRoutes = reuseEqual<FilterPolicy["routes"]>();
  const sameLists = reuseEqual<readonly WantedList[]>();
  const sameTold = reuseEqual<readonly ForcedAnswers[]>();
  const sameExcepted = reuseEqual<readonly string[]>();
  const sameSeen = reuseEqual<readonly ObservedAddress[]>();
  const locate = memoize(withObservedAddresses);
  const fill = memoize(zonesOf);
  const sameNetworks = reuseEqual<readonly string[]>();
  const write = memoize(
    (
      routes: FilterPolicy["routes"],
      lists: readonly WantedList[],
      isFiltering: boolean,
      told: readonly ForcedAnswers[],
      excepted: readonly string[],
      ...parts: Parts
    ) => filterPolicyOf(together(parts), together(parts), routes, lists, isFiltering, told, excepted),
  );
  return ({ seen = [], ...resources }, intent, facts, { ranked }, ways, kernelIds, bits) => {
    const { dns } = intent;
    if (!dns) return { ...noDnsPlan, devices: resources.device };
    const macs = new Set(resources.device.map(({ mac }) => mac));
    const devices = locate(resources.device, sameSeen(seen.filter(({ mac }) => macs.has(mac))));
    const said = { ...resources, device: devices };
    const { lan } = intent.network;
    const networks = sameNetworks(
      facts.links.filter(({ name }) => lan.includes(name)).flatMap((it) => it.networks ?? []),
    );
    const instances = sameInstances(resolverInstancesOf(intent, facts, ways, kernelIds));
    const routes = sameRoutes(routesOf(ranked, kernelIds));
    const lists = sameLists(wantedLists(said.dns_list ?? [], bits));
    const isMapping = routes.length > 0;
    return {
      instances,
      programs: samePrograms(
        resolverPrograms(dns, instances, fill(dns.zones, devices, networks), isMapping, facts, intent.network),
      ),
      filterPolicy: write(
        routes,
        lists,
        dns.isFiltering,
        sameTold(forcedAnswersIn(intent)),
        sameExcepted(exceptedIn(intent)),
        ...partsOf(said),
      ),
      lists,
      devices,
      unknownClientLogLevel: unknownClientLogLevel(said),
    };
  };
}

/** Whom an exception lets out to everywhere it lets out of the controls as well. */
const exceptedIn = ({ exceptions }: Intent): string[] =>
  exceptions
    .filter(({ effect, destinations }) => effect === "direct" && destinations.length === 0)
    .map(({ deviceId }) => deviceId);

/** Where no names are answered nothing about them needs to be known. */
const noDnsPlan: Omit<DnsPlan, "devices"> = {
  instances: [],
  programs: noResolverPrograms,
  filterPolicy: {
    isFiltering: false,
    clients: [],
    others: { layers: [], lists: 0, log: "full" },
    layers: [],
    lists: [],
    routes: [],
  },
  lists: [],
  unknownClientLogLevel: "full",
};

/** With the names of devices in those that want them, and their addresses in reverse, unless somebody made that zone. */
function zonesOf(
  zones: NonNullable<Intent["dns"]>["zones"],
  all: readonly LocatedDevice[],
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

const forcedAnswersIn = ({ exceptions }: Intent): ForcedAnswers[] =>
  exceptions.flatMap(({ id, deviceId, answers }) => (answers ? [{ id, deviceId, answers }] : []));

/** The domains of policies, each with what the kernel calls it. */
const routesOf = (ranked: Decisions["ranked"], kernelIds: KernelIds): FilterPolicy["routes"] =>
  ranked
    .filter(({ policy }) => policy.sourceType === "domain")
    .map((it) => ({
      domain: it.policy.sourceValue.toLowerCase().replace(/^\*\./, "").replace(/\.$/, ""),
      number: domainNumber(it.policy.id, kernelIds),
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

const partsOf = (said: DnsInput): Parts => read.map((kind) => said[kind]);
const together = (parts: Parts): DnsInput =>
  Object.fromEntries(read.map((kind, place) => [kind, parts[place]])) as unknown as DnsInput;
