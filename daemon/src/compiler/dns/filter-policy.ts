import { type Cidr, contains, formatNetwork, parseNetwork } from "../../net/addresses.ts";
import type {
  Action,
  FilterPolicy,
  PolicyList,
  Client,
  Layer,
  Match,
} from "../../engines/dnsdist/filter-policy.model.ts";
import type { WantedList } from "../../engines/lists/lists.model.ts";
import { type Control, effectiveControls, defaultPrivacy } from "@portcullis/contract/privacy-controls";
import type { Device } from "@portcullis/contract/subsystems/devices";
import type { PrivacyClass } from "@portcullis/contract/subsystems/classes";
import type { DnsFilterRule, DnsRewrite } from "@portcullis/contract/subsystems/dns-filters";
import type { PrivacyDefaults, PublishedPrivacy } from "@portcullis/contract/subsystems/privacy";
import { encryptedResolvers, resolverSignals } from "../policy/encrypted-resolvers.ts";
import type { IntentException, IntentPause } from "../input/intent.ts";
import {
  everyone,
  pausesAbout,
  phasesOf,
  rulesOfPauses,
  type SourcedRule,
  sourcesOfDomains,
  unblocked,
} from "./filter-pauses.ts";
import type { DnsResources, Sourced } from "../input/read-dns.ts";
import { expandService } from "./services/expand.ts";

/** The resources that identify DNS clients. */
export interface ClientResources {
  readonly device: readonly ClientDevice[];
  readonly device_group: readonly { readonly id: string; readonly name?: string }[];
  readonly privacy_class: readonly (Pick<PrivacyClass, "id" | "log_level"> & Partial<PrivacyDefaults>)[];
  readonly trust_class: readonly { readonly id: string; readonly default_privacy_class: string | null }[];
  /** At most one. */
  readonly privacy?: readonly PublishedPrivacy[];
}

export type ClientDevice = Pick<Device, "id" | "name" | "ips" | "group_ids" | "privacy_class" | "trust_class"> & {
  readonly mac?: string | null;
} & Partial<Pick<Device, Control>>;

/** Answers that an exception defines for a device. */
export type ForcedAnswers = Pick<IntentException, "id" | "deviceId"> & Required<Pick<IntentException, "answers">>;

/** All DNS rules, grouped by the clients they apply to. */
export function filterPolicyOf(
  resources: DnsResources,
  clients: ClientResources,
  routes: FilterPolicy["routes"],
  lists: readonly WantedList[],
  isFiltering: boolean,
  answers: readonly ForcedAnswers[] = [],
  /** Devices that an exception exempts from privacy controls. */
  excepted: readonly string[] = [],
  paused: readonly IntentPause[] = [],
): FilterPolicy {
  const { defaults, controlsOfDevice } = controlsIn(clients, new Set(excepted));
  const isHiding = defaults.hidesResolvers || clients.device.some((it) => controlsOfDevice(it).hidesResolvers);
  // Without filtering, privacy controls and the answers for a captive portal still apply.
  const isUnfiltered = !isFiltering && (isHiding || answers.length > 0);
  // Where nothing is filtered, only pauses of protection have an effect.
  const pauses = isFiltering ? paused : paused.filter(({ type }) => type === "protection");
  const configured = [...answers.flatMap(forcedAnswerRules), ...(isUnfiltered ? [] : configuredRules(resources))];
  const bySource = Map.groupBy(
    [...(isHiding ? resolverRules : []), ...configured, ...rulesOfPauses(pauses, configured)],
    ({ source }) => source,
  );
  const sources = [...bySource.keys()].toSorted();
  const numbers = new Map(sources.map((source, index) => [source, index]));
  const named = new Map(resources.dns_list?.map(({ id, name }) => [id, name]));
  const bits = isUnfiltered ? new Map<string, number>() : listBits(resources.dns_list ?? [], lists);
  const subnets = subnetsIn([...sources, ...bits.keys()]);
  const settingsOf = (about: readonly string[], controls: DnsControls, active: readonly IntentPause[]) => {
    const isPaused = active.some(({ type }) => type === "filtering");
    const { hidesResolvers, isWithoutV6 } = active.some(({ type }) => type === "protection") ? noControls : controls;
    const sourced = [
      ...(hidesResolvers ? [hiddenResolvers] : []),
      ...sourcesOfDomains(active, about),
      ...(isPaused ? about.map(unblocked) : about),
    ];
    return {
      layers: sourced.flatMap((it) => numbers.get(it) ?? []),
      lists: isPaused ? 0 : about.reduce((mask, source) => (mask | (bits.get(source) ?? 0)) >>> 0, 0),
      ...(isWithoutV6 && { isWithoutV6 }),
      ...(isPaused && { skipsExternalFilter: true }),
    };
  };
  const clientOf = (
    about: readonly string[],
    log: Client["log"],
    controls: DnsControls,
    deviceId?: string,
  ): Omit<Client, "network"> => {
    const phases = phasesOf(pausesAbout(pauses, about, deviceId), (active) => settingsOf(about, controls, active));
    return { ...settingsOf(about, controls, []), log, ...(phases.length > 0 && { phases }) };
  };
  const around = (network: Cidr): string[] =>
    subnets.filter((it) => isWithin(network, it.network)).map(({ source }) => source);
  const unknownAt = (network: Cidr) => clientOf([...around(network), everyone], "full", defaults);
  return {
    isFiltering: isFiltering || isUnfiltered,
    clients: [
      ...new Map([
        ...subnets.map(({ network, source }) => client(source.slice(subnetKey.length), unknownAt(network))),
        // Devices without rules of their own are left out.
        ...devicesIn(
          clients,
          (it, about) =>
            !hasSameControls(controlsOfDevice(it), defaults) ||
            about.some((source) => numbers.has(source) || bits.has(source)) ||
            pausesAbout(pauses, about, it.id).length > 0,
        )
          .map(({ device, network, about, log }) => ({
            network,
            is: clientOf([...about, ...around(network.cidr), everyone], log, controlsOfDevice(device), device.id),
          }))
          .filter(({ network, is }) => !isSame(is, unknownAt(network.cidr)))
          .map(({ network, is }) => client(network.text, is)),
      ]).values(),
    ],
    others: clientOf([everyone], "full", defaults),
    layers: sources.map((source, number): Layer => ({ number, rules: bySource.get(source)!.map(({ rule }) => rule) })),
    lists: (isUnfiltered ? [] : lists).map(({ id, bit }): PolicyList => ({ id, name: named.get(id) ?? id, bit })),
    routes,
  };
}

const client = (network: string, is: Omit<Client, "network">): [string, Client] => [network, { network, ...is }];

const isSame = (a: Omit<Client, "network">, b: Omit<Client, "network">): boolean =>
  a.lists === b.lists &&
  a.log === b.log &&
  a.isWithoutV6 === b.isWithoutV6 &&
  a.layers.join() === b.layers.join() &&
  JSON.stringify(a.phases) === JSON.stringify(b.phases);

/** Privacy controls that affect DNS: names of other resolvers are blocked, and IPv6 addresses of a device without IPv6. */
interface DnsControls {
  readonly hidesResolvers: boolean;
  readonly isWithoutV6: boolean;
}

const hasSameControls = (a: DnsControls, b: DnsControls): boolean =>
  a.hidesResolvers === b.hidesResolvers && a.isWithoutV6 === b.isWithoutV6;

const noControls: DnsControls = { hidesResolvers: false, isWithoutV6: false };

function controlsIn({ privacy_class, trust_class, privacy = [] }: ClientResources, excepted: ReadonlySet<string>) {
  const system = { ...defaultPrivacy, ...privacy[0] };
  const classes = new Map(privacy_class.map((it) => [it.id, { ...defaultPrivacy, ...it }]));
  const privacyOf = privacyIn({ privacy_class, trust_class });
  const held = (it: Parameters<typeof effectiveControls>[0], itsClass: PrivacyDefaults | undefined): DnsControls => {
    const { block_doh, block_ipv6 } = effectiveControls(it, itsClass, system);
    return { hidesResolvers: block_doh.on, isWithoutV6: block_ipv6.on };
  };
  return {
    defaults: held({}, undefined),
    controlsOfDevice: (it: ClientDevice): DnsControls =>
      excepted.has(it.id) ? noControls : held(it, classes.get(privacyOf(it).privacy ?? "")),
  };
}

/** Before all other rules: the kernel would block the addresses that the device resolves. */
const hiddenResolvers = "control block_doh";
const resolverRules: readonly SourcedRule[] = [
  ...encryptedResolvers.flatMap(({ names }) => names),
  ...resolverSignals,
].map((name) => ({
  source: hiddenResolvers,
  rule: { cause: "privacy_control block_doh", match: { kind: "suffix", name }, action: { kind: "block" } },
}));

const subnetKey = "subnet ";

const sourceKey = ({ source_type, source_value }: Sourced): string =>
  source_type === "everyone"
    ? everyone
    : `${source_type} ${source_type === "subnet" ? (formatNetwork(source_value) ?? source_value) : source_value}`;

const forcedAnswerRules = ({ id, deviceId, answers }: ForcedAnswers): SourcedRule[] =>
  answers.map(({ name, addresses }) => ({
    source: `device ${deviceId}`,
    rule: {
      cause: `exception ${id}`,
      match: { kind: "exact", name: plainName(name) },
      action: {
        kind: "rewrite",
        v4: addresses.filter((it) => !it.includes(":")),
        v6: addresses.filter((it) => it.includes(":")),
        cname: null,
      },
    },
  }));

function configuredRules(resources: DnsResources): SourcedRule[] {
  const entry =
    (kind: string, action: Action) =>
    (it: Sourced & { readonly id: string; readonly domain: string }): SourcedRule => ({
      source: sourceKey(it),
      rule: { cause: `${kind} ${it.id}`, match: { kind: "suffix", name: plainName(it.domain) }, action },
    });
  return [
    ...filterRules((resources.dns_filter_rule ?? []).filter(({ enabled }) => enabled)),
    ...(resources.dns_allow_entry ?? []).map(entry("dns_allow_entry", { kind: "allow" })),
    ...(resources.dns_block_entry ?? []).map(entry("dns_block_entry", { kind: "block" })),
    ...(resources.dns_rewrite ?? [])
      .filter(({ enabled }) => enabled)
      .map((it) => ({
        source: sourceKey(it),
        rule: { cause: `dns_rewrite ${it.id}`, match: matchOf(it.match, it.domain), action: rewriteOf(it) },
      })),
  ];
}

function filterRules(enabled: readonly DnsFilterRule[]): SourcedRule[] {
  const services = Map.groupBy(
    enabled.filter(({ match }) => match === "service"),
    sourceKey,
  );
  const patternsFor = new Map([...services].map(([source, them]) => [source, new Set(them.map((it) => it.pattern))]));
  return enabled.flatMap((it) => {
    const [source, cause] = [sourceKey(it), `dns_filter_rule ${it.id}`];
    const verdicts =
      it.match === "service"
        ? expandService(it, patternsFor.get(source)!)
        : it.action === "safe_search"
          ? []
          : [{ match: matchOf(it.match, it.pattern), action: { kind: it.action } }];
    return verdicts.map((verdict) => ({ source, rule: { cause, ...verdict } }));
  });
}

const matchOf = (kind: Match["kind"], text: string): Match =>
  kind === "regex" ? { kind, pattern: text } : { kind, name: plainName(text) };

/** The match kind already includes the `*.` of a name. */
const plainName = (name: string): string => name.toLowerCase().replace(/^\*\./, "").replace(/\.$/, "");

function rewriteOf({ answer, value }: DnsRewrite): Action {
  if (answer === "NXDOMAIN") return { kind: "block" };
  return {
    kind: "rewrite",
    v4: answer === "A" ? [value] : [],
    v6: answer === "AAAA" ? [value] : [],
    cname: answer === "CNAME" ? plainName(value) : null,
  };
}

/** Clients of lists → bits of the lists. */
function listBits(resources: NonNullable<DnsResources["dns_list"]>, lists: readonly WantedList[]): Map<string, number> {
  const bits = new Map<string, number>();
  for (const { id, bit } of lists) {
    const source = sourceKey(resources.find((it) => it.id === id)!);
    bits.set(source, ((bits.get(source) ?? 0) | (1 << bit)) >>> 0);
  }
  return bits;
}

interface Subnet {
  readonly source: string;
  readonly network: Cidr;
}

/** The narrowest first. */
const subnetsIn = (sources: readonly string[]): Subnet[] =>
  [...new Set(sources)]
    .filter((source) => source.startsWith(subnetKey))
    .flatMap((source) => {
      const network = parseNetwork(source.slice(subnetKey.length));
      return network ? [{ source, network }] : [];
    })
    .toSorted((a, b) => b.network.bits - a.network.bits || (a.source < b.source ? -1 : 1));

const isWithin = (inner: Cidr, outer: Cidr): boolean =>
  inner.bits >= outer.bits && contains(outer, { family: inner.family, value: inner.base });

/** Each address of each device with its sources of rules: the device, its groups by name, its privacy class. */
function devicesIn(
  { device, device_group, privacy_class, trust_class }: ClientResources,
  hasRules: (device: ClientDevice, about: readonly string[]) => boolean,
) {
  const groupOrder = new Map(
    device_group.toSorted((a, b) => ((a.name ?? a.id) < (b.name ?? b.id) ? -1 : 1)).map(({ id }, index) => [id, index]),
  );
  const privacyOf = privacyIn({ privacy_class, trust_class });
  return device.flatMap((it) => {
    const { privacy, log } = privacyOf(it);
    const groups = it.group_ids.toSorted((a, b) => (groupOrder.get(a) ?? 0) - (groupOrder.get(b) ?? 0));
    const about = [
      `device ${it.id}`,
      ...groups.map((id) => `device_group ${id}`),
      ...(privacy === null ? [] : [`privacy_class ${privacy}`]),
    ];
    // Most devices have no rules, and there are many: their addresses are not even parsed.
    if (log === "full" && !hasRules(it, about)) return [];
    return it.ips.flatMap((text) => {
      const cidr = parseNetwork(text);
      return cidr ? [{ device: it, network: { text, cidr }, about, log }] : [];
    });
  });
}

/** The privacy class of a device, its own or that of its trust class, and its log level. */
export function privacyIn({ privacy_class, trust_class }: Pick<ClientResources, "privacy_class" | "trust_class">) {
  const levels = new Map(privacy_class.map((it) => [it.id, it.log_level]));
  const byTrust = new Map(trust_class.map((it) => [it.id, it.default_privacy_class]));
  return (it: Pick<ClientDevice, "privacy_class" | "trust_class">): { privacy: string | null; log: Client["log"] } => {
    const privacy = it.privacy_class ?? (it.trust_class === null ? null : byTrust.get(it.trust_class)) ?? null;
    return { privacy, log: privacy === null ? "full" : (levels.get(privacy) ?? "full") };
  };
}

/** The strictest log level of all devices that can appear with a new address. */
export function unknownClientLogLevel({ device, ...classes }: ClientResources): Client["log"] {
  const privacyOf = privacyIn(classes);
  const levels = new Set(device.filter(({ mac }) => mac).map((it) => privacyOf(it).log));
  return (["none", "counts"] as const).find((it) => levels.has(it)) ?? "full";
}

/** Lists that need a bit. */
export const listsWithBits = (resources: NonNullable<DnsResources["dns_list"]>): readonly string[] =>
  resources
    .filter(({ enabled }) => enabled)
    .slice(0, maxLists)
    .map(({ id }) => id);

/**
 * The enabled lists with their allocated bits. A list keeps its bit: the built lists stay in force for a while after one was
 * removed, and its bit must not mean another list.
 */
export const wantedLists = (
  resources: NonNullable<DnsResources["dns_list"]>,
  bits: ReadonlyMap<string, number>,
): WantedList[] =>
  resources
    .filter(({ id, enabled }) => enabled && bits.has(id))
    .flatMap(({ id, format, action, url, path, content_digest, refresh_hours, allow_private }) => {
      const bit = bits.get(id)!;
      const source =
        url !== null
          ? { kind: "url" as const, url, allowPrivate: allow_private === true, refreshSec: refresh_hours * 3600 }
          : path !== null
            ? { kind: "file" as const, path }
            : content_digest !== null
              ? { kind: "upload" as const, digest: content_digest }
              : undefined;
      return source ? [{ id, bit, format, action, source }] : [];
    });

const maxLists = 32;
export const listBitPool = { kind: "dns_list", first: 0, last: maxLists - 1 } as const;
