import type { WanUplinks } from "@portcullis/contract/subsystems/uplinks";
import { listBitPool, listsWithBits } from "../compiler/dns/filter-policy.ts";
import { type Links, compileLinks, serverHostnames } from "../compiler/links/links.ts";
import { compiler, type Desired } from "../compiler/compile.ts";
import { type Decisions, decider } from "../compiler/policy/decide.ts";
import { type Condition, type Facts, factsFor, type Link, type ObservedState } from "../compiler/input/facts.ts";
import type { Intent, Network } from "../compiler/input/intent.ts";
import { type DnsPlan, dnsPlanner } from "../compiler/dns/dns-plan.ts";
import { allocateIds, type KernelIds, neededIds } from "../compiler/egress/kernel-ids.ts";
import { type ActiveException, intentReader, type Resources } from "../compiler/input/read-document.ts";
import { memoize, reuseEqual } from "../compiler/memoize.ts";
import { type Egresses, egressesOf } from "../compiler/egress/egresses.ts";
import type { CachedReader } from "../engines/freshness.ts";
import { allocate } from "../ledger/allocations.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isProbeLink } from "../leakcheck/spoofed-probes.render.ts";
import type { IpListing } from "../system/iplisting.ts";
import type { Neighbour } from "../monitors/neighbours.ts";
import { observedLinksIn } from "../monitors/observed-links.ts";

/** Everything that follows from what is published and what is there now. */
export interface Compiled {
  readonly revision: number;
  readonly intent: Intent;
  readonly facts: Facts;
  readonly decisions: Decisions;
  readonly egresses: Egresses;
  readonly kernelIds: KernelIds;
  /** What packets meet. */
  readonly desired: Desired;
  /** What must exist so that they get on. */
  readonly links: Links;
  readonly dns: DnsPlan;
  /** Who answers for which address. Packets are led by who they come from; only names are decided by address. */
  readonly neighbours: readonly Neighbour[];
}

/** What is known of those who carry packets. */
export interface ObservedLinks {
  readonly conditions: () => Readonly<Record<string, Condition>>;
  /** Looks names up that are new, and answers those that are known. */
  readonly addresses: (hosts: readonly string[]) => Readonly<Record<string, string>>;
  /** Those they had before, as long as this daemon remembers. */
  readonly former: () => Readonly<Record<string, readonly string[]>>;
  /** Opens what was sealed. */
  readonly secrets: (keys: readonly string[]) => Promise<Readonly<Record<string, string>>>;
  /** The uplink in use, by interface. */
  readonly active: (settings: WanUplinks | undefined) => string | undefined;
}

/** A gateway nobody has told anything about its hops. */
export const nothingObserved: ObservedLinks = {
  conditions: () => ({}),
  addresses: () => ({}),
  former: () => ({}),
  secrets: async () => ({}),
  active: () => undefined,
};

interface Needs {
  readonly ledger: Ledger;
  readonly network: Network;
  readonly exceptions: () => readonly ActiveException[];
  readonly listing: CachedReader<IpListing>;
  readonly observedLinks: ObservedLinks;
  readonly neighbours: () => readonly Neighbour[];
}

/** From what is published to what the engines should be. As long as nothing changes, the answer is the same object. */
export function compiledState(needs: Needs): () => Promise<Compiled> {
  const { ledger, network, exceptions, listing, observedLinks, neighbours } = needs;
  const document = memoize((revision: number) => ledger.releases.document(revision) as unknown as Resources);
  const intentOf = memoize(intentReader());
  const settledNetwork = reuseEqual<Network>();
  const settledLinks = reuseEqual<readonly Link[]>();
  const settledExceptions = reuseEqual<readonly ActiveException[]>();
  const settledKnown = reuseEqual<Omit<ObservedState, "links">>();
  const worldOf = memoize(
    (links: readonly Link[], known: Omit<ObservedState, "links">): ObservedState => ({ links, ...known }),
  );
  const factsOf = memoize(
    (
      policies: Intent["policies"],
      disabledPolicies: Intent["disabledPolicies"],
      tunnels: Intent["tunnels"],
      proxies: Intent["proxies"],
      uplinks: Intent["uplinks"],
      now: Network,
      world: ObservedState,
    ): Facts => factsFor({ policies, disabledPolicies, tunnels, proxies, uplinks, network: now }, world),
  );
  const decide = decider();
  const egressesFor = memoize((ranked: Decisions["ranked"], now: Network, tunnels: Intent["tunnels"], facts: Facts) =>
    egressesOf(ranked, { network: now, tunnels }, facts),
  );
  const numbersFor = memoize((ranked: Decisions["ranked"], egresses: Egresses, proxies: Intent["proxies"]) =>
    allocateIds(neededIds(ranked, egresses, proxies), (pool, names) => allocate(ledger.database, pool, names)),
  );
  const bitsFor = memoize((lists: Resources["dns_list"]) =>
    allocate(ledger.database, listBitPool, listsWithBits(lists ?? [])),
  );
  const compile = compiler();
  const sameLinks = reuseEqual<Links>();
  const planDns = dnsPlanner();
  type Seen = readonly Neighbour[];
  const all = memoize(
    (revision: number, resources: Resources, intent: Intent, world: ObservedState, seen: Seen): Compiled => {
      const { policies, disabledPolicies, tunnels, proxies, uplinks } = intent;
      const facts = factsOf(policies, disabledPolicies, tunnels, proxies, uplinks, intent.network, world);
      const decisions = decide(intent, facts);
      const egresses = egressesFor(decisions.ranked, intent.network, tunnels, facts);
      const kernelIds = numbersFor(decisions.ranked, egresses, proxies);
      const said = { ...resources, seen };
      const dns = planDns(said, intent, facts, decisions, egresses, kernelIds, bitsFor(resources.dns_list));
      const desired = compile(decisions, intent, facts, dns.instances, egresses, kernelIds);
      const links = sameLinks(compileLinks(intent, facts, kernelIds));
      return { revision, intent, facts, decisions, egresses, kernelIds, desired, links, dns, neighbours: seen };
    },
  );
  return async () => {
    const links = settledLinks(observedLinksIn(await listing.read(), isProbeLink));
    const revision = ledger.revision();
    const resources = document(revision);
    const now = settledNetwork(networkNow(network, resources, observedLinks));
    const intent = intentOf(resources, now, settledExceptions(exceptions()));
    const keys = [...intent.tunnels, ...intent.proxies].flatMap(({ secret }) => secret ?? []);
    const known = {
      conditions: observedLinks.conditions(),
      addresses: observedLinks.addresses(serverHostnames(intent)),
      former: observedLinks.former(),
      secrets: await observedLinks.secrets(keys),
    };
    return all(revision, resources, intent, worldOf(links, settledKnown(known)), neighbours());
  };
}

/** The network as the bootstrap file and the uplinks' settings have it, with the uplink that is used now. */
export function networkNow(
  network: Network,
  { uplinks }: Resources,
  { active }: Pick<ObservedLinks, "active">,
): Network {
  const settings = uplinks[0];
  if (!settings) return { ...network, wan: active(settings) ?? network.wan };
  const enabled = settings.uplinks.filter((it) => it.enabled).map((it) => it.interface);
  const outside = [...network.uplinks, ...settings.uplinks.map((it) => it.interface)];
  const unused = [...new Set(outside)].filter((name) => !enabled.includes(name) && !network.lan.includes(name));
  return { ...network, uplinks: enabled, unused, wan: active(settings) ?? enabled[0] ?? network.wan };
}
