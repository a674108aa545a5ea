import {
  acceptLocalKey,
  arpAnnounceKey,
  arpIgnoreKey,
  accountingKey,
  icmpIntervalKey,
  reversePathKey,
  sendRedirectsKey,
} from "../engines/sysctl/sysctl.model.ts";
import type { Routing } from "../engines/iproute/iproute.model.ts";
import type { Guard, Ruleset } from "../engines/nftables/nftables.model.ts";
import type { Scans } from "../engines/nftables/scans/scans.model.ts";
import type { ProtectedSources } from "../engines/nftables/sources/sources.model.ts";
import type { Redirect } from "../engines/nftables/redirect/redirect.model.ts";
import type { ObservedAddress } from "./dns/device-addresses.ts";
import { type DnsInput, type DnsPlan, dnsPlanner } from "./dns/dns-plan.ts";
import { listBitPool, listsWithBits } from "./dns/filter-policy.ts";
import { type Egresses, egressesOf } from "./egress/egresses.ts";
import { allocateIds, type KernelIds, type NeededIds, neededIds, type Take } from "./egress/kernel-ids.ts";
import { protectedSources } from "./egress/protected-senders.ts";
import { rescueOf } from "./egress/rescue.ts";
import { compileRouting } from "./egress/routing.ts";
import { compileGuard, steeringCompiler } from "./egress/steering.ts";
import type { Facts } from "./input/facts.ts";
import type { Intent, Network } from "./input/intent.ts";
import { compileLinks, hopServers, innerAddresses, type Links } from "./links/links.ts";
import { compileRedirect } from "./links/redirect.ts";
import { memoize, memoizeFields, reuseEqual } from "./memoize.ts";
import { type Decisions, decider } from "./policy/decide.ts";
import { guardedSegments } from "./egress/segments.ts";

/** Everything the compiler reads. */
export interface CompileInput {
  readonly intent: Intent;
  readonly facts: Facts;
  /** Of the published document: DNS rules and lists, and the devices they apply to. */
  readonly resources: DnsInput;
  /** Addresses of devices in the kernel's neighbour table. */
  readonly neighbours: readonly ObservedAddress[];
  /** A number for each name of `neededAllocations`. */
  readonly allocations: Allocations;
}

/** Numbers that the ledger has allocated. */
export interface Allocations {
  readonly kernelIds: KernelIds;
  /** DNS list → its bit in the filter policy. */
  readonly listBits: ReadonlyMap<string, number>;
}

/** Names that need a number before the rest can be compiled. */
export interface NeededAllocations {
  readonly ids: NeededIds;
  readonly lists: readonly string[];
}

/** What all planes should have. */
export interface Compilation {
  readonly decisions: Decisions;
  readonly egresses: Egresses;
  readonly kernelIds: KernelIds;
  /** The forwarding plane. */
  readonly desired: Desired;
  readonly links: Links;
  readonly dns: DnsPlan;
}

/**
 * The desired state of each engine of the forwarding plane, in the order of application: the guard first, so that an
 * unfinished change blocks; forwarding last.
 */
export interface Desired {
  readonly guard: Guard;
  /** Additions to the protected senders, before steering changes. */
  readonly protection: ProtectedSources;
  readonly iproute: Routing;
  readonly redirect: Redirect;
  readonly steering: Ruleset;
  /** The same senders as `protection`. Removals from the protected senders, after steering has changed. */
  readonly release: ProtectedSources;
  readonly sysctl: Readonly<Record<string, string>>;
  /** Enforces nothing: new connections are recorded, to find port scans. */
  readonly scans: Scans;
}

export interface Compiler {
  readonly needed: (input: Omit<CompileInput, "allocations" | "neighbours">) => NeededAllocations;
  readonly compile: (input: CompileInput) => Compilation;
}

export const neededAllocations: Compiler["needed"] = (input) => compiler().needed(input);

export const allocateAll = ({ ids, lists }: NeededAllocations, take: Take): Allocations => ({
  kernelIds: allocateIds(ids, take),
  listBits: take(listBitPool, lists),
});

/** The whole gateway as one pure function. */
export const compile = (input: CompileInput): Compilation => compiler().compile(input);

/** The same functions, memoized: a part whose input did not change is the same object as in the previous call. */
export function compiler(): Compiler {
  const decide = memoize(decider());
  const egressesFor = memoize(
    (ranked: Decisions["ranked"], network: Network, tunnels: Intent["tunnels"], facts: Facts) =>
      egressesOf(ranked, { network, tunnels }, facts),
  );
  const idsFor = memoize(neededIds);
  const listsFor = memoize((lists: DnsInput["dns_list"]) => listsWithBits(lists ?? []));
  const planDns = dnsPlanner();
  const links = reuseEqual<Links>();
  const forwarding = forwardingCompiler();
  const decided = (intent: Intent, facts: Facts) => {
    const decisions = decide(intent, facts);
    return { decisions, egresses: egressesFor(decisions.ranked, intent.network, intent.tunnels, facts) };
  };
  return {
    needed: ({ intent, facts, resources }) => {
      const { decisions, egresses } = decided(intent, facts);
      return { ids: idsFor(decisions.ranked, egresses, intent.proxies), lists: listsFor(resources.dns_list) };
    },
    compile: ({ intent, facts, resources, neighbours, allocations: { kernelIds, listBits } }) => {
      const { decisions, egresses } = decided(intent, facts);
      const { ranked } = decisions;
      const dns = planDns({ resources, neighbours, intent, facts, ranked, egresses, kernelIds, listBits });
      const parts = { decisions, egresses, kernelIds, links: links(compileLinks(intent, facts, kernelIds)), dns };
      return { ...parts, desired: forwarding(intent, facts, parts) };
    },
  };
}

function forwardingCompiler(): (intent: Intent, facts: Facts, parts: Omit<Compilation, "desired">) => Desired {
  const steering = steeringCompiler();
  const servers = memoize(hopServers);
  const inner = memoize(innerAddresses);
  const segments = reuseEqual<Pick<Guard, "lanPairs" | "lanAddresses">>();
  const guard = memoizeFields(compileGuard);
  const rescue = reuseEqual<NonNullable<Guard["rescue"]> | null>();
  const routing = memoize(compileRouting);
  const redirectRules = memoizeFields(compileRedirect);
  const sysctl = memoize(kernelSettings);
  const senders = reuseEqual<ProtectedSources>();
  const scans = reuseEqual<Scans>();
  return (intent, facts, { decisions, egresses, kernelIds, links: { redsocks }, dns: { instances } }) => {
    const { network } = intent;
    const redirect = redirectRules({ intent, facts, redsocks, instances, egresses, kernelIds });
    const protection = senders(protectedSources(decisions, network, facts));
    return {
      guard: guard({
        egresses,
        network,
        servers: servers(intent, facts),
        inner: inner(intent, facts),
        segments: segments(guardedSegments(intent, facts)),
        kernelIds,
        rescue: rescue(rescueOf(intent, facts)),
      }),
      protection,
      iproute: routing(egresses, network, facts, redirect, kernelIds),
      redirect,
      steering: steering(decisions, intent, facts, egresses, kernelIds),
      release: protection,
      sysctl: sysctl(network, facts),
      scans: scans({ lan: network.lan }),
    };
  };
}

/**
 * Reverse path filtering is off: the kernel would look the sender up without the mark of the flow, the routing rules would
 * find no route back through the LAN, and every reply to a device would be dropped. The guard checks incoming packets instead.
 * The kernel uses the stricter value of `all` and the interface, so both are set; `default` applies to interfaces created
 * later. `accept_local` also saves the check whether the sender is the gateway itself, a lookup in the same rules for
 * every packet; the guard has that check where it matters.
 *
 * ARP on one link does not reveal addresses of another, above all those of tunnels; on LANs a request from outside of the
 * link's network gets no reply. Uplinks answer any router: those of providers often have an address of another network.
 *
 * A blocked device receives ICMP errors. With the kernel's default for IPv4, one per second, most connections of a page
 * would wait. None of these errors leaves by an uplink.
 *
 * ICMP redirects would show a device a path around the gateway. IPv6 has no setting for them; the guard drops them.
 */
export function kernelSettings({ lan, uplinks }: Network, { links, hops }: Facts): Desired["sysctl"] {
  const crossed = new Set([...lan, ...uplinks, ...hops.map((hop) => hop.interface)]);
  const present = links.map(({ name }) => name).filter((name) => crossed.has(name));
  return {
    "net.ipv4.ip_forward": "1",
    "net.ipv6.conf.all.forwarding": "1",
    [acceptLocalKey]: "1",
    [icmpIntervalKey]: "100",
    [accountingKey]: "1",
    [arpIgnoreKey("all")]: "1",
    [arpAnnounceKey("all")]: "2",
    ...Object.fromEntries(
      ["all", "default", ...present].flatMap((name) => [
        [reversePathKey(name), "0"],
        [sendRedirectsKey(name), "0"],
      ]),
    ),
    ...Object.fromEntries(present.filter((name) => lan.includes(name)).map((name) => [arpIgnoreKey(name), "2"])),
  };
}
