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
import type { Intent, IntentPause } from "../input/intent.ts";
import { pauseException } from "../input/read-pauses.ts";
import { type LocatedDevice, withObservedAddresses, type ObservedAddress } from "./device-addresses.ts";
import { noResolverPrograms, type ResolverPrograms, resolverPrograms } from "./resolver-programs.ts";
import type { KernelIds } from "../egress/kernel-ids.ts";
import type { DnsResources } from "../input/read-dns.ts";
import { memoize, reuseEqual } from "../memoize.ts";
import { type ResolverInstance, resolverInstancesOf } from "./resolver-instances.ts";
import { domainNumber } from "../egress/steering.ts";
import type { Egresses } from "../egress/egresses.ts";

/** What the DNS plane should have. */
export interface DnsPlan {
  /** One resolver for each egress. */
  readonly instances: readonly ResolverInstance[];
  readonly programs: ResolverPrograms;
  readonly filterPolicy: FilterPolicy;
  readonly lists: readonly WantedList[];
  /** Devices, each with its current addresses. */
  readonly devices: readonly LocatedDevice[];
  /** The log level of a client that is not identified yet, and may be any of the devices. */
  readonly unknownClientLogLevel: FilterPolicy["others"]["log"];
}

export type DnsInput = DnsResources & ClientResources;

interface PlanInput {
  readonly resources: DnsInput;
  readonly neighbours: readonly ObservedAddress[];
  readonly intent: Intent;
  readonly facts: Facts;
  readonly ranked: Decisions["ranked"];
  readonly egresses: Egresses;
  readonly kernelIds: KernelIds;
  readonly listBits: ReadonlyMap<string, number>;
}

/** Parts of the plan whose input did not change are the same objects as in the previous call. */
export function dnsPlanner(): (input: PlanInput) => DnsPlan {
  const sameInstances = reuseEqual<readonly ResolverInstance[]>();
  const samePrograms = reuseEqual<ResolverPrograms>();
  const sameRoutes = reuseEqual<FilterPolicy["routes"]>();
  const sameLists = reuseEqual<readonly WantedList[]>();
  const sameAnswers = reuseEqual<readonly ForcedAnswers[]>();
  const sameExcepted = reuseEqual<readonly string[]>();
  const samePauses = reuseEqual<readonly IntentPause[]>();
  const sameNeighbours = reuseEqual<readonly ObservedAddress[]>();
  const locate = memoize(withObservedAddresses);
  const fill = memoize(zonesOf);
  const sameNetworks = reuseEqual<readonly string[]>();
  const policyOf = memoize(
    (
      routes: FilterPolicy["routes"],
      lists: readonly WantedList[],
      isFiltering: boolean,
      answers: readonly ForcedAnswers[],
      excepted: readonly string[],
      pauses: readonly IntentPause[],
      ...parts: Parts
    ) => filterPolicyOf(together(parts), together(parts), routes, lists, isFiltering, answers, excepted, pauses),
  );
  return ({ resources, neighbours, intent, facts, ranked, egresses, kernelIds, listBits }) => {
    const { dns } = intent;
    if (!dns) return { ...noDnsPlan, devices: resources.device };
    const macs = new Set(resources.device.map(({ mac }) => mac));
    const devices = locate(resources.device, sameNeighbours(neighbours.filter(({ mac }) => macs.has(mac))));
    const input = { ...resources, device: devices };
    const { lan } = intent.network;
    const networks = sameNetworks(
      facts.links.filter(({ name }) => lan.includes(name)).flatMap((it) => it.networks ?? []),
    );
    const instances = sameInstances(resolverInstancesOf(intent, facts, egresses, kernelIds));
    const routes = sameRoutes(routesOf(ranked, kernelIds));
    const lists = sameLists(wantedLists(input.dns_list ?? [], listBits));
    const isMapping = routes.length > 0;
    return {
      instances,
      programs: samePrograms(
        resolverPrograms(dns, instances, fill(dns.zones, devices, networks), isMapping, facts, intent.network),
      ),
      filterPolicy: policyOf(
        routes,
        lists,
        dns.isFiltering,
        sameAnswers(forcedAnswersIn(intent)),
        sameExcepted(exceptedIn(intent)),
        samePauses(intent.pauses ?? []),
        ...partsOf(input),
      ),
      lists,
      devices,
      unknownClientLogLevel: unknownClientLogLevel(input),
    };
  };
}

/**
 * Devices that an exception sends directly to all destinations. Privacy controls do not apply to them. Those of a pause have them
 * back at its end without the daemon.
 */
const exceptedIn = ({ exceptions }: Intent): string[] =>
  exceptions
    .filter(
      ({ type, effect, destinations }) => type !== pauseException && effect === "direct" && destinations.length === 0,
    )
    .map(({ deviceId }) => deviceId);

/** For a gateway without a resolver. */
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

/** Adds the names of devices to the zones that request them, and reverse zones of their addresses unless the operator made one. */
function zonesOf(
  zones: NonNullable<Intent["dns"]>["zones"],
  all: readonly LocatedDevice[],
  networks: readonly string[],
): Zone[] {
  if (!zones.some(({ isFilled }) => isFilled)) return zones.map(({ zone }) => zone);
  const devices = all.map(({ name, ips }): NamedDevice => ({ name, addresses: ips }));
  const [local] = zones.filter(({ zone, isFilled }) => isFilled && !isReverse(zone));
  const reversed = local ? reverseZones({ zone: local.zone, devices, networks }) : [];
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

/** The domains of policies, each with its number in the kernel. */
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

/** Lists of a document. A list that did not change is the same object as before. */
type Parts = readonly (readonly unknown[] | undefined)[];

const partsOf = (input: DnsInput): Parts => read.map((kind) => input[kind]);
const together = (parts: Parts): DnsInput =>
  Object.fromEntries(read.map((kind, index) => [kind, parts[index]])) as unknown as DnsInput;
