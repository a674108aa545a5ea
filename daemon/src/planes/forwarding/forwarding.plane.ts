import { Problem } from "@portcullis/contract/problem";
import type { Component } from "@portcullis/contract/subsystems/status";
import { type ObservedLinks, type Compiled, compiledState, networkNow } from "../inputs.ts";
import type { Desired } from "../../compiler/compile.ts";
import type { ObservedState } from "../../compiler/input/facts.ts";
import type { Network } from "../../compiler/input/intent.ts";
import type { ActiveException, Resources } from "../../compiler/input/read-document.ts";
import { iproute } from "../../engines/iproute/iproute.engine.ts";
import { type Commits, watchCommits } from "../../engines/nftables/commits.ts";
import type { Hits } from "../../engines/nftables/steering/hits.model.ts";
import { guardEngine, steeringEngine } from "../../engines/nftables/nftables.engine.ts";
import { proxiesEngine, type ProxyTraffic } from "../../engines/nftables/redirect/redirect.engine.ts";
import { sourceEngines } from "../../engines/nftables/sources/sources.engine.ts";
import { type CachedReader, cachedReader } from "../../engines/freshness.ts";
import { sysctl } from "../../engines/sysctl/sysctl.engine.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { isProbeLink } from "../../leakcheck/spoofed-probes.render.ts";
import { createReconciler, type EngineSet, type Reconciler } from "../../reconciler/reconciler.ts";
import { type IpListing, readIp } from "../../system/iplisting.ts";
import { readLinks } from "../../system/network.ts";
import type { System } from "../../system/system.ts";
import { openNetlinkMonitor } from "../../monitors/netlink-monitor.ts";
import { openNeighbours } from "../../monitors/neighbours.ts";
import type { Sightings } from "../../monitors/sightings.ts";
import { observedLinksIn } from "../../monitors/observed-links.ts";

interface Options {
  readonly ledger: Ledger;
  readonly network: Network;
  readonly exceptions: () => readonly ActiveException[];
  /** What is known of those who carry packets. */
  readonly observedLinks: ObservedLinks;
  /**
   * What stands now. Carriers are made after that, never before: the first packet of a hop would leave by the uplink if
   * the way it belongs into were not there yet.
   */
  readonly onEnforced: (compiled: Compiled) => void;
  /** What is about to stand. */
  readonly onCompiled: (compiled: Compiled) => void;
  /** Throws while nothing may be enforced on this machine. */
  readonly permit: () => void | Promise<void>;
  readonly system: System;
  /** Is told who is seen on the LANs. */
  readonly sightings: Sightings;
  /** Without it nothing is driven, and nothing but /sys is read. */
  readonly enabled: boolean;
  readonly intervalSec: number;
  readonly now: () => Date;
  readonly onApplied: Parameters<typeof createReconciler>[0]["onApplied"];
  readonly onDrift: Parameters<typeof createReconciler>[0]["onDrift"];
}

/** The engines with what drives them and what they listen to, as one thing to hold. */
export interface Dataplane extends Pick<Reconciler, "wake" | "appliedRevision" | "drift"> {
  /** What was compiled last. */
  readonly latest: () => Compiled | undefined;
  /** The network with the uplink that is used now. */
  readonly network: () => Network;
  /** What is around: as the engines see it, or as far as anybody may. */
  readonly observedState: () => Promise<ObservedState>;
  /** The same at once, without what leads through the interfaces. */
  readonly linkStates: () => ObservedState;
  /** What the kernel has counted of each proxy. */
  readonly proxyTraffic: () => Promise<readonly ProxyTraffic[]>;
  /** How many connections each cause has decided. */
  readonly hits: () => Promise<readonly Hits[]>;
  /** Resolves when the engines have done what they can about what is published now; tells whether that was all. */
  readonly enforced: () => Promise<boolean>;
  /** The same for whatever else was asked of them until now. */
  readonly whenIdle: () => Promise<boolean>;
  /** A process that changes rules for us, and is no stranger. */
  readonly ours: Commits["ours"];
  /** Trusts nothing that was seen before. */
  readonly lookAgain: () => Promise<void>;
  /** Whether everything that is published was done, as far as anything is driven. */
  readonly isReady: () => boolean;
  readonly report: () => ReturnType<Reconciler["report"]>;
  readonly health: () => Component;
  readonly close: () => Promise<void>;
}

export function openDataplane({
  ledger,
  network,
  exceptions,
  observedLinks,
  onEnforced,
  onCompiled,
  permit,
  system,
  sightings,
  enabled,
  intervalSec,
  now,
  onApplied,
  onDrift,
}: Options): Dataplane {
  const commits = watchCommits();
  const ears = openNetlinkMonitor(system, commits, isProbeLink);
  const listing = cachedReader(ears.changes, () => readIp(system));
  const nowMs = () => now().getTime();
  const engines = linuxEngines({ system, commits, listing, nowMs });
  let latest: Compiled | undefined;
  const linkStates = (): ObservedState => ({ links: readLinks(system), conditions: observedLinks.conditions() });
  const neighbours = openNeighbours(system, network.lan, sightings);
  const compile = compiledState({ ledger, network, exceptions, listing, observedLinks, neighbours: neighbours.list });
  const reconciler = createReconciler<Desired>({
    published: enabled
      ? async () => {
          await permit();
          const compiled = await compile();
          if (latest !== compiled) onCompiled(compiled);
          latest = compiled;
          return compiled;
        }
      : () => ({ revision: ledger.revision(), desired: nothing }),
    engines: enabled ? engines : {},
    now,
    onApplied: (revision) => {
      if (latest) onEnforced(latest);
      onApplied(revision);
    },
    onDrift,
  });
  const listening = [
    ...(enabled ? [ears.listen(reconciler.wake)] : []),
    // Which addresses devices have matters to resolvers only; that there are devices matters always.
    ...(enabled ? [neighbours.listen(network.dns ? reconciler.wake : () => {})] : []),
  ];
  const rounds = setInterval(() => {
    ears.quickCheck();
    reconciler.wake();
  }, intervalSec * 1000);
  const isReady = (): boolean =>
    !reconciler.outcomes().some(({ error }) => error) && reconciler.appliedRevision() === ledger.revision();
  const isEnforced = (): boolean => enabled && isReady();
  return {
    ...reconciler,
    latest: () => latest,
    network: () =>
      networkNow(network, ledger.releases.document(ledger.revision()) as unknown as Resources, observedLinks),
    observedState: async () => ({
      ...linkStates(),
      ...(enabled && { links: observedLinksIn(await listing.read().catch(unanswered("iproute", "ip")), isProbeLink) }),
    }),
    linkStates,
    proxyTraffic: async () => (latest ? engines.redirect.traffic(latest.desired.redirect) : []),
    hits: () => engines.steering.hits().catch(unanswered("nftables", "nft")),
    enforced: () => reconciler.whenApplied(ledger.revision()).then(isEnforced),
    whenIdle: () => reconciler.whenIdle().then(isEnforced),
    ours: commits.ours,
    lookAgain: async () => {
      ears.invalidate();
      reconciler.wake();
      await reconciler.whenIdle();
    },
    report: () => reconciler.report(enabled),
    isReady,
    health: () => {
      const health = reconciler.health(enabled);
      const applied = reconciler.appliedRevision();
      if (health.status === "failed")
        return { ...health, message: `${health.message}. \`portcullis enforce reconcile\` tries again at once` };
      if (health.status === "off" || applied === ledger.revision()) return health;
      const message = `Revision ${ledger.revision()} is published, revision ${applied} is in force. \`portcullis reconcile\` shows the progress`;
      return { ...health, status: "degraded", message };
    },
    close: async () => {
      clearInterval(rounds);
      for (const ear of listening) ear.stop();
      await reconciler.close();
    },
  };
}

/** Whoever asks what is around cannot be answered now, and may ask again. */
const unanswered =
  (engine: string, program: string) =>
  (cause: unknown): never => {
    throw new Problem("engine_unavailable", { engine }, { message: `The kernel cannot be asked by ${program}`, cause });
  };

/** Without a dataplane nothing is desired of anybody. */
const nothing = {} as Desired;

interface EngineNeeds {
  readonly system: System;
  readonly commits: Commits;
  readonly listing: CachedReader<IpListing>;
  readonly nowMs: () => number;
}

/** In the order they change: the gate first, forwarding last. */
export function linuxEngines(needs: EngineNeeds) {
  const { protection, release, forget } = sourceEngines(needs);
  return {
    guard: guardEngine(needs, { forget }),
    protection,
    iproute: iproute(needs),
    redirect: proxiesEngine(needs),
    steering: steeringEngine(needs),
    release,
    sysctl: sysctl(needs.system),
  } satisfies EngineSet;
}
