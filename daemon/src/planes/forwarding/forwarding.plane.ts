import { because } from "@portcullis/contract/reason";
import { Problem } from "@portcullis/contract/problem";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import { type ObservedLinks, type Compiled, compiledState, networkNow } from "../inputs.ts";
import type { Desired } from "../../compiler/compile.ts";
import type { ObservedState } from "../../compiler/input/facts.ts";
import type { Network } from "../../compiler/input/intent.ts";
import type { Temporary, Resources } from "../../compiler/input/read-document.ts";
import { iproute } from "../../engines/iproute/iproute.engine.ts";
import type { Commits } from "../../engines/nftables/commits.ts";
import type { Hits } from "../../engines/nftables/steering/hits.model.ts";
import { guardEngine, steeringEngine } from "../../engines/nftables/nftables.engine.ts";
import { redirectEngine, type ProxyTraffic } from "../../engines/nftables/redirect/redirect.engine.ts";
import { type ScansEngine, scansEngine } from "../../engines/nftables/scans/scans.engine.ts";
import { sourceEngines } from "../../engines/nftables/sources/sources.engine.ts";
import { type CachedReader, cachedReader } from "../../engines/freshness.ts";
import { sysctl } from "../../engines/sysctl/sysctl.engine.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { isProbeLink } from "../../leakcheck/spoofed-probes.render.ts";
import { createReconciler, type EngineSet, type Reconciler } from "../../reconciler/reconciler.ts";
import { sinceBootMs } from "../../system/clock.ts";
import { type IpListing, readIp } from "../../system/iplisting.ts";
import { readLinks } from "../../system/network.ts";
import type { System } from "../../system/system.ts";
import { openNetlinkMonitor } from "../../monitors/netlink-monitor.ts";
import { type Neighbour, openNeighbours } from "../../monitors/neighbours.ts";
import type { Sightings } from "../../monitors/sightings.ts";
import { observedLinksIn } from "../../monitors/observed-links.ts";

interface Options {
  readonly commits: Commits;
  readonly ledger: Ledger;
  readonly network: Network;
  readonly exceptions: () => readonly Temporary[];

  readonly observedLinks: ObservedLinks;
  /**
   * The guard, the routes and the steering of a compilation are in the kernel. Links are created after that, never before: the
   * first packet of a nested hop would leave by the uplink if the route of its outer hop did not exist yet. What comes later,
   * such as kernel settings, may fail without stopping links and resolvers.
   */
  readonly onSteered: (compiled: Compiled) => void;
  /** All of a compilation is in force. */
  readonly onEnforced: (compiled: Compiled) => void;
  /** A compilation is about to be applied. */
  readonly onCompiled: (compiled: Compiled) => void;
  /** Throws while nothing may be enforced on this machine. */
  readonly permit: () => void | Promise<void>;
  readonly system: System;
  /** Records devices that are seen on the LANs. */
  readonly sightings: Pick<Sightings, "see" | "gone" | "failed">;
  /** false: no engine runs, and only /sys is read. */
  readonly enabled: boolean;
  readonly intervalSec: number;
  readonly now: () => Date;
  readonly onApplied: Parameters<typeof createReconciler>[0]["onApplied"];
  readonly onDrift: Parameters<typeof createReconciler>[0]["onDrift"];
}

/** The engines with their reconciler and monitors. */
export interface Dataplane extends Pick<Reconciler, "wake" | "appliedRevision" | "drift"> {
  /** The last compilation. */
  readonly latest: () => Compiled | undefined;
  /** The network with the active uplink. */
  readonly network: () => Network;
  /** Links with gateways and networks, as far as they can be read. */
  readonly observedState: () => Promise<ObservedState>;
  /** The same without running a program: no gateways, no networks. */
  readonly linkStates: () => ObservedState;
  /** The kernel's counters of each proxy. */
  readonly proxyTraffic: () => Promise<readonly ProxyTraffic[]>;
  /** The kernel's neighbour table, as it is now. */
  readonly neighbours: () => readonly Neighbour[];
  /** Connections by the policy that decided them. */
  readonly hits: () => Promise<readonly Hits[]>;
  /** Source and destination → the policy that decided their connections last. */
  readonly decided: () => Promise<ReadonlyMap<string, string>>;
  /** What is recorded about new connections. */
  readonly scans: Pick<ScansEngine, "counted" | "targets">;
  /** Resolves when the engines have tried to apply what is published now: true if they have applied all of it. */
  readonly enforced: () => Promise<boolean>;
  /** The same for all changes until now. */
  readonly whenIdle: () => Promise<boolean>;
  /** Marks the commits of a process as our own, not foreign changes. */
  readonly ours: Commits["ours"];
  /** Reconciles without cached observations. */
  readonly lookAgain: () => Promise<void>;
  /** Whether everything that is published is applied. */
  readonly isReady: () => boolean;
  readonly report: () => ReturnType<Reconciler["report"]>;
  readonly health: () => Component;
  readonly close: () => Promise<void>;
}

export function openDataplane({
  commits,
  ledger,
  network,
  exceptions,
  observedLinks,
  onSteered,
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
  const netlink = openNetlinkMonitor(system, commits, isProbeLink);
  const listing = cachedReader(netlink.changes, () => readIp(system));
  const nowMs = () => now().getTime();
  const engines = linuxEngines({ system, commits, listing, nowMs });
  let latest: Compiled | undefined;
  const linkStates = (): ObservedState => ({ links: readLinks(system), conditions: observedLinks.conditions() });
  const networkOfNow = (): Network =>
    networkNow(network, ledger.releases.document(ledger.revision()) as unknown as Resources, observedLinks);
  const neighbours = openNeighbours(system, () => (latest?.intent.network ?? network).lan, sightings);
  const compile = compiledState({
    ledger,
    network,
    exceptions,
    listing,
    observedLinks,
    neighbours: neighbours.list,
    now,
    sinceBootMs,
  });
  const reconciler = createReconciler<Desired>({
    onEngineApplied: (engine) => {
      if (engine === "steering" && latest) onSteered(latest);
    },
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
    ...(enabled ? [netlink.listen(reconciler.wake)] : []),
    // Addresses of devices matter to resolvers only; that a device exists always matters.
    ...(enabled ? [neighbours.listen(network.dns ? reconciler.wake : () => {})] : []),
  ];
  const rounds = setInterval(() => {
    netlink.quickCheck();
    reconciler.wake();
  }, intervalSec * 1000);
  const isReady = (): boolean =>
    !reconciler.outcomes().some(({ error }) => error) && reconciler.appliedRevision() === ledger.revision();
  const isEnforced = (): boolean => enabled && isReady();
  return {
    ...reconciler,
    latest: () => latest,
    network: networkOfNow,
    observedState: async () => ({
      ...linkStates(),
      ...(enabled && { links: observedLinksIn(await listing.read().catch(unanswered("iproute", "ip")), isProbeLink) }),
    }),
    linkStates,
    neighbours: neighbours.list,
    proxyTraffic: async () => (latest ? engines.redirect.traffic(latest.desired.redirect) : []),
    hits: () => engines.steering.hits().catch(unanswered("nftables", "nft")),
    decided: () => engines.steering.decided(),
    scans: engines.scans,
    enforced: () => reconciler.whenApplied(ledger.revision()).then(isEnforced),
    whenIdle: () => reconciler.whenIdle().then(isEnforced),
    ours: commits.ours,
    lookAgain: async () => {
      netlink.invalidate();
      reconciler.wake();
      await reconciler.whenIdle();
    },
    report: () => reconciler.report(enabled),
    isReady,
    health: () => {
      const [revision, published] = [reconciler.appliedRevision(), ledger.revision()];
      const name = "dataplane";
      const failures = reconciler.failures().map((it) => because("engine_failed", it));
      if (failures.length > 0) return component(name, "failed", because("dataplane_failed", { failures }));
      if (!enabled) return component(name, "off", because("dataplane_disabled"));
      return revision === published
        ? component(name, "ok", because("dataplane_in_force", { revision }))
        : component(name, "degraded", because("dataplane_behind", { published, applied: revision }));
    },
    close: async () => {
      clearInterval(rounds);
      for (const monitor of listening) monitor.stop();
      await reconciler.close();
    },
  };
}

/** A program failed; the caller may retry. */
const unanswered =
  (engine: string, program: string) =>
  (cause: unknown): never => {
    throw new Problem(
      "engine_unavailable",
      { engine },
      { message: `${program} cannot read the kernel's state`, cause },
    );
  };

/** While the dataplane is off. */
const nothing = {} as Desired;

interface EngineNeeds {
  readonly system: System;
  readonly commits: Commits;
  readonly listing: CachedReader<IpListing>;
  readonly nowMs: () => number;
}

/** In the order of application: the guard first, then forwarding, and last what only records. */
export function linuxEngines(needs: EngineNeeds) {
  const { protection, release, forget } = sourceEngines(needs);
  return {
    guard: guardEngine(needs, { forget }),
    protection,
    iproute: iproute(needs),
    redirect: redirectEngine(needs),
    steering: steeringEngine(needs),
    release,
    sysctl: sysctl(needs.system),
    scans: scansEngine(needs),
  } satisfies EngineSet<Desired>;
}
