import type { WanUplinks } from "@portcullis/contract/subsystems/uplinks";
import { listBitPool, listsWithBits } from "../compiler/dns/filter-policy.ts";
import { type Carriers, carry, serverNames } from "../compiler/links/links.ts";
import { compiler, type Desired } from "../compiler/compile.ts";
import { type Decisions, decider } from "../compiler/policy/decide.ts";
import { type Condition, type Facts, factsFor, type Link, type World } from "../compiler/input/facts.ts";
import type { Intent, Network } from "../compiler/input/intent.ts";
import { type Naming, namer } from "../compiler/dns/dns-plan.ts";
import { numbered, type Numbers, wanted } from "../compiler/egress/kernel-ids.ts";
import { type ActiveException, intentReader, type Resources } from "../compiler/input/read-document.ts";
import { remember, settled } from "../compiler/memoize.ts";
import { type Ways, waysOf } from "../compiler/egress/egresses.ts";
import type { Reading } from "../engines/freshness.ts";
import { allocate } from "../ledger/allocations.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isProbeLink } from "../leakcheck/spoofed-probes.render.ts";
import type { IpListing } from "../system/iplisting.ts";
import type { Neighbour } from "../monitors/neighbours.ts";
import { surroundingsIn } from "../monitors/observed-links.ts";

/** Everything that follows from what is published and what is there now. */
export interface Compiled {
  readonly revision: number;
  readonly intent: Intent;
  readonly facts: Facts;
  readonly decisions: Decisions;
  readonly ways: Ways;
  readonly numbers: Numbers;
  /** What packets meet. */
  readonly desired: Desired;
  /** What must exist so that they get on. */
  readonly carriers: Carriers;
  readonly naming: Naming;
  /** Who answers for which address. Packets are led by who they come from; only names are decided by address. */
  readonly neighbours: readonly Neighbour[];
}

/** What is known of those who carry packets. */
export interface Around {
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
export const nobodyAround: Around = {
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
  readonly listing: Reading<IpListing>;
  readonly around: Around;
  readonly neighbours: () => readonly Neighbour[];
}

/** From what is published to what the engines should be. As long as nothing changes, the answer is the same object. */
export function compiledState(needs: Needs): () => Promise<Compiled> {
  const { ledger, network, exceptions, listing, around, neighbours } = needs;
  const document = remember((revision: number) => ledger.releases.document(revision) as unknown as Resources);
  const intentOf = remember(intentReader());
  const settledNetwork = settled<Network>();
  const settledLinks = settled<readonly Link[]>();
  const settledExceptions = settled<readonly ActiveException[]>();
  const settledKnown = settled<Omit<World, "links">>();
  const worldOf = remember((links: readonly Link[], known: Omit<World, "links">): World => ({ links, ...known }));
  const factsOf = remember(
    (
      policies: Intent["policies"],
      resting: Intent["resting"],
      tunnels: Intent["tunnels"],
      proxies: Intent["proxies"],
      uplinks: Intent["uplinks"],
      now: Network,
      world: World,
    ): Facts => factsFor({ policies, resting, tunnels, proxies, uplinks, network: now }, world),
  );
  const decide = decider();
  const waysFor = remember((ranked: Decisions["ranked"], now: Network, tunnels: Intent["tunnels"], facts: Facts) =>
    waysOf(ranked, { network: now, tunnels }, facts),
  );
  const numbersFor = remember((ranked: Decisions["ranked"], ways: Ways, proxies: Intent["proxies"]) =>
    numbered(wanted(ranked, ways, proxies), (pool, names) => allocate(ledger.database, pool, names)),
  );
  const bitsFor = remember((lists: Resources["dns_list"]) =>
    allocate(ledger.database, listBitPool, listsWithBits(lists ?? [])),
  );
  const compile = compiler();
  const carriersOf = settled<Carriers>();
  const name = namer();
  type Seen = readonly Neighbour[];
  const all = remember((revision: number, resources: Resources, intent: Intent, world: World, seen: Seen): Compiled => {
    const { policies, resting, tunnels, proxies, uplinks } = intent;
    const facts = factsOf(policies, resting, tunnels, proxies, uplinks, intent.network, world);
    const decisions = decide(intent, facts);
    const ways = waysFor(decisions.ranked, intent.network, tunnels, facts);
    const numbers = numbersFor(decisions.ranked, ways, proxies);
    const said = { ...resources, seen };
    const naming = name(said, intent, facts, decisions, ways, numbers, bitsFor(resources.dns_list));
    const desired = compile(decisions, intent, facts, naming.stacks, ways, numbers);
    const carriers = carriersOf(carry(intent, facts, numbers));
    return { revision, intent, facts, decisions, ways, numbers, desired, carriers, naming, neighbours: seen };
  });
  return async () => {
    const links = settledLinks(surroundingsIn(await listing.read(), isProbeLink));
    const revision = ledger.revision();
    const resources = document(revision);
    const now = settledNetwork(networkNow(network, resources, around));
    const intent = intentOf(resources, now, settledExceptions(exceptions()));
    const keys = [...intent.tunnels, ...intent.proxies].flatMap(({ secret }) => secret ?? []);
    const known = {
      conditions: around.conditions(),
      addresses: around.addresses(serverNames(intent)),
      former: around.former(),
      secrets: await around.secrets(keys),
    };
    return all(revision, resources, intent, worldOf(links, settledKnown(known)), neighbours());
  };
}

/** The network as the bootstrap file and the uplinks' settings have it, with the uplink that is used now. */
export function networkNow(network: Network, { uplinks }: Resources, { active }: Pick<Around, "active">): Network {
  const settings = uplinks[0];
  if (!settings) return { ...network, wan: active(settings) ?? network.wan };
  const enabled = settings.uplinks.filter((it) => it.enabled).map((it) => it.interface);
  const outside = [...network.uplinks, ...settings.uplinks.map((it) => it.interface)];
  const unused = [...new Set(outside)].filter((name) => !enabled.includes(name) && !network.lan.includes(name));
  return { ...network, uplinks: enabled, unused, wan: active(settings) ?? enabled[0] ?? network.wan };
}
