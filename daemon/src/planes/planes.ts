import { join } from "node:path";
import type { Announce } from "@portcullis/contract/events";
import type { Bridge } from "@portcullis/contract/subsystems/bridges";
import type { Policy } from "@portcullis/contract/subsystems/routing";
import type { PublishedVlan } from "@portcullis/contract/subsystems/vlans";
import type { Bootstrap } from "../config/keys.ts";
import { type LinksPlane, openLinksPlane } from "./links/links.plane.ts";
import { type LinkStatus, inactiveLinkStatus } from "./links/inactive.status.ts";
import { openLinkStatus } from "./links/links.status.ts";
import { nothingObserved } from "./inputs.ts";
import type { Network } from "../compiler/input/intent.ts";
import type { Temporary } from "../compiler/input/read-document.ts";
import { type Dataplane, openDataplane } from "./forwarding/forwarding.plane.ts";
import { portsOf } from "../engines/dnsdist/dnsdist.model.ts";
import { watchCommits } from "../engines/nftables/commits.ts";
import { supervisor } from "../engines/supervisor/supervisor.ts";
import { directEgress } from "../engines/nftables/nftables.model.ts";
import { type Enforcement, openEnforcement } from "./forwarding/enforcement.ts";
import { saveSettings } from "./forwarding/kernel-settings.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { DriftItem } from "../reconciler/reconciler.ts";
import { openDnsPlane, type DnsPlane } from "./dns/dns.plane.ts";
import { savedGuard } from "./forwarding/saved-guard.ts";
import { storedPqMode } from "../subsystems/pq-crypto/stored-mode.ts";
import { sinceBootMs } from "../system/clock.ts";
import { lookup, lookupBy } from "../system/lookup.ts";
import type { System } from "../system/system.ts";
import { openSightings, type Sightings } from "../monitors/sightings.ts";
import { removeRules } from "./forwarding/tear-down.ts";
import { startWatchdog } from "./forwarding/watchdog.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly network: Network;
  readonly ledger: Ledger;
  readonly system: System;
  readonly now: () => Date;
  readonly exceptions: () => readonly Temporary[];
  readonly reveal: (id: string, version: number) => Promise<string>;
  readonly announce: Announce;
  readonly warn: (sentence: string, error: unknown) => void;
  /** A sentence for the log, at error level. */
  readonly complain: (sentence: string) => void;
}

/** The planes of the gateway: forwarding rules, links, and DNS. */
export interface Planes {
  readonly dataplane: Dataplane;
  /** undefined while the dataplane is off. */
  readonly links: LinksPlane | undefined;
  readonly dns: DnsPlane | undefined;
  /** Tunnels, proxies, bridges and uplinks as the API reports them. */
  readonly linkStatus: LinkStatus;
  readonly enforcement: Enforcement;
  /** As the dataplane's, and the filter policy is written: a client may then resolve names of the policy's domains. */
  readonly enforced: () => Promise<boolean>;
  readonly sightings: Sightings;
  readonly close: () => Promise<void>;
}

export function openPlanes({
  bootstrap,
  network,
  ledger,
  system,
  now,
  exceptions,
  reveal,
  announce,
  warn,
  complain,
}: Needs): Planes {
  const { paths, dataplane: driving, reconcile } = bootstrap;
  const onDrift = (items: readonly DriftItem[]) =>
    announce("drift.detected", { items: items.length, first: items[0]!.resource });
  if (driving.enabled) system.makeFolder(paths.run, 0o700);
  const processes = supervisor({
    system,
    folder: join(paths.run, "children"),
    nowMs: sinceBootMs,
    onExit: () => {
      links?.wake();
      dns?.wake();
    },
  });
  const commits = watchCommits();
  const links = driving.enabled
    ? openLinksPlane({
        system,
        folder: paths.run,
        stateFolder: paths.state,
        supervisor: processes,
        commits,
        lookup: network.dns ? lookupBy(portsOf(directEgress).frontend) : lookup,
        now,
        sinceBootMs,
        reveal,
        announce,
        onDrift,
        wake: () => dataplane.wake(),
        whenIdle: () => dataplane.whenIdle(),
        policyName: (id) => ledger.staged<Policy>("routing_policy").get(id)?.name ?? id,
      })
    : undefined;
  // Also without a resolver in the configuration: programs of an earlier configuration have to be stopped.
  const dns = driving.enabled
    ? openDnsPlane({
        system,
        folder: paths.run,
        stateFolder: paths.state,
        listFolder: paths.lists,
        supervisor: processes,
        pqMode: storedPqMode(ledger),
        now,
        announce,
        onDrift,
        warn,
      })
    : undefined;
  const saved = driving.enabled
    ? savedGuard({
        system,
        file: join(paths.state, "guard.nft"),
        isPending: () => ledger.releases.pending() !== undefined || enforcement.isProvisional(),
        warn,
      })
    : undefined;
  ledger.watch(({ revision }) => saved?.recorded(revision !== undefined));
  const sightings = openSightings({ nowMs: () => now().getTime() });
  const enforcement = openEnforcement({
    system,
    stateFolder: paths.state,
    network: bootstrap.network,
    dataplane: driving,
    created: () => [...published<Bridge>(ledger, "bridge"), ...published<PublishedVlan>(ledger, "vlan")],
    withdraw: async () => {
      await dataplane.whenIdle();
      links?.stopAll();
      dns?.stopAll();
      await Promise.all([links?.whenIdle(), dns?.whenIdle()]);
      await removeRules(system, paths.run);
      settings = undefined;
    },
    guardDeadline: ({ since }) =>
      startWatchdog(system, {
        state: paths.state,
        run: paths.run,
        since,
        afterMs: driving.confirm_first_sec * 1000,
      }),
    wake: () => void dataplane.lookAgain(),
    announce,
    auditRevert: (reason) => ledger.change(systemReverts, (draft) => draft.about("enforcement", { reason })),
    now,
    complain,
  });
  let settings: Promise<void> | undefined;
  const dataplane = openDataplane({
    commits,
    ledger,
    system,
    sightings,
    network,
    exceptions,
    observedLinks: links?.observed ?? nothingObserved,
    onCompiled: (compiled) => dns?.write(compiled),
    permit: async () => {
      enforcement.permit();
      const cannot = (error: unknown) => warn("Kernel settings for a later tear-down cannot be saved", error);
      await (settings ??= saveSettings(system, paths.run).catch(cannot));
    },
    onSteered: (compiled) => {
      links?.follow(compiled);
      dns?.follow(compiled);
    },
    onEnforced: (compiled) => {
      enforcement.applied();
      saved?.applied(compiled.desired.guard);
    },
    enabled: driving.enabled,
    intervalSec: reconcile.interval_sec,
    now,
    onApplied: (revision) => announce("revision.applied", { revision }),
    onDrift,
  });
  return {
    dataplane,
    links,
    dns,
    linkStatus: links ? openLinkStatus({ system, links, traffic: dataplane.proxyTraffic, now }) : inactiveLinkStatus,
    sightings,
    enforcement,
    enforced: async () => {
      const isEnforced = await dataplane.enforced();
      await dns?.written();
      return isEnforced;
    },
    close: async () => {
      enforcement.close();
      await dataplane.close();
      await links?.close();
      await dns?.close();
      processes.close();
    },
  };
}

/** Interfaces that will be created. */
const published = <R extends { enabled: boolean; interface: string }>(ledger: Ledger, kind: string): string[] =>
  (ledger.releases.document(ledger.revision())[kind] ?? [])
    .map((it) => it as unknown as R)
    .filter(({ enabled }) => enabled)
    .map((it) => it.interface);

const systemReverts = { actor: "system", action: "revert_enforcement", resourceType: "enforcement" };
