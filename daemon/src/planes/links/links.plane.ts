import { because, explained, type Reason } from "@portcullis/contract/reason";
import type { Announce } from "@portcullis/contract/events";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import type { WanUplinks } from "@portcullis/contract/subsystems/uplinks";
import type { ObservedLinks, Compiled } from "../inputs.ts";
import type { Links as Wanted } from "../../compiler/links/links.ts";
import type { IntentTunnel } from "../../compiler/input/intent.ts";
import { bridgeEngine } from "../../engines/bridge/bridge.engine.ts";
import { coverEngine } from "../../engines/cover/cover.engine.ts";
import type { Commits } from "../../engines/nftables/commits.ts";
import type { Supervisor } from "../../engines/supervisor/supervisor.ts";
import { openvpn } from "../../engines/openvpn/openvpn.engine.ts";
import { keaEngine } from "../../engines/kea/kea.engine.ts";
import { lanAddressEngine } from "../../engines/lan-address/lan-address.engine.ts";
import { radvdEngine } from "../../engines/radvd/radvd.engine.ts";
import { redsocksEngine } from "../../engines/redsocks/redsocks.engine.ts";
import { socksListenerEngine } from "../../engines/socks-listener/socks-listener.engine.ts";
import { vlanEngine } from "../../engines/vlan/vlan.engine.ts";
import { wireguard } from "../../engines/wireguard/wireguard.engine.ts";
import { isUsable } from "../../health/link-state.machine.ts";
import { type Condition, openHealth } from "../../health/health.ts";
import { openSavedState } from "../../health/saved-state.ts";
import { openUplinks } from "../../health/uplinks.ts";
import { announceFallback, fallbacks } from "./failover-events.ts";
import { decryptedSecrets } from "./decrypted-secrets.ts";
import { probeTargetsOf, uplinkKey, uplinkPlan } from "./probe-targets.ts";
import { createReconciler, type DriftItem, type Outcome } from "../../reconciler/reconciler.ts";
import { openReconnects } from "./reconnect.ts";
import { ownProgram } from "../own-program.ts";
import { readIp } from "../../system/iplisting.ts";
import type { System } from "../../system/system.ts";
import { openServerAddresses } from "../../monitors/server-addresses.ts";

interface Needs {
  readonly system: System;
  /** For files that are kept until the next boot. */
  readonly folder: string;
  /** For files that outlive a boot. */
  readonly stateFolder: string;
  readonly supervisor: Supervisor;
  readonly commits: Commits;
  /** All addresses of a hostname. */
  readonly lookup: (host: string) => Promise<string[]>;
  readonly now: () => Date;
  /** Monotonic, and the same for the next daemon. */
  readonly sinceBootMs: () => number;
  readonly reveal: (id: string, version: number) => Promise<string>;
  readonly announce: Announce;
  readonly onDrift: (items: readonly DriftItem[]) => void;
  /** The state of a link has changed: the forwarding plane must compile again. */
  readonly wake: () => void;
  /** Resolves when the forwarding plane has applied that. */
  readonly whenIdle: () => Promise<unknown>;
  readonly policyName: (id: string) => string;
}

export type LinksPlane = ReturnType<typeof openLinksPlane>;

/**
 * The engines of tunnels, proxies, bridges, VLANs, DHCP and router advertisements, and the health checks of links. They have their own reconciler: a tunnel that cannot
 * be set up must not delay the guard.
 */
export function openLinksPlane({
  system,
  folder,
  stateFolder,
  supervisor,
  commits,
  lookup,
  now,
  sinceBootMs,
  reveal,
  announce,
  onDrift,
  wake,
  whenIdle,
  policyName,
}: Needs) {
  const nowMs = () => now().getTime();
  const engines = {
    bridge: bridgeEngine({ system, folder }),
    // After the bridges on which VLANs may be.
    vlan: vlanEngine({ system, folder }),
    lanAddress: lanAddressEngine({ system, folder }),
    wireguard: wireguard({ system, supervisor, folder: `${folder}/wireguard`, wallMs: nowMs }),
    openvpn: openvpn({
      system,
      supervisor,
      folder: `${folder}/openvpn`,
      nowMs: sinceBootMs,
      wallMs: nowMs,
      onChange: () => reconciler.wake(),
      onRefused: (device, reason) => {
        const tunnel = latest?.intent.tunnels.find((it) => it.interface === device);
        if (tunnel) announce("tunnel.address_refused", { id: tunnel.id, name: tunnel.name, ...explained(reason) });
      },
    }),
    redsocks: redsocksEngine({ supervisor }),
    socksListener: socksListenerEngine({
      supervisor,
      listing: { read: () => readIp(system), invalidate: () => {} },
      node: process.execPath,
      program: ownProgram("socks-listener"),
    }),
    cover: coverEngine({ system }),
    kea: keaEngine({ system, supervisor, commits, folder: `${folder}/kea`, stateFolder: `${stateFolder}/dhcp` }),
    radvd: radvdEngine({ system, supervisor, folder: `${folder}/radvd` }),
  };
  let latest: Compiled | undefined;
  let foreignCommits = commits.foreignCommits();
  const reconciler = createReconciler<Wanted>({
    published: () => ({ revision: latest?.revision ?? 0, desired: latest?.links ?? nothing }),
    engines,
    independent: true,
    now,
    onApplied: () => {},
    onDrift,
  });
  const savedState = openSavedState({ system, file: `${folder}/conditions.json` });
  const former = new Map<string, readonly string[]>();
  const names = openServerAddresses({
    resolve: lookup,
    file: `${folder}/names.json`,
    system,
    nowMs,
    onChange: wake,
  });
  const health = openHealth({
    system,
    nowMs: sinceBootMs,
    now,
    savedState,
    onChange: (key, { status, reason }, before) => {
      uplinks.decide();
      const tunnel = tunnelOf(key);
      if (tunnel) {
        announce("tunnel.state", { id: key, name: tunnel.name, from: before.status, to: status, ...explained(reason) });
        if (isUsable(before) && !isUsable({ status }) && status !== "down")
          announce("tunnel.down", { id: key, name: tunnel.name, ...explained(reason) });
        if (!isUsable(before) && isUsable({ status })) reconnects.inside(tunnel);
      }
      const uplink = uplinkOf(key);
      if (uplink) {
        const { name, interface: device, role } = uplink;
        announce("uplink.state", { name, interface: device, from: before.status, to: status, ...explained(reason) });
        if (role === "active" && isUsable({ status }) && !isUsable(before)) reconnects.afterUplink();
      }
      wake();
    },
    onFlap: (key, { changes }) => {
      const tunnel = tunnelOf(key);
      if (tunnel) announce("tunnel.flap", { id: key, name: tunnel.name, changes, window_sec: flapWindowSec });
    },
    onFailed: (key, times) => reconnects.failing(key, times),
  });
  const uplinks = openUplinks({
    nowMs: sinceBootMs,
    now,
    savedState,
    condition: health.condition,
    onSwitch: ({ from, to, reason }) => {
      announce("uplink.switched", { from: from ?? null, to, ...explained(reason) });
      wake();
      void whenIdle().then(reconnects.afterUplink);
    },
  });

  const tunnelOf = (id: string): IntentTunnel | undefined => latest?.intent.tunnels.find((it) => it.id === id);
  const uplinkOf = (key: string) => uplinks.report().uplinks.find((it) => uplinkKey(it.interface) === key);

  const reconnects = openReconnects({ names, engines, condition: health.condition, latest: () => latest });

  const observed: ObservedLinks = {
    conditions: () =>
      Object.fromEntries(
        [...health.conditions()].map(([key, { status, reason }]) => [key, { isUp: isUsable({ status }), reason }]),
      ),
    addresses: (hosts) => {
      names.setHosts(hosts);
      return Object.fromEntries(
        hosts.flatMap((host) => {
          const address = names.addressOf(host);
          if (address === undefined) return [];
          former.set(host, [address, ...(former.get(host) ?? []).filter((it) => it !== address)].slice(0, maxFormer));
          return [[host, address]];
        }),
      );
    },
    former: () => Object.fromEntries(former),
    secrets: decryptedSecrets(reveal),
    active: (settings: WanUplinks | undefined) =>
      settings?.uplinks.find(({ name, enabled }) => enabled && name === uplinks.active())?.interface,
  };

  return {
    observed,
    /** Applies a compilation and monitors its links. */
    follow: (compiled: Compiled): void => {
      const before = latest;
      latest = compiled;
      // Another program may have removed a link, taken it down, or deleted rules.
      const isForeign = foreignCommits !== (foreignCommits = commits.foreignCommits());
      if (isForeign || before?.links !== compiled.links || before.facts.links !== compiled.facts.links)
        reconciler.wake();
      if (before && before.facts.addresses !== compiled.facts.addresses)
        void reconciler.whenIdle().then(() => reconnects.moved(before, compiled));
      if (before === compiled) return;
      for (const fallback of fallbacks(before?.decisions.ranked, compiled.decisions.ranked))
        announceFallback(fallback, policyName(fallback.policyId), announce);
      health.monitor(probeTargetsOf(compiled));
      uplinks.setPlan(uplinkPlan(compiled));
    },
    /** Stops and removes all links: enforcement was withdrawn. */
    stopAll: (): void => {
      latest = undefined;
      health.monitor([]);
      reconciler.wake();
    },
    wake: () => reconciler.wake(),
    whenIdle: () => reconciler.whenIdle(),
    engines,
    health,
    uplinks,
    latest: () => latest,
    drift: () => reconciler.drift(),
    component: () => componentOf(latest?.intent.tunnels ?? [], health.condition, reconciler.outcomes()),
    close: async () => {
      health.close();
      uplinks.close();
      names.close();
      engines.openvpn.close();
      engines.cover.close();
      await reconciler.close();
    },
  };
}

/** A tunnel that is down degrades this component; a failing engine fails it. */
function componentOf(
  tunnels: readonly IntentTunnel[],
  condition: (key: string) => Condition | undefined,
  outcomes: readonly Outcome[],
): Component {
  const failure = outcomes.find(({ error }) => error);
  if (failure) {
    const { engine, error } = failure;
    return component("hops", "failed", because("engine_failed", { engine, message: error!.message }));
  }
  const wanted = tunnels.filter(({ enabled }) => enabled);
  const down = wanted.filter(({ id }) => !isUsable({ status: condition(id)?.status ?? "down" }));
  const counted = { up: wanted.length - down.length, tunnels: wanted.length };
  if (down.length === 0) return component("hops", "ok", because("tunnels_up", counted));
  const named: Reason[] = down
    .slice(0, maxNamed)
    .map(({ id, name }) =>
      because("tunnel_because", { tunnel: name, why: condition(id)?.reason ?? because("link_starting") }),
    );
  const others = down.length > maxNamed ? [because("and_others")] : [];
  return component("hops", "degraded", because("tunnels_down", { ...counted, down: [...named, ...others] }));
}

const nothing: Wanted = {
  bridge: [],
  vlan: [],
  lanAddress: [],
  wireguard: [],
  openvpn: [],
  redsocks: [],
  socksListener: [],
  cover: [],
  kea: { subnets: [], closed: [] },
  radvd: [],
};
const maxNamed = 3;
const flapWindowSec = 300;
const maxFormer = 8;
