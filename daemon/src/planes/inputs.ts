import type { WanUplinks } from "@portcullis/contract/subsystems/uplinks";
import { type Compilation, compiler } from "../compiler/compile.ts";
import { listBitPool } from "../compiler/dns/filter-policy.ts";
import { allocateIds, type NeededIds, type Take } from "../compiler/egress/kernel-ids.ts";
import {
  type Condition,
  type Facts,
  factsFor,
  type FactsInput,
  type Link,
  type ObservedState,
} from "../compiler/input/facts.ts";
import { type Intent, type Network, outsideOf } from "../compiler/input/intent.ts";
import { type Temporary, intentReader, type Resources } from "../compiler/input/read-document.ts";
import { inactiveSchedules, periodReader, withoutInactive } from "../compiler/input/scheduled.ts";
import { serverHostnames } from "../compiler/links/links.ts";
import { memoize, memoizeFields, reuseEqual } from "../compiler/memoize.ts";
import type { CachedReader } from "../engines/freshness.ts";
import { allocate } from "../ledger/allocations.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isProbeLink } from "../leakcheck/spoofed-probes.render.ts";
import type { IpListing } from "../system/iplisting.ts";
import type { Neighbour } from "../monitors/neighbours.ts";
import { observedLinksIn } from "../monitors/observed-links.ts";

/** The compilation of what is published and observed, with its input. */
export interface Compiled extends Compilation {
  readonly revision: number;
  readonly intent: Intent;
  readonly facts: Facts;
  /** The kernel's neighbour table. Packets are steered by sender; only DNS is decided by address. */
  readonly neighbours: readonly Neighbour[];
}

/** The state of tunnels, proxies and uplinks. */
export interface ObservedLinks {
  readonly conditions: () => Readonly<Record<string, Condition>>;
  /** Looks unknown hostnames up, and returns the addresses of those that are known. */
  readonly addresses: (hosts: readonly string[]) => Readonly<Record<string, string>>;
  /** Previous addresses of hostnames, since the daemon started. */
  readonly former: () => Readonly<Record<string, readonly string[]>>;
  /** Decrypts. */
  readonly secrets: (keys: readonly string[]) => Promise<Readonly<Record<string, string>>>;
  /** The interface of the active uplink. */
  readonly active: (settings: WanUplinks | undefined) => string | undefined;
}

/** For a gateway that observes no links. */
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
  readonly exceptions: () => readonly Temporary[];
  readonly listing: CachedReader<IpListing>;
  readonly observedLinks: ObservedLinks;
  readonly neighbours: () => readonly Neighbour[];
  readonly now: () => Date;
  /** Milliseconds since the machine started. */
  readonly sinceBootMs: () => number;
}

/** Reads what is published and observed, and compiles it. While nothing changes, the result is the identical object. */
export function compiledState(needs: Needs): () => Promise<Compiled> {
  const { ledger, network, exceptions, listing, observedLinks, neighbours, now: wallClock, sinceBootMs } = needs;
  const document = memoize((revision: number) => ledger.releases.document(revision) as unknown as Resources);
  const scheduled = memoize(withoutInactive<Resources>);
  const periodsNow = periodReader();
  const intentOf = memoize(intentReader());
  const sameNetwork = reuseEqual<Network>();
  const sameLinks = reuseEqual<readonly Link[]>();
  const sameExceptions = reuseEqual<readonly Temporary[]>();
  const sameLinkState = reuseEqual<Omit<ObservedState, "links">>();
  const observedState = memoize(
    (links: readonly Link[], state: Omit<ObservedState, "links">): ObservedState => ({ links, ...state }),
  );
  const factsOf = memoizeFields(({ observed, ...intent }: FactsInput & { readonly observed: ObservedState }) =>
    factsFor(intent, observed),
  );
  const take: Take = (pool, names) => allocate(ledger.database, pool, names);
  const kernelIdsFor = memoize((ids: NeededIds) => allocateIds(ids, take));
  const listBitsFor = memoize((lists: readonly string[]) => take(listBitPool, lists));
  const { needed, compile } = compiler();
  const all = memoize(
    (
      revision: number,
      resources: Resources,
      intent: Intent,
      observed: ObservedState,
      seen: readonly Neighbour[],
    ): Compiled => {
      const { policies, waiting = none, disabledPolicies, tunnels, proxies, uplinks, network: now } = intent;
      const facts = factsOf({ policies, waiting, disabledPolicies, tunnels, proxies, uplinks, network: now, observed });
      const { ids, lists } = needed({ intent, facts, resources });
      const allocations = { kernelIds: kernelIdsFor(ids), listBits: listBitsFor(lists) };
      const compilation = compile({ intent, facts, resources, neighbours: seen, allocations });
      return { revision, intent, facts, neighbours: seen, ...compilation };
    },
  );
  const compiled = async (): Promise<Compiled> => {
    const links = sameLinks(observedLinksIn(await listing.read(), isProbeLink));
    const revision = ledger.revision();
    const published = document(revision);
    const date = wallClock();
    const resources = scheduled(published, inactiveSchedules(published, date));
    const periods = periodsNow(published, { wallMs: date.getTime(), sinceBootMs: sinceBootMs() });
    const now = sameNetwork(networkNow(network, resources, observedLinks));
    const intent = intentOf(resources, now, sameExceptions(exceptions()), periods);
    const keys = [...intent.tunnels, ...intent.proxies].flatMap(({ secret }) => secret ?? []);
    const state = {
      conditions: observedLinks.conditions(),
      addresses: observedLinks.addresses(serverHostnames(intent)),
      former: observedLinks.former(),
      secrets: await observedLinks.secrets(keys),
    };
    return all(revision, resources, intent, observedState(links, sameLinkState(state)), neighbours());
  };
  return () => ledger.outsideAttempts(compiled);
}

const none: readonly [] = [];

/** The network of the bootstrap file with the settings of uplinks and VLANs, and with the active uplink. */
export function networkNow(
  network: Network,
  resources: Pick<Resources, "uplinks" | "vlan">,
  observed: Pick<ObservedLinks, "active">,
): Network {
  const now = uplinksNow(network, resources, observed);
  const vlans = (resources.vlan ?? []).filter(({ enabled }) => enabled);
  if (vlans.length === 0) return now;
  const outside = outsideOf(now);
  const behind = vlans.filter((it) => it.role === "lan").map((it) => it.interface);
  return {
    ...now,
    // What is an uplink is outside, whatever else the document has about it.
    lan: [...new Set([...now.lan, ...behind.filter((it) => !outside.includes(it))])],
    vlans: vlans.map(({ interface: name, parent, vlan_id: id, addresses }) => ({
      interface: name,
      parent,
      id,
      addresses,
    })),
  };
}

function uplinksNow(
  network: Network,
  { uplinks }: Pick<Resources, "uplinks">,
  { active }: Pick<ObservedLinks, "active">,
): Network {
  const settings = uplinks[0];
  if (!settings) return { ...network, wan: active(settings) ?? network.wan };
  const enabled = settings.uplinks.filter((it) => it.enabled).map((it) => it.interface);
  const outside = [...network.uplinks, ...settings.uplinks.map((it) => it.interface)];
  const unused = [...new Set(outside)].filter((name) => !enabled.includes(name) && !network.lan.includes(name));
  return { ...network, uplinks: enabled, unused, wan: active(settings) ?? enabled[0] ?? network.wan };
}
